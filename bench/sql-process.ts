// Statements in a process of their own beside the same in this process: milliseconds of a small one, and bytes of results a second.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { openDuckdb } from '../core/storage/embedded/duckdb/index.ts'
import { SqlProcess } from '../core/storage/embedded/sql/sql-process.ts'
import type { QueryResult } from '../core/storage/engine.ts'

const never = new AbortController().signal
const threads = 2
const memoryLimit = 1 << 30
const small = 'SELECT 1'
/** Results with their bytes a row, as columns in memory. */
const large: Readonly<Record<string, readonly [sql: string, rows: number, bytes: number]>> = {
  numbers: ['SELECT i, i * 1.5::DOUBLE FROM range(10000000) r(i)', 10_000_000, 16],
  texts: ["SELECT 'a text of a usual length ' || i FROM range(2000000) r(i)", 2_000_000, 32],
  decimals: ['SELECT (i / 10)::DECIMAL(18, 3) FROM range(500000) r(i)', 500_000, 8]
}

type Run = (sql: string) => Promise<Pick<QueryResult, 'batches'>>

export async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'weir-bench-'))
  const apart = new SqlProcess({
    name: 'user',
    folders: [folder],
    temporary: join(folder, 'tmp'),
    threads,
    memoryLimit,
    hardLimit: 2 * memoryLimit,
    log: pino({ level: 'warn' })
  })
  const here = await openDuckdb({ folders: [folder], spill: join(folder, 'spill'), memoryLimit, threads })
  try {
    await count(text => apart.run({ text, timezone: 'UTC' }, never), small)
    console.log(`start of the process: ${Math.round(apart.statistics().startTime)} ms`)
    await measure('in this process', sql => here.stream({ sql }, never, () => {}))
    await measure('in its own', text => apart.run({ text, timezone: 'UTC' }, never))
  } finally {
    await Promise.all([apart.close(), here.close()])
    rmSync(folder, { recursive: true, force: true })
  }
}

async function measure(name: string, run: Run): Promise<void> {
  const statements = 500
  for (let i = 0; i < statements; i++) await count(run, small)
  const start = performance.now()
  for (let i = 0; i < statements; i++) await count(run, small)
  const figures = [`${((performance.now() - start) / statements).toFixed(2)} ms a small statement`]
  for (const [kind, [sql, rows, bytes]] of Object.entries(large)) {
    const from = performance.now()
    await count(run, sql)
    const seconds = (performance.now() - from) / 1000
    figures.push(`${Math.round((rows * bytes) / seconds / 1e6)} MB/s of ${kind}`)
  }
  console.log(`${name}: ${figures.join(', ')}`)
}

async function count(run: Run, sql: string): Promise<number> {
  let rows = 0
  for await (const batch of (await run(sql)).batches()) rows += batch.rows
  return rows
}

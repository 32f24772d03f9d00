// Query processes for tests, and what they answer.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import pino from 'pino'
import type { Test } from 'tap'
import { isValid, type ResultBatch, type ResultColumn, type ResultVector } from '../../../core/model/batch.ts'
import { SqlProcess, type SqlProcessOptions, type SqlRequest } from '../../../core/storage/embedded/sql/sql-process.ts'
import { never, temporaryFolder } from './fixtures.ts'

export interface TestProcess {
  readonly process: SqlProcess
  /** What it may read. */
  readonly data: string
  readonly home: string
  /** Messages of the log. */
  readonly logged: Record<string, unknown>[]
  ask(text: string, request?: Partial<SqlRequest>, signal?: AbortSignal): Promise<readonly unknown[][]>
}

export function startProcess(t: Test, options: Partial<SqlProcessOptions> = {}): TestProcess {
  const home = temporaryFolder(t)
  const data = join(home, 'data')
  mkdirSync(data)
  const logged: Record<string, unknown>[] = []
  const process = new SqlProcess({
    name: 'user',
    folders: [data],
    temporary: join(home, 'tmp'),
    threads: 2,
    memoryLimit: 256 << 20,
    hardLimit: 1 << 30,
    log: pino({ level: 'info' }, { write: (line: string) => void logged.push(JSON.parse(line)) }),
    ...options
  })
  t.teardown(() => process.close())
  const ask: TestProcess['ask'] = async (text, request = {}, signal = never) => {
    const answer = await process.run({ text, timezone: 'UTC', ...request }, signal)
    return rowsOf(answer.columns, await collect(answer.batches()))
  }
  return { process, data, home, logged, ask }
}

export async function collect(batches: AsyncIterable<ResultBatch>): Promise<ResultBatch[]> {
  const all: ResultBatch[] = []
  for await (const batch of batches) all.push(batch)
  return all
}

export function rowsOf(columns: readonly ResultColumn[], batches: readonly ResultBatch[]): unknown[][] {
  return batches.flatMap(batch =>
    Array.from({ length: batch.rows }, (_, row) => columns.map((_, c) => valueAt(batch.columns[c]!, row)))
  )
}

export function valueAt({ values, valid }: ResultVector, row: number): unknown {
  return isValid(valid, row) ? values[row] : null
}

/** Polls for a condition; throws after two minutes. */
export async function until(condition: () => boolean, what: string): Promise<void> {
  const end = performance.now() + 120_000
  while (!condition()) {
    if (performance.now() > end) throw new Error(`no ${what} within 2 min`)
    await new Promise(resolve => setTimeout(resolve, 10))
  }
}

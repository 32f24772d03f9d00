// The embedded engine in process, every write durable: rows a second in, to files and through compaction, bytes a row, memory, and how
// long a start takes. Each job runs in a process of its own. `--job NAME` runs one of them here, for a profile of it. With
// `--remote-write FILE` the samples of a file of remote write requests are another job, see storage-remote.ts.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { createMetrics } from '../core/metrics/metrics.ts'
import type { Table } from '../core/model/table.ts'
import type { Engine, Report } from '../core/storage/engine.ts'
import { mebibytes, whole } from './print.ts'
import {
  finish,
  never,
  nothing,
  openEngine,
  print,
  resetPeak,
  rounds,
  settings,
  type Targets,
  timed
} from './storage-measure.ts'
import { measureRemote } from './storage-remote.ts'
import { type Batch, logJob, plainJob, type RowJob, taggedJob } from './storage-rows.ts'

const writers = 4
/** Bytes of a memtable a row with a time and a number takes. */
const memoryOfRow = 24

const rowJobs: Readonly<Record<string, (scale: number) => { readonly job: RowJob; readonly targets: Targets }>> = {
  tagged: scale => ({ job: taggedJob(20_000, Math.round(200 * scale)), targets: { rate: 1.5e6, atRest: 1.2 } }),
  plain: scale => ({ job: plainJob(Math.round(1000 * scale) * 4000), targets: { rate: 1.5e6, atRest: 1.2 } }),
  logs: scale => ({ job: logJob(Math.round(200 * scale) * 5000), targets: {} })
}

export async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      job: { type: 'string' },
      scale: { type: 'string', default: '1' },
      folder: { type: 'string' },
      'remote-write': { type: 'string' }
    }
  })
  const scale = Number(values.scale)
  const corpus = values['remote-write']
  const names = [...Object.keys(rowJobs), 'start', ...(corpus === undefined ? [] : ['remote'])]
  if (values.job === undefined) {
    for (const name of names) await runApart(name, args)
    return
  }
  if (!names.includes(values.job)) throw new Error(`--job must be one of ${names.join(', ')}`)
  const folder = mkdtempSync(join(values.folder ?? tmpdir(), 'weir-bench-'))
  try {
    const rowJob = rowJobs[values.job]
    if (values.job === 'remote') await measureRemote(folder, corpus!)
    else if (rowJob === undefined) await measureStart(folder, scale)
    else await measureRows(values.job, folder, rowJob(scale))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The same command for one job, in a process that has run nothing else. */
async function runApart(name: string, args: readonly string[]): Promise<void> {
  const script = fileURLToPath(new URL('run.ts', import.meta.url))
  const child = spawn(process.execPath, [script, 'storage', '--job', name, ...args], { stdio: 'inherit' })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`job ${name} failed`)
}

async function measureRows(name: string, folder: string, { job, targets }: { job: RowJob; targets: Targets }) {
  const metrics = createMetrics()
  const engine = await openEngine(folder, metrics)
  const { columns, options } = job
  const table = await engine.catalog.createTable({ database: 'public', name, columns, options })
  const written = { ...nothing }
  const flushed = { ...nothing }
  resetPeak()
  for (let round = 0; round < rounds; round++) {
    const [from, to] = [round, round + 1].map(part => Math.floor((job.writes * part) / rounds))
    const batches = Array.from({ length: to! - from! }, (_, i) => job.batch(from! + i))
    await timed(written, () => fill(engine, table, batches))
    await timed(flushed, () => engine.maintain({ kind: 'flush' }, never))
  }
  const note = `${job.rowsPerWrite} a write, ${writers} writers`
  await finish({ name, note, engine, metrics, table, written, flushed, targets })
}

/** Writes batches by a few writers that each wait for their answer. */
async function fill(engine: Engine, table: Table, batches: Batch[]): Promise<Report> {
  let rows = 0
  const write = async () => {
    for (let batch = batches.shift(); batch !== undefined; batch = batches.shift()) {
      const stored = await engine.write([{ table, op: 'put', ...batch }], never)
      rows += stored
    }
  }
  await Promise.all(Array.from({ length: writers }, write))
  return { rows, bytes: 0, files: 0 }
}

/** A folder with many files and an empty log, then the same with a log almost as long as it gets before a flush. */
async function measureStart(folder: string, scale: number): Promise<void> {
  const home = join(folder, 'home')
  const files = Math.round(1000 * scale)
  const first = await openEngine(home)
  await makeFiles(first, files)
  await first.close()
  const emptyLog = await measureOpen(home)
  const engine = await openEngine(home)
  const rows = (0.9 * scale * settings(home).storage.memtable_size) / memoryOfRow
  const job = taggedJob(20_000, Math.floor(rows / 20_000))
  const { columns, options } = job
  const table = await engine.catalog.createTable({ database: 'public', name: 'log', columns, options })
  const { rows: stored } = await fill(
    engine,
    table,
    Array.from({ length: job.writes }, (_, i) => job.batch(i))
  )
  // What a crash now would leave: everything answered is on the disk.
  const crashed = join(folder, 'crashed')
  cpSync(home, crashed, { recursive: true })
  await engine.close()
  const logBytes = folderBytes(join(crashed, 'wal'))
  const fullLog = await measureOpen(crashed)
  const rate = Math.round(stored / ((fullLog - emptyLog) / 1000))
  print('start', [
    [`${files} files, empty log`, `${emptyLog.toFixed(0)} ms`],
    ['same, full log', `${fullLog.toFixed(0)} ms`, `${mebibytes(logBytes)} of log, ${whole(stored)} rows`],
    ['replayed', `${whole(rate)} rows/s`, `${mebibytes(logBytes / ((fullLog - emptyLog) / 1000))}/s`]
  ])
}

/** As many tables with a file each: files of one table would be merged. */
async function makeFiles(engine: Engine, count: number): Promise<void> {
  const job = plainJob(count * 100, 100)
  for (let i = 0; i < count; i++) {
    const { columns, options } = job
    const table = await engine.catalog.createTable({ database: 'public', name: `t${i}`, columns, options })
    await engine.write([{ table, op: 'put', ...job.batch(i) }], never)
  }
  await engine.maintain({ kind: 'flush' }, never)
}

/** Milliseconds until the engine answers. */
async function measureOpen(home: string): Promise<number> {
  const started = performance.now()
  const engine = await openEngine(home)
  const took = performance.now() - started
  await engine.close()
  return took
}

function folderBytes(dir: string): number {
  return readdirSync(dir).reduce((sum, name) => sum + statSync(join(dir, name)).size, 0)
}

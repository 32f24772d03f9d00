// The embedded engine in process, every write durable: rows a second in, to files and through compaction, bytes a row, memory, and how
// long a start takes. Each job runs in a process of its own. `--job NAME` runs one of them here, for a profile of it.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { loadConfig } from '../core/config/load.ts'
import type { Config } from '../core/config/schema.ts'
import { createLogger } from '../core/log/log.ts'
import { createMetrics, type Metrics } from '../core/metrics/metrics.ts'
import type { Table } from '../core/model/table.ts'
import { createEmbeddedEngine } from '../core/storage/embedded/engine.ts'
import type { Engine, Report } from '../core/storage/engine.ts'
import { type Batch, logJob, plainJob, type RowJob, taggedJob } from './storage-rows.ts'

const never = new AbortController().signal
const writers = 4
/** Flushes of a job: so many files that the last of them makes the engine merge all. */
const rounds = 4
const MiB = 2 ** 20
/** Bytes of a memtable a row with a time and a number takes. */
const memoryOfRow = 24

const rowJobs: Readonly<Record<string, (scale: number) => { readonly job: RowJob; readonly targets: Targets }>> = {
  tagged: scale => ({ job: taggedJob(20_000, Math.round(200 * scale)), targets: { rate: 1.5e6, atRest: 1.2 } }),
  plain: scale => ({ job: plainJob(Math.round(1000 * scale) * 4000), targets: { rate: 1.5e6, atRest: 1.2 } }),
  logs: scale => ({ job: logJob(Math.round(200 * scale) * 5000), targets: {} })
}

/** Of the issue this bench belongs to: rows a second in, bytes a row at rest. */
interface Targets {
  readonly rate?: number
  readonly atRest?: number
}

const mostResident = 1024 * MiB

export async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: { job: { type: 'string' }, scale: { type: 'string', default: '1' }, folder: { type: 'string' } }
  })
  const scale = Number(values.scale)
  const names = [...Object.keys(rowJobs), 'start']
  if (values.job === undefined) {
    for (const name of names) await runApart(name, args)
    return
  }
  if (!names.includes(values.job)) throw new Error(`--job must be one of ${names.join(', ')}`)
  const folder = mkdtempSync(join(values.folder ?? tmpdir(), 'weir-bench-'))
  try {
    const rowJob = rowJobs[values.job]
    if (rowJob === undefined) await measureStart(folder, scale)
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

function settings(folder: string): Config {
  const overrides = {
    storage: { data_home: folder },
    wal: { sync: 'always' },
    logging: { append_stdout: false, max_log_files: 0 }
  }
  return loadConfig({ overrides }).config
}

async function openEngine(folder: string, metrics = createMetrics()): Promise<Engine> {
  const config = settings(folder)
  const engine = createEmbeddedEngine(config, createLogger(config.logging), metrics)
  await engine.open()
  return engine
}

interface Measured {
  rows: number
  seconds: number
  /** Microseconds of processor time, all threads. */
  cpu: number
}

const nothing: Readonly<Measured> = { rows: 0, seconds: 0, cpu: 0 }

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
  const flushedBytes = engine.catalog.statistics(table).bytes
  // The engine may have begun by itself.
  await engine.maintain({ kind: 'compact', table }, never)
  const { files, bytes } = engine.catalog.statistics(table)
  const compacted = {
    ...nothing,
    rows: written.rows,
    seconds: await value(metrics, 'svc_storage_compaction_seconds_sum')
  }
  const log = await value(metrics, 'svc_storage_wal_bytes_total')
  const peak = peakBytes()
  collectGarbage()
  await new Promise(resolve => setTimeout(resolve, 500))
  const atRest = bytes / written.rows
  print(name, [
    ['rows', whole(written.rows), `${job.rowsPerWrite} a write, ${writers} writers`],
    ['written durably', `${perSecond(written)} rows/s`, atLeast(written.rows / written.seconds, targets.rate)],
    ['processor time', `${(written.cpu / written.rows).toFixed(2)} µs/row`],
    ['log', `${(log / written.rows).toFixed(1)} bytes/row`],
    ['flushed', `${perSecond(flushed)} rows/s`, `${(flushedBytes / written.rows).toFixed(2)} bytes/row`],
    ['compacted', `${perSecond(compacted)} rows/s`, `${rounds} files to ${files}`],
    ['at rest', `${atRest.toFixed(2)} bytes/row`, atMost(atRest, targets.atRest)],
    ['peak memory', mebibytes(peak), atMost(peak, mostResident)],
    ['steady memory', mebibytes(process.memoryUsage.rss())]
  ])
  await engine.close()
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

async function timed(sum: Measured, work: () => Promise<Report>): Promise<void> {
  const started = performance.now()
  const before = process.cpuUsage()
  const { rows } = await work()
  const { user, system } = process.cpuUsage(before)
  sum.rows += rows
  sum.cpu += user + system
  sum.seconds += (performance.now() - started) / 1000
}

/** What a metric without labels stands at. */
async function value(metrics: Metrics, name: string): Promise<number> {
  return Number(new RegExp(`^${name} (.*)$`, 'm').exec(await metrics.expose())?.[1] ?? 0)
}

/** Makes the system forget the highest memory so far. */
function resetPeak(): void {
  writeFileSync('/proc/self/clear_refs', '5')
}

function peakBytes(): number {
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))![1]) * 1024
}

function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
}

function folderBytes(dir: string): number {
  return readdirSync(dir).reduce((sum, name) => sum + statSync(join(dir, name)).size, 0)
}

function print(name: string, lines: readonly (readonly string[])[]): void {
  console.log(name)
  for (const [what = '', figure = '', note = ''] of lines) {
    console.log(`  ${what.padEnd(24)}${figure.padStart(20)}   ${note}`.trimEnd())
  }
}

function atLeast(value: number, target: number | undefined): string {
  return target === undefined ? '' : `target ${whole(target)} or more${value < target ? ', MISSED' : ''}`
}

function atMost(value: number, target: number | undefined): string {
  if (target === undefined) return ''
  return `target ${target >= MiB ? mebibytes(target) : target} or less${value > target ? ', MISSED' : ''}`
}

function perSecond({ rows, seconds }: Measured): string {
  return whole(Math.round(rows / seconds))
}

function mebibytes(bytes: number): string {
  return `${Math.round(bytes / MiB)} MiB`
}

function whole(value: number): string {
  return value.toLocaleString('en-US')
}

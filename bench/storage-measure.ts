// What the storage benches share: an engine with every write durable, times, memory, and how figures are printed.
import { readFileSync, writeFileSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { loadConfig } from '../core/config/load.ts'
import type { Config } from '../core/config/schema.ts'
import { createLogger } from '../core/log/log.ts'
import { createMetrics, type Metrics } from '../core/metrics/metrics.ts'
import type { Table } from '../core/model/table.ts'
import { createEmbeddedEngine } from '../core/storage/embedded/engine.ts'
import type { Engine, Report } from '../core/storage/engine.ts'
import { mebibytes, whole } from './print.ts'

export const never = new AbortController().signal
const MiB = 2 ** 20
const maxResident = 1024 * MiB
/** Flushes of a job: so many files that the last of them makes the engine merge all. */
export const rounds = 4

/** What is asked of the engine: rows a second in, bytes a row at rest. */
export interface Targets {
  readonly rate?: number
  readonly atRest?: number
}

export function settings(folder: string): Config {
  const overrides = {
    storage: { data_home: folder },
    wal: { sync: 'always' },
    logging: { append_stdout: false, max_log_files: 0 }
  }
  return loadConfig({ overrides }).config
}

export async function openEngine(folder: string, metrics = createMetrics()): Promise<Engine> {
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

export const nothing: Readonly<Measured> = { rows: 0, seconds: 0, cpu: 0 }

export async function timed(sum: Measured, work: () => Promise<Report>): Promise<void> {
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
export function resetPeak(): void {
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

export function print(name: string, lines: readonly (readonly string[])[]): void {
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
  return whole(rows / seconds)
}

interface Filled {
  readonly name: string
  readonly note: string
  readonly engine: Engine
  readonly metrics: Metrics
  readonly table: Table
  readonly written: Measured
  readonly flushed: Measured
  readonly targets: Targets
}

/** Merges the files of a table, prints all figures and closes the engine. */
export async function finish({ name, note, engine, metrics, table, written, flushed, targets }: Filled): Promise<void> {
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
    ['rows', whole(written.rows), note],
    ['written durably', `${perSecond(written)} rows/s`, atLeast(written.rows / written.seconds, targets.rate)],
    ['processor time', `${(written.cpu / written.rows).toFixed(2)} µs/row`],
    ['log', `${(log / written.rows).toFixed(1)} bytes/row`],
    ['flushed', `${perSecond(flushed)} rows/s`, `${(flushedBytes / written.rows).toFixed(2)} bytes/row`],
    ['compacted', `${perSecond(compacted)} rows/s`, `${rounds} files to ${files}`],
    ['at rest', `${atRest.toFixed(2)} bytes/row`, atMost(atRest, targets.atRest)],
    ['peak memory', mebibytes(peak), atMost(peak, maxResident)],
    ['steady memory', mebibytes(process.memoryUsage.rss())]
  ])
  await engine.close()
}

// weir storage copy: copies all data of a folder to a ClickHouse cluster, or back. A second run continues where the first ended.
import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import pino from 'pino'
import { loadConfig } from '../core/config/load.ts'
import { loadEngine } from '../core/create.ts'
import { createMetrics } from '../core/metrics/metrics.ts'
import { timeUnit, unitsPerSecond } from '../core/model/types.ts'
import { type CopyProgress, type CopyResult, copyStorage, type TimeSlice } from '../core/storage/copy/copy.ts'
import { catalogThere } from '../core/storage/embedded/read-only.ts'
import type { Engine } from '../core/storage/engine.ts'
import { noTracing } from '../core/trace/trace.ts'
import { type Command, parseFlags, print, UsageError } from './command.ts'
import { type Progress, showProgress } from './progress.ts'

const cluster = 'clickhouse'

export const copy: Command = {
  usage: `Copies all databases with their tables, options, views and rows from a data folder to a ClickHouse cluster, or back.

Usage: weir storage copy --from PLACE --to PLACE [--config FILE] [--contents]

Options:
  --from PLACE       A data folder, such as ./weir_data, or clickhouse
  --to PLACE         The same; a folder that does not exist is made
  -c, --config FILE  TOML file with [storage.clickhouse]: addresses, user and the like of the cluster
  --contents         Compare the content of rows, not just their number; this reads both sides completely
  -h, --help         Show this text

No server may run on a folder, and nobody may write to what is copied. Killed or cut off? Run it again: it counts both sides and copies what
is missing; no row is there twice. A table that has other columns or options at the target stops it before anything is changed.
At the end rows are counted by table and time on both sides. Exit code 0: both have the same; 1: they differ, one line for each slice of
time, or an engine failed; 2: wrong command line or configuration; 130: interrupted.`,
  async run(args) {
    const options = {
      from: { type: 'string' },
      to: { type: 'string' },
      config: { type: 'string', short: 'c' },
      contents: { type: 'boolean' }
    } as const
    const { from, to, config: file, contents = false } = parseFlags(args, options).values
    if (from === undefined || from === '') throw new UsageError('--from is missing')
    if (to === undefined || to === '') throw new UsageError('--to is missing')
    requireApart(from, to, file)
    const stop = new AbortController()
    const interrupt = () => stop.abort(new Interrupted())
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, interrupt)
    const engines: Engine[] = []
    const open = async (place: string, isSource: boolean) => {
      const engine = await makeEngine(place, file, isSource)
      engines.push(engine)
      await engine.open()
      return engine
    }
    try {
      const source = await open(from, true)
      const target = await open(to, false)
      conclude(await copyStorage({ source, target, signal: stop.signal, contents, progress: shown() }), contents)
    } catch (error) {
      if (!(stop.signal.reason instanceof Interrupted)) throw error
      process.stderr.write('weir: interrupted; the same command goes on where it ended\n')
      process.exitCode = 130
    } finally {
      for (const engine of engines) await engine.close()
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, interrupt)
    }
  }
}

class Interrupted extends Error {}

function requireApart(from: string, to: string, file: string | undefined): void {
  if (from === cluster && to === cluster) {
    throw new UsageError('--from and --to are both clickhouse, and a configuration names one cluster')
  }
  if (from === cluster || to === cluster) return
  if (real(from) === real(to)) throw new UsageError(`--from and --to are the same folder, ${real(from)}`)
  const place = loadConfig({ file, env: process.env }).locate(['wal', 'dir'])
  if (place !== undefined) {
    throw new UsageError(
      `--from and --to are two folders, and wal.dir names one folder for the logs of both (${place})`
    )
  }
}

function real(folder: string): string {
  try {
    return realpathSync(folder)
  } catch {
    return resolve(folder)
  }
}

/** An engine that is not opened yet. Throws ConfigError, or Error for a source that is not a data folder. */
async function makeEngine(place: string, file: string | undefined, isSource: boolean): Promise<Engine> {
  const isCluster = place === cluster
  // A whole table is read by one request, which the server's limits for users would end.
  const storage = isCluster ? { clickhouse: { timeout: '7d' } } : { data_home: place }
  const { config } = loadConfig({ file, env: process.env, overrides: { storage }, overridesFrom: 'command line' })
  if (isSource && !isCluster && !catalogThere(config.storage.data_home)) {
    throw new Error(`${config.storage.data_home} is not a data folder: it has no catalog.db`)
  }
  const make = await loadEngine(isCluster ? cluster : 'embedded', process.cwd())
  const log = pino({ level: 'warn' }, pino.destination({ fd: 2, sync: true }))
  return make(config, log, createMetrics(), noTracing, { reducers: [] })
}

function shown(): CopyProgress {
  let current: Progress | undefined
  return {
    begin(phase, total, unit) {
      current?.end()
      current = showProgress(phase, total, process.stderr, amount => `${amount} ${unit}`)
    },
    add: done => current?.add(done),
    end() {
      current?.end()
      current = undefined
    }
  }
}

/** Maximum slices printed per table. */
const maxTold = 20

/** Prints the summary and sets the exit code. */
function conclude({ tables, rows, written, differences }: CopyResult, contents: boolean): void {
  for (const { database, table, slices } of differences) {
    for (const slice of slices.slice(0, maxTold)) print(`difference: ${database}.${table}, ${describe(slice)}`)
    const rest = slices.length - maxTold
    if (rest > 0) print(`difference: ${database}.${table}, ${rest} more slices of time`)
  }
  const compared = contents ? 'compared by what they hold' : 'counted on both sides'
  const result = differences.length === 0 ? 'the same' : `${differences.length} tables differ`
  print(`${tables} tables with ${rows} rows, ${written} of them written now, ${compared}: ${result}`)
  if (differences.length > 0) process.exitCode = 1
}

function describe({ from, to, rows, there, type }: TimeSlice): string {
  const perSecond = unitsPerSecond[timeUnit(type)]
  const time = (value: bigint | undefined) => (value === undefined ? '…' : printTime(value, perSecond))
  const counts =
    rows === there ? `${rows} rows on both sides, which differ` : `${rows} rows at the source, ${there} at the target`
  return `${time(from)} to ${time(to)}: ${counts}`
}

/** Slices are bounded by whole minutes; times outside of the calendar are printed as numbers. */
function printTime(value: bigint, perSecond: bigint): string {
  const date = new Date(Number(value / perSecond) * 1000)
  return Number.isNaN(date.getTime()) ? String(value) : date.toISOString().replace('.000Z', 'Z')
}

// SQL over a day of a fleet's metrics, asked over HTTP, beside InfluxDB 1 (`--influxd PROGRAM`) with the same rows in the same run.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { loadConfig } from '../core/config/load.ts'
import { createLogger } from '../core/log/log.ts'
import { createMetrics } from '../core/metrics/metrics.ts'
import { createEmbeddedEngine } from '../core/storage/embedded/engine.ts'
import { columns, createFleet, step } from './fleet/corpus.ts'
import { type Influxdb, startInfluxdb } from './fleet/influxdb.ts'
import { type QuestionKind, questions } from './fleet/queries.ts'
import { processorTime, processTree } from './process-tree.ts'
import { type BenchServer, startBenchServer } from './server.ts'

/** Reports of all hosts that make one write. */
const roundsPerWrite = 20
const never = new AbortController().signal

export async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      hosts: { type: 'string', default: '200' },
      hours: { type: 'string', default: '24' },
      runs: { type: 'string', default: '30' },
      warm: { type: 'string', default: '3' },
      influxd: { type: 'string' },
      only: { type: 'string', default: '' }
    }
  })
  const hosts = Number(values.hosts)
  const rounds = Math.round((Number(values.hours) * 3_600_000) / step)
  const folder = mkdtempSync(join(tmpdir(), 'weir-bench-'))
  try {
    await fillEngine(join(folder, 'data'), hosts, rounds)
    writeFileSync(join(folder, 'weir.toml'), '[logging]\nlevel = "warn"\nappend_stdout = false\n')
    const server = await startBenchServer(join(folder, 'weir.toml'), join(folder, 'data'))
    const peer = values.influxd === undefined ? undefined : await startPeer(values.influxd, folder, hosts, rounds)
    const kinds = questions(hosts, rounds).filter(({ name }) => name.includes(values.only))
    let behind = 0
    for (const kind of kinds)
      if (!(await compare(kind, { runs: Number(values.runs), warm: Number(values.warm) }, server, peer))) behind++
    console.log(`memory ${server.residentMiB()} MiB${peer ? `, influxdb ${residentMiB(peer.pid)} MiB` : ''}`)
    if (behind > 0) console.log(`${behind} of ${kinds.length} BEHIND`)
    await peer?.stop()
    await server.kill('SIGTERM')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Writes the fleet to files of the embedded engine; the server starts on them afterwards. */
async function fillEngine(home: string, hosts: number, rounds: number): Promise<void> {
  const overrides = { storage: { data_home: home }, logging: { append_stdout: false, max_log_files: 0 } }
  const { config } = loadConfig({ overrides })
  const engine = createEmbeddedEngine(config, createLogger(config.logging), createMetrics())
  await engine.open()
  const table = await engine.catalog.createTable({ database: 'public', name: 'cpu', columns, options: {} })
  const fleet = createFleet(hosts, rounds)
  const began = performance.now()
  for (let at = 0; at < rounds; at += roundsPerWrite) {
    const batch = fleet.next(Math.min(roundsPerWrite, rounds - at))
    await engine.write([{ table, op: 'put', rows: batch.rows, columns: batch.columns }], never)
  }
  await engine.maintain({ kind: 'flush' }, never)
  const { bytes, files } = engine.catalog.statistics(table)
  const rows = hosts * rounds
  console.log(
    `${rows.toLocaleString('en-US')} rows of 10 tags and 10 gauges, ${hosts} hosts, ${files} files of ${(bytes / 1e6).toFixed(1)} MB, written in ${seconds(began)} s`
  )
  await engine.close()
}

async function startPeer(program: string, parent: string, hosts: number, rounds: number): Promise<Influxdb> {
  const folder = join(parent, 'influxdb')
  mkdirSync(folder)
  const peer = await startInfluxdb(program, folder)
  const fleet = createFleet(hosts, rounds)
  const began = performance.now()
  let writing: Promise<void> = Promise.resolve()
  for (let at = 0; at < rounds; at += roundsPerWrite) {
    const lines = fleet.next(Math.min(roundsPerWrite, rounds - at)).lines()
    await writing
    writing = peer.write(lines)
  }
  await writing
  await settle(peer.pid)
  console.log(`influxdb took the same rows and settled in ${seconds(began)} s`)
  return peer
}

/** Waits until a process has done what it does behind its writes. */
async function settle(pid: number): Promise<void> {
  for (let quiet = 0, waited = 0; quiet < 3 && waited < 90; waited++) {
    const before = cpuSeconds(pid)
    await new Promise(resolve => setTimeout(resolve, 1000))
    quiet = cpuSeconds(pid) - before < 0.1 ? quiet + 1 : 0
  }
}

function cpuSeconds(pid: number): number {
  const parts = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return (Number(parts[11]) + Number(parts[12])) / 100
}

function residentMiB(pid: number): number {
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024)
}

export interface Reply {
  readonly milliseconds: number
  /** Milliseconds of processor time of the server. */
  readonly work: number
  readonly rows: number
}

/** Both servers in turns, the same questions, the first ones uncounted; false: we are behind. */
async function compare(
  { name, make }: QuestionKind,
  { runs, warm }: { readonly runs: number; readonly warm: number },
  server: BenchServer,
  peer: Influxdb | undefined
): Promise<boolean> {
  const ours: Reply[] = []
  const theirs: Reply[] = []
  const pids = processTree(server.pid)
  let rows = 0
  for (let i = -warm; i < runs; i++) {
    const { sql, influx } = make(i + warm)
    const own = await timed(pids, () => askWeir(server, sql), countRows)
    const other = peer && (await timed([peer.pid], () => peer.ask(influx), countValues))
    if (other !== undefined && other.rows !== own.rows) {
      throw new Error(`${name}: ${own.rows} rows, influxdb has ${other.rows}\n${sql}\n${influx}`)
    }
    if (i < 0) continue
    rows = own.rows
    ours.push(own)
    if (other) theirs.push(other)
  }
  const ratio =
    median(theirs.map(({ milliseconds }) => milliseconds)) / median(ours.map(({ milliseconds }) => milliseconds))
  const beside = peer ? `   influxdb ${show(theirs)}   ratio ${ratio.toFixed(2)}${ratio < 1 ? '  BEHIND' : ''}` : ''
  console.log(`${name.padEnd(44)} ${String(rows).padStart(7)} rows   ${show(ours)}${beside}`)
  return !(ratio < 1)
}

export async function timed(
  pids: readonly number[],
  ask: () => Promise<string>,
  count: (body: string) => number
): Promise<Reply> {
  const before = processorTime(pids)
  const began = performance.now()
  const body = await ask()
  const milliseconds = performance.now() - began
  return { milliseconds, work: processorTime(pids) - before, rows: count(body) }
}

export async function askWeir({ url }: BenchServer, sql: string): Promise<string> {
  const response = await fetch(`${url}/v1/sql`, { method: 'POST', body: new URLSearchParams({ sql }) })
  const text = await response.text()
  if (!response.ok) throw new Error(`${sql}: ${text.slice(0, 300)}`)
  return text
}

export function countRows(body: string): number {
  return Number(/"total_rows":(\d+)\}\}/.exec(body.slice(-200))?.[1])
}

/** Rows of all series. A minute or hour without rows is a row of nulls there. */
export function countValues(body: string): number {
  const { results } = JSON.parse(body) as { results: { series?: { values: unknown[][] }[] }[] }
  return (results[0]?.series ?? []).reduce(
    (sum, { values }) => sum + values.filter(([, first]) => first !== null).length,
    0
  )
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN
}

function show(replies: readonly Reply[]): string {
  const times = replies.map(({ milliseconds }) => milliseconds)
  const mean = times.reduce((sum, value) => sum + value, 0) / times.length
  const work = median(replies.map(reply => reply.work))
  return `median ${median(times).toFixed(1).padStart(7)} ms  mean ${mean.toFixed(1).padStart(7)} ms  processor ${work.toFixed(1).padStart(6)} ms`
}

function seconds(since: number): string {
  return ((performance.now() - since) / 1000).toFixed(1)
}

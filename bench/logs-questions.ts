// Questions of log lines, asked in SQL and as log queries in several states, beside plain DuckDB over one Parquet file of the same rows.
// With --peers the figures VictoriaLogs would have here.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { writeCorpus } from './corpus.ts'
import { load } from './load-process.ts'
import { createTable, linesBody, pipeline, type Question, questions, table } from './log-questions-corpus.ts'
import { medianTime } from './median.ts'
import { metricCorpus } from './metric-corpus.ts'
import { peerKinds, withPeer } from './peer.ts'
import { whole } from './print.ts'
import { folderMiB, treeMiB } from './process-tree.ts'
import { type BenchServer, freePort, memoryParts, rowsOf, startBenchServer } from './server.ts'

const perBody = 2000
const connections = 4
const runs = 7
/** Lines of a body and milliseconds between two bodies while questions are asked. */
const live = { lines: 500, pause: 100 }
/** What VictoriaLogs was measured beside: samples a second that VictoriaMetrics took by remote write in the same run. */
const reference = 1_830_000

interface Asked {
  readonly sql: number
  readonly logs: number
}

export async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      lines: { type: 'string', default: '3000000,10000000' },
      states: { type: 'string', default: 'fresh,idle,live,flushed,restarted' },
      peers: { type: 'string', default: '' },
      keep: { type: 'boolean', default: false }
    }
  })
  const states = values.states.split(',')
  if (values.peers !== '') await printReference(values.peers)
  for (const lines of values.lines.split(',').map(Number)) {
    const folder = mkdtempSync(join(tmpdir(), 'weir-bench-'))
    try {
      await measure(folder, Math.ceil(lines / perBody) * perBody, states)
    } finally {
      if (values.keep) console.log(folder)
      else rmSync(folder, { recursive: true, force: true })
    }
  }
}

async function measure(folder: string, lines: number, states: readonly string[]): Promise<void> {
  const config = join(folder, 'weir.toml')
  writeFileSync(config, '[logging]\nlevel = "warn"\nappend_stdout = false\n')
  const home = join(folder, 'data')
  let server = await startBenchServer(config, home)
  await fill(server, lines)
  const found = new Map<string, readonly Asked[]>()
  let next = lines
  const ask = async (state: string) => {
    if (states.includes(state)) found.set(state, await askAll(server))
    console.log(`${state.padEnd(10)} resident ${Math.round(treeMiB(server.pid))} MB: ${await memoryParts(server)}`)
  }
  await ask('fresh')
  if (states.includes('idle')) {
    await new Promise(resolve => setTimeout(resolve, 40_000))
    await ask('idle')
  }
  if (states.includes('live')) {
    let isLive = true
    const writing = (async () => {
      for (; isLive; next += live.lines) {
        await send(server, next, live.lines)
        await new Promise(resolve => setTimeout(resolve, live.pause))
      }
    })()
    await ask('live')
    isLive = false
    await writing
  }
  await rowsOf(server, `ADMIN flush_table('${table}')`)
  await rowsOf(server, `ADMIN compact_table('${table}')`)
  await ask('flushed')
  if (states.includes('restarted')) {
    await server.kill('SIGTERM')
    server = await startBenchServer(config, home)
    await ask('restarted')
  }
  const disk = folderMiB(join(home, 'data'))
  await server.kill('SIGTERM')
  const plain = await askPlain(home, join(folder, 'plain.parquet'))
  printTable(lines, found, plain.times)
  console.log(`disk ${Math.round(disk)} MB, one Parquet file ${Math.round(plain.mebibytes)} MB`)
}

async function fill(server: BenchServer, lines: number): Promise<void> {
  await rowsOf(server, createTable)
  const posted = await fetch(`${server.url}/v1/pipelines/${table}`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-yaml' },
    body: pipeline
  })
  if (!posted.ok) throw new Error(await posted.text())
  const started = performance.now()
  const cpu = server.cpuSeconds()
  let next = 0
  const write = async () => {
    while (next < lines) {
      const first = next
      next += perBody
      await send(server, first, perBody)
    }
  }
  await Promise.all(Array.from({ length: connections }, write))
  const seconds = (performance.now() - started) / 1000
  const each = ((server.cpuSeconds() - cpu) / lines) * 1e6
  console.log(
    `${whole(lines)} lines, ${whole(lines / seconds)} lines/s with making them, server CPU ${each.toFixed(2)} µs a line`
  )
}

async function send(server: BenchServer, first: number, lines: number): Promise<void> {
  const url = `${server.url}/v1/ingest?table=${table}&pipeline_name=${table}`
  const headers = { 'content-type': 'application/x-ndjson' }
  const answer = await fetch(url, { method: 'POST', headers, body: new Uint8Array(linesBody(first, lines)) })
  const text = await answer.text()
  if (!answer.ok) throw new Error(text)
}

async function askAll(server: BenchServer): Promise<Asked[]> {
  const asked: Asked[] = []
  for (const { sql, document } of questions()) {
    const bySql = await medianTime(runs, () => post(`${server.url}/v1/sql`, new URLSearchParams({ sql })))
    const byLogs = await medianTime(runs, () => post(`${server.url}/v1/logs`, JSON.stringify({ table, ...document })))
    asked.push({ sql: bySql, logs: byLogs })
  }
  return asked
}

async function post(url: string, body: URLSearchParams | string): Promise<void> {
  const answer = await fetch(url, { method: 'POST', body })
  const text = await answer.text()
  if (!answer.ok) throw new Error(text)
}

/** The same statements, in this process, over the rows of our files in one file. */
async function askPlain(
  home: string,
  path: string
): Promise<{ readonly times: readonly number[]; readonly mebibytes: number }> {
  const instance = await DuckDBInstance.create()
  const connection = await instance.connect()
  const files = readdirSync(join(home, 'data'), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.parquet') && name.includes(`${table}-`))
    .map(name => `'${join(home, 'data', name)}'`)
  mkdirSync(join(path, '..'), { recursive: true })
  await connection.run(
    `COPY (SELECT * EXCLUDE (__group) FROM read_parquet([${files.join(', ')}]) ORDER BY "at") TO '${path}' (FORMAT parquet)`
  )
  const times: number[] = []
  for (const { sql } of questions()) {
    const text = sql.replace(`FROM ${table}`, `FROM '${path}'`)
    times.push(await medianTime(runs, () => readAll(connection, text)))
  }
  connection.closeSync()
  return { times, mebibytes: statSync(path).size / 2 ** 20 }
}

async function readAll(connection: DuckDBConnection, text: string): Promise<void> {
  await connection.runAndReadAll(text)
}

function printTable(lines: number, found: ReadonlyMap<string, readonly Asked[]>, plain: readonly number[]): void {
  const states = [...found.keys()]
  const heads = states.map(state => state.padStart(16)).join('')
  const title = `${whole(lines)} lines, ms: SQL, /v1/logs`
  console.log(`${title.padEnd(44)}${heads}  plain DuckDB  VictoriaLogs, 3,000,000 lines`)
  questions().forEach(({ name, peer }: Question, i) => {
    const cells = states.map(state => {
      const { sql, logs } = found.get(state)![i]!
      return `${sql.toFixed(1)}, ${logs.toFixed(1)}`.padStart(16)
    })
    console.log(
      `  ${name.padEnd(42)}${cells.join('')}${plain[i]!.toFixed(1).padStart(14)}${peer.toFixed(1).padStart(14)}`
    )
  })
}

/** VictoriaLogs is not measured here: its figures are those of a run in July 2025's version, to be scaled by what VictoriaMetrics takes now. */
async function printReference(programs: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'weir-bench-'))
  try {
    const kind = peerKinds.find(({ name }) => name === 'victoria-metrics')!
    const corpus = join(folder, 'remote-write.bin')
    writeCorpus(corpus, metricCorpus({ series: 20_000, rounds: 150, churn: 0, perBody: 2000 }))
    const home = join(folder, kind.name)
    mkdirSync(home)
    const result = await withPeer(kind, programs, home, await freePort(), url => load(url, corpus, connections))
    if (result === undefined) return console.log(`${kind.name} is not in ${programs}`)
    const rate = result.items / result.seconds
    console.log(
      `victoria-metrics ${whole(rate)} samples/s: times of VictoriaLogs are to be multiplied by ${(reference / rate).toFixed(2)}`
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

// Log lines a second, durable, through the whole server: NDJSON through svc_identity, text through dissect and date.
// After the load the server is killed and started again, and the rows are counted by SQL.
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { type Corpus, ndjsonCorpus, readCorpus, textCorpus, writeCorpus } from './corpus.ts'
import type { LoadResult } from './load.ts'
import { type BenchServer, startBenchServer } from './server.ts'

const config = `
[wal]
sync = "always"
[logging]
level = "warn"
append_stdout = false
`

export const accessLog = `
processors:
  - dissect:
      fields: [message]
      patterns:
        - '%{client} %{ident} %{user} [%{time}] "%{method} %{path} %{protocol}" %{status} %{size} "%{referer}" "%{agent}"'
  - date:
      field: time
      formats: ['%d/%b/%Y:%H:%M:%S %z']
transform:
  - fields: [client, method, path, protocol, referer, agent]
    type: string
  - fields: [status, size]
    type: int64
  - field: time
    type: time
    index: timestamp
`

interface Job {
  readonly corpus: Corpus
  readonly file: string
  readonly table: string
  readonly pipeline: string
}

export async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      lines: { type: 'string', default: '1000000' },
      connections: { type: 'string', default: '4' },
      corpus: { type: 'string', multiple: true, default: [] },
      peer: { type: 'string', multiple: true, default: [] },
      'victoria-metrics': { type: 'string' },
      'remote-write': { type: 'string' }
    }
  })
  const folder = mkdtempSync(join(tmpdir(), 'weir-bench-'))
  try {
    const jobs = values.corpus.length > 0 ? values.corpus.map(givenJob) : ownJobs(folder, Number(values.lines))
    const connections = Number(values.connections)
    const rates = await measure(folder, jobs, connections)
    for (const peer of values.peer) await comparePeer(peer, jobs, connections, rates)
    const { 'victoria-metrics': url, 'remote-write': file } = values
    if (url && file) await compareReference(url, file, connections, jobs, rates)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function ownJobs(folder: string, lines: number): Job[] {
  return [ndjsonCorpus(lines), textCorpus(lines)].map(corpus => {
    const file = join(folder, corpus.name)
    writeCorpus(file, corpus)
    return job(corpus, file)
  })
}

function givenJob(file: string): Job {
  return job(readCorpus(file), file)
}

function job(corpus: Corpus, file: string): Job {
  const isText = corpus.headers['Content-Type'] === 'text/plain'
  const table = corpus.name.replace(/\W+/g, '_')
  return { corpus, file, table, pipeline: isText ? 'access_log' : 'svc_identity' }
}

async function measure(folder: string, jobs: readonly Job[], connections: number): Promise<Map<Job, number>> {
  const file = join(folder, 'weir.toml')
  writeFileSync(file, config)
  const data = join(folder, 'data')
  const server = await startBenchServer(file, data)
  const created = await fetch(`${server.url}/v1/pipelines/access_log`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/yaml' },
    body: accessLog
  })
  if (!created.ok) throw new Error(`the pipeline is refused: ${await created.text()}`)
  const rates = new Map<Job, number>()
  for (const each of jobs) rates.set(each, await measureJob(server, each, connections))
  await server.kill('SIGKILL')
  const again = await startBenchServer(file, data)
  for (const each of jobs) await compareCount(again, each)
  await again.kill('SIGTERM')
  return rates
}

async function measureJob(server: BenchServer, job: Job, connections: number): Promise<number> {
  const before = server.cpuSeconds()
  const url = `${server.url}/v1/ingest?table=${job.table}&pipeline_name=${job.pipeline}`
  const result = await load(url, job.file, connections)
  const cpu = server.cpuSeconds() - before
  const rate = result.items / result.seconds
  console.log(
    `${job.table.padEnd(16)} ${job.pipeline.padEnd(14)} ${whole(rate)} lines/s durable   p50 ${result.p50ms} ms   p99 ${result.p99ms} ms   ` +
      `server CPU ${cpu.toFixed(1)} s of ${result.seconds.toFixed(1)} s (${((cpu / result.items) * 1e6).toFixed(2)} µs a line)   RSS ${server.residentMiB()} MiB`
  )
  return rate
}

async function load(url: string, corpus: string, connections: number): Promise<LoadResult> {
  const script = fileURLToPath(new URL('load.ts', import.meta.url))
  const args = [script, '--url', url, '--corpus', corpus, '--connections', String(connections)]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  const result = JSON.parse(stdout) as LoadResult
  if (result.bad > 0) throw new Error(`${result.bad} of ${result.requests} requests failed, first: ${result.firstBad}`)
  return result
}

async function compareCount(server: BenchServer, { table, corpus }: Job): Promise<void> {
  const sql = encodeURIComponent(`SELECT count(*) FROM ${table}`)
  const text = await (await fetch(`${server.url}/v1/sql?format=csv&sql=${sql}`)).text()
  if (Number(text) !== corpus.items) throw new Error(`${table}: ${corpus.items} rows were answered, SQL counts ${text}`)
  console.log(`${table.padEnd(16)} ${whole(corpus.items)} rows after kill and restart, as sent`)
}

/** `NAME=URL`: the same bodies to another server's ingest address. */
async function comparePeer(peer: string, jobs: readonly Job[], connections: number, rates: Map<Job, number>) {
  const [name, url] = [peer.slice(0, peer.indexOf('=')), peer.slice(peer.indexOf('=') + 1)]
  for (const job of jobs) {
    const result = await load(url, job.file, connections)
    const rate = result.items / result.seconds
    const ratio = (rates.get(job)! / rate).toFixed(2)
    console.log(`${job.table.padEnd(16)} ${name.padEnd(14)} ${whole(rate)} lines/s   ratio ${ratio}`)
  }
}

/** One run on two cores: VictoriaMetrics took so many samples by remote write, VictoriaLogs so many NDJSON lines, neither syncing. */
const reference = { samples: 713_000, lines: 156_000 }

/** VictoriaLogs is not measured here: its reference figure is scaled by what VictoriaMetrics does on this machine now. */
async function compareReference(
  url: string,
  file: string,
  connections: number,
  jobs: readonly Job[],
  rates: Map<Job, number>
) {
  const result = await load(url, file, connections)
  const samples = result.items / result.seconds
  const lines = (reference.lines * samples) / reference.samples
  console.log(`victoria-metrics ${'remote write'.padEnd(14)} ${whole(samples)} samples/s`)
  for (const job of jobs.filter(({ pipeline }) => pipeline === 'svc_identity')) {
    console.log(
      `${job.table.padEnd(16)} ratio ${(rates.get(job)! / lines).toFixed(2)} to VictoriaLogs, taken as ${whole(lines).trim()} lines/s here ` +
        `(${reference.lines} scaled by ${(samples / reference.samples).toFixed(2)})`
    )
  }
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en-US').padStart(11)
}

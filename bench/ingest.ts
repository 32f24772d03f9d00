// Log lines a second, durable, through the whole server: NDJSON through svc_identity, text through dissect and date.
// After the load the server is killed and started again, and the rows are counted by SQL.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Corpus, ndjsonCorpus, readCorpus, textCorpus, writeCorpus } from './corpus.ts'
import { load } from './load-process.ts'
import { checkRows, compareReference, measureLines } from './log-lines.ts'
import { wide } from './print.ts'
import { type BenchServer, durable, startBenchServer } from './server.ts'

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
    if (url && file) {
      const lines = jobs.filter(({ pipeline }) => pipeline === 'svc_identity')
      const titled = lines.map(job => [job.table.padEnd(16), rates.get(job)!] as const)
      compareReference(await load(url, file, connections), titled)
    }
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
  writeFileSync(file, durable)
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
  for (const { table, corpus } of jobs) await checkRows(again, table.padEnd(16), table, corpus.items)
  await again.kill('SIGTERM')
  return rates
}

function measureJob(server: BenchServer, job: Job, connections: number): Promise<number> {
  const path = `/v1/ingest?table=${job.table}&pipeline_name=${job.pipeline}`
  return measureLines(server, `${job.table.padEnd(16)} ${job.pipeline.padEnd(14)}`, path, job.file, connections)
}

/** `NAME=URL`: the same bodies to another server's ingest address. */
async function comparePeer(peer: string, jobs: readonly Job[], connections: number, rates: Map<Job, number>) {
  const [name, url] = [peer.slice(0, peer.indexOf('=')), peer.slice(peer.indexOf('=') + 1)]
  for (const job of jobs) {
    const result = await load(url, job.file, connections)
    const rate = result.items / result.seconds
    const ratio = (rates.get(job)! / rate).toFixed(2)
    console.log(`${job.table.padEnd(16)} ${name.padEnd(14)} ${wide(rate)} lines/s   ratio ${ratio}`)
  }
}

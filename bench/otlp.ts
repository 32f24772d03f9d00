// Spans, metric points and log records a second by OTLP, durable, through the whole server; then it is killed and started again, and
// what was answered is counted by SQL.
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { type Corpus, writeCorpus } from './corpus.ts'
import type { LoadResult } from './load.ts'
import { pointCorpus, samplesPerHistogram } from './point-corpus.ts'
import { type BenchServer, startBenchServer } from './server.ts'
import { spanCorpus } from './span-corpus.ts'
import { recordCorpus } from './telemetry-corpus.ts'

const config = `
[wal]
sync = "always"
[logging]
level = "warn"
append_stdout = false
`

interface Part {
  readonly name: string
  readonly signal: 'metrics' | 'traces' | 'logs'
  make(): Corpus
  /** Rows there must be for so many items. */
  rows(items: number): number
  count(server: BenchServer): Promise<number>
}

export async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: 'string', default: 'points,histograms,spans,records' },
      series: { type: 'string', default: '20000' },
      rounds: { type: 'string', default: '100' },
      spans: { type: 'string', default: '500000' },
      records: { type: 'string', default: '1000000' },
      connections: { type: 'string', default: '4' },
      profile: { type: 'string' }
    }
  })
  const number = (key: 'series' | 'rounds' | 'spans' | 'records') => Number(values[key])
  const points = (histograms: number) => () =>
    pointCorpus({ series: number('series'), rounds: number('rounds'), perBody: 2000, histograms })
  const parts: readonly Part[] = [
    { name: 'points', signal: 'metrics', make: points(0), rows: items => items, count: countSamples },
    {
      name: 'histograms',
      signal: 'metrics',
      make: points(0.1),
      rows: items => items * 0.9 + items * 0.1 * samplesPerHistogram,
      count: countSamples
    },
    {
      name: 'spans',
      signal: 'traces',
      make: () => spanCorpus({ spans: number('spans'), perBody: 1000 }),
      rows: items => items,
      count: server => countRows(server, 'telemetry_traces')
    },
    {
      name: 'records',
      signal: 'logs',
      make: () => recordCorpus(number('records')),
      rows: items => items,
      count: server => countRows(server, 'telemetry_logs')
    }
  ]
  const wanted = values.only.split(',')
  for (const part of parts.filter(({ name }) => wanted.includes(name))) {
    await measure(part, Number(values.connections), values.profile)
  }
}

async function measure(part: Part, connections: number, profile: string | undefined): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'weir-bench-'))
  try {
    const corpus = join(folder, 'corpus.bin')
    const { items, bodies } = part.make()
    writeCorpus(corpus, { name: part.name, headers: { 'Content-Type': 'application/x-protobuf' }, items, bodies })
    const bytes = bodies.reduce((sum, body) => sum + body.length, 0) / items
    const file = join(folder, 'weir.toml')
    writeFileSync(file, config)
    const data = join(folder, 'data')
    const env = profile === undefined ? {} : { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${profile}` }
    const server = await startBenchServer(file, data, env)
    const before = server.cpuSeconds()
    const result = await load(`${server.url}/v1/telemetry/v1/${part.signal}`, corpus, connections)
    const cpu = server.cpuSeconds() - before
    const rate = whole(items / result.seconds)
    const each = `CPU ${((cpu / items) * 1e6).toFixed(2)} µs each, ${bytes.toFixed(0)} bytes each`
    console.log(`${part.name.padEnd(10)} ${rate}/s   p50 ${result.p50ms} ms   p99 ${result.p99ms} ms   ${each}`)
    console.log(`${''.padEnd(10)} RSS ${server.residentMiB()} MiB`)
    await server.kill(profile === undefined ? 'SIGKILL' : 'SIGTERM')
    const again = await startBenchServer(file, data)
    const found = await part.count(again)
    if (found !== Math.round(part.rows(items))) {
      throw new Error(`${part.name}: ${items} were answered, SQL counts ${found} rows`)
    }
    console.log(`${''.padEnd(10)} ${whole(found)} rows after kill and restart, as sent`)
    await again.kill('SIGTERM')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function load(url: string, corpus: string, connections: number): Promise<LoadResult> {
  const script = fileURLToPath(new URL('load.ts', import.meta.url))
  const args = [script, '--url', url, '--corpus', corpus, '--connections', String(connections)]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  const result = JSON.parse(stdout) as LoadResult
  if (result.bad > 0) throw new Error(`${result.bad} of ${result.requests} requests failed, first: ${result.firstBad}`)
  return result
}

async function countRows(server: BenchServer, table: string): Promise<number> {
  return Number(await rows(server, `SELECT count(*) FROM "${table}"`))
}

/** All metrics together: every sample is one of another series or time. */
async function countSamples(server: BenchServer): Promise<number> {
  const tables = (await rows(server, 'SHOW TABLES')).filter(name => !name.startsWith('svc_'))
  let found = 0
  for (const table of tables) found += await countRows(server, table)
  return found
}

async function rows(server: BenchServer, sql: string): Promise<string[]> {
  const answer = await fetch(`${server.url}/v1/sql?format=csv&sql=${encodeURIComponent(sql)}`)
  return (await answer.text()).trim().split(/\r?\n/)
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en-US').padStart(11)
}

// Spans, metric points and log records a second by OTLP, durable, through the whole server; then it is killed and started again, and
// what was answered is counted by SQL.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Corpus, writeCorpus } from './corpus.ts'
import { load } from './load-process.ts'
import { pointCorpus, samplesPerHistogram } from './point-corpus.ts'
import { wide } from './print.ts'
import { type BenchServer, countRows, countSamples, durable, startBenchServer } from './server.ts'
import { spanCorpus } from './span-corpus.ts'
import { recordCorpus } from './telemetry-corpus.ts'

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
    writeFileSync(file, durable)
    const data = join(folder, 'data')
    const env = profile === undefined ? {} : { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${profile}` }
    const server = await startBenchServer(file, data, env)
    const before = server.cpuSeconds()
    const result = await load(`${server.url}/v1/telemetry/v1/${part.signal}`, corpus, connections)
    const cpu = server.cpuSeconds() - before
    const rate = wide(items / result.seconds)
    const each = `CPU ${((cpu / items) * 1e6).toFixed(2)} µs each, ${bytes.toFixed(0)} bytes each`
    console.log(`${part.name.padEnd(10)} ${rate}/s   p50 ${result.p50ms} ms   p99 ${result.p99ms} ms   ${each}`)
    console.log(`${''.padEnd(10)} RSS ${server.residentMiB()} MiB`)
    await server.kill(profile === undefined ? 'SIGKILL' : 'SIGTERM')
    const again = await startBenchServer(file, data)
    const found = await part.count(again)
    if (found !== Math.round(part.rows(items))) {
      throw new Error(`${part.name}: ${items} were answered, SQL counts ${found} rows`)
    }
    console.log(`${''.padEnd(10)} ${wide(found)} rows after kill and restart, as sent`)
    await again.kill('SIGTERM')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

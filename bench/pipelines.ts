// Items a second: each processor by itself, three whole pipelines from bytes to columns, and access-log lines into a real server.
// npm run bench -- pipelines [--seconds 1] [--only NAME] [--durable LINES]
import { parseArgs } from 'node:util'
import { decodeItems } from '../core/index.ts'
import { compilePipeline } from '../plugins/pipelines/document/compile.ts'
import type { Identity, Pipeline } from '../plugins/pipelines/pipeline.ts'
import { runPipeline } from '../plugins/pipelines/run/run.ts'
import { processors } from '../plugins/processors.ts'
import { type Corpus, ndjsonCorpus, syslogCorpus, textCorpus } from './corpus.ts'
import { accessLog, main as ingest } from './ingest.ts'

const kinds = new Map(processors.map(kind => [kind.kind, kind]))
const itemsPerBatch = 1000

/** What one processor is given; `#` in the item stands for the item's number. */
interface Sample {
  readonly name: string
  readonly entry: string
  readonly item: string
}

const samples: readonly Sample[] = [
  {
    name: 'dissect, 5 fields',
    entry: 'dissect: { field: m, pattern: "%{a} %{b} %{c} [%{d}] %{e}" }',
    item: '{"m":"GET /cart/# 200 [deploy] took #3 ms"}'
  },
  {
    name: 'regex, 3 groups',
    entry: "regex: { field: m, pattern: '^(?<verb>[A-Z]+) (?<path>\\S+) (?<status>\\d+)' }",
    item: '{"m":"GET /cart/# 200 took #3 ms"}'
  },
  {
    name: 'date',
    entry: 'date: { field: at, formats: ["%d/%b/%Y:%H:%M:%S %z"] }',
    item: '{"at":"04/Mar/2025:05:06:# +0100"}'
  },
  { name: 'epoch', entry: 'epoch: { field: at }', item: '{"at":1741064767#}' },
  {
    name: 'csv, 4 columns',
    entry: 'csv: { field: row, target_fields: "a,b,c,d" }',
    item: '{"row":"#,\\"Bo, Jr\\",3.5,ok"}'
  },
  {
    name: 'json_parse',
    entry: 'json_parse: { field: "raw, doc" }',
    item: '{"raw":"{\\"user\\":{\\"id\\":#},\\"ok\\":true,\\"tags\\":[\\"a\\",\\"b\\"]}"}'
  },
  {
    name: 'json_path',
    entry: 'json_path: { field: "o, id", json_path: "$.items[?(@.ok)].id", result_index: 0 }',
    item: '{"o":{"items":[{"id":1},{"id":#,"ok":true}]}}'
  },
  {
    name: 'simple_extract',
    entry: 'simple_extract: { field: "o, city", key: addr.city }',
    item: '{"o":{"addr":{"city":"Rome #"}}}'
  },
  { name: 'letter', entry: 'letter: { field: level, method: upper }', item: '{"level":"warning"}' },
  {
    name: 'gsub',
    entry: `gsub: { field: card, pattern: '\\d{4}-', replacement: "****-" }`,
    item: '{"card":"1234-5678-9012-#"}'
  },
  { name: 'join', entry: 'join: { field: tags, separator: "|" }', item: '{"tags":["a",#,true]}' },
  { name: 'urlencoding', entry: 'urlencoding: { field: q }', item: '{"q":"name%3D%22x%20#%22%26b"}' },
  { name: 'cmcd', entry: 'cmcd: { field: "c, m" }', item: '{"c":"br=900,bl=#,su,ot=v,sid=\\"6e2fb550\\""}' },
  {
    name: 'digest, all presets',
    entry: 'digest: { field: m, presets: [uuid, ip, quoted, bracketed, numbers] }',
    item: '{"m":"user \\"eva\\" from 10.1.2.# took 45 ms (ok)"}'
  },
  { name: 'decolorize', entry: 'decolorize: { field: m }', item: '{"m":"\\u001b[31mfail\\u001b[0m of #"}' },
  { name: 'select', entry: 'select: { fields: [a, "b, c"] }', item: '{"a":#,"b":"x","d":true}' },
  { name: 'filter', entry: 'filter: { field: level, targets: [debug, trace] }', item: '{"level":"info"}' }
]

const syslog = `
processors:
  - regex: { field: "message, s", pattern: '^<(?<pri>\\d+)>1 (?<time>\\S+) (?<host>\\S+) (?<app>\\S+) (?<pid>\\S+) \\S+ \\S+ (?<text>.*)$' }
  - date: { field: "s_time, time", formats: ['%Y-%m-%dT%H:%M:%S%.3fZ'] }
  - filter: { field: s_app, targets: [cron] }
transform:
  - { field: time, type: 'time, ms', index: timestamp }
  - { fields: [s_pri, s_pid], type: int32 }
  - { fields: [s_host, s_app, s_text], type: string }
`

export async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      seconds: { type: 'string', default: '1' },
      only: { type: 'string', default: '' },
      durable: { type: 'string', default: '300000' }
    }
  })
  const seconds = Number(values.seconds)
  const wanted = (name: string) => name.includes(values.only)
  for (const sample of samples) if (wanted(sample.name)) measureProcessor(sample, seconds)
  const identity: Identity = { kind: 'identity', maxNestedLevels: 10, lenientTime: false }
  const whole: [string, Pipeline | Identity, Corpus][] = [
    ['access log: dissect + date + transform', compilePipeline(accessLog, kinds), textCorpus(20_000)],
    ['JSON logs: identity', identity, ndjsonCorpus(20_000)],
    ['syslog: regex + date + filter', compileKnown(syslog) ?? identity, syslogCorpus(20_000)]
  ]
  for (const [name, pipeline, corpus] of whole) if (wanted(name)) measurePipeline(name, pipeline, corpus, seconds)
  if (values.only === '' && Number(values.durable) > 0) await ingest(['--lines', values.durable])
}

function compileKnown(yaml: string): Pipeline | undefined {
  try {
    return compilePipeline(yaml, kinds)
  } catch (error) {
    console.log(String(error))
    return undefined
  }
}

/** Only the processor counts, not the decoding of the items it is given. */
function measureProcessor({ name, entry, item }: Sample, seconds: number): void {
  const pipeline = compileKnown(`processors: [{ ${entry} }]\ntransform: [{ field: x, type: string }]`)
  if (pipeline === undefined) return
  const lines = Array.from({ length: itemsPerBatch }, (_, i) => item.replaceAll('#', String(10 + (i % 50))))
  const body = Buffer.from(lines.join('\n'))
  const step = pipeline.processors[0]!
  let items = 0
  let took = 0
  for (let round = 0; took < seconds * 1000; round++) {
    const batch = decodeItems(body, 'application/x-ndjson')
    const start = performance.now()
    step.apply(batch)
    const elapsed = performance.now() - start
    if (batch.failures.length > 0) throw new Error(`${name}: ${batch.failures[0]!.message}`)
    if (round < 50) continue
    took += elapsed
    items += batch.rows
  }
  report(name, items, took)
}

function measurePipeline(
  name: string,
  pipeline: Pipeline | Identity,
  { bodies, headers }: Corpus,
  seconds: number
): void {
  const type = headers['Content-Type']!
  const run = (body: Buffer): number => {
    const batch = decodeItems(body, type)
    const { rows } = batch
    runPipeline(pipeline, batch, {
      table: 't',
      skipError: false,
      ignoreErrors: false,
      now: 1_741_064_767_000_000_008n,
      variablesFromInput: false,
      maxDispatchDepth: 8,
      maxGroups: 1000,
      columns: { max: 2000, key: 'limits.max_columns' },
      options: {},
      pipeline: () => pipeline,
      existing: () => undefined
    })
    return rows
  }
  for (const body of bodies) run(body)
  let items = 0
  const start = performance.now()
  for (let i = 0; performance.now() - start < seconds * 1000; i = (i + 1) % bodies.length) items += run(bodies[i]!)
  report(name, items, performance.now() - start)
}

function report(name: string, items: number, milliseconds: number): void {
  const rate = Math.round((items / milliseconds) * 1000).toLocaleString('en-US')
  const each = ((milliseconds / items) * 1e6).toFixed(0)
  console.log(`${name.padEnd(40)} ${rate.padStart(12)} items/s ${each.padStart(7)} ns an item`)
}

// Pipelines in threads: the same results as on the main thread, and a time limit.
import t, { type Test } from 'tap'
import { Type } from 'typebox'
import { definePlugin, type Item, ItemBatch, internalContext, runAtOnce, Timestamp } from '../../../core/index.ts'
import { packItems, unpackItems } from '../../../plugins/pipelines/thread/items.ts'
import { areLight, isLight } from '../../../plugins/pipelines/weight.ts'
import { askSql, startServer } from '../../helpers.ts'
import { pipelinesProbe } from './probe.ts'
import { show } from './sample-run.ts'

const yaml = { 'content-type': 'application/yaml' }

/** A script that works for about as many milliseconds as it is told. */
const busy = `processors:
  - vrl:
      source: |
        n = 0
        for_each(array(.list) ?? []) -> |_, a| { for_each(array(.list) ?? []) -> |_, b| { n = n + 1; . = . } }
        .n = n
        .
  - epoch: { field: ts, resolution: ms }
transform:
  - { field: ts, type: 'timestamp, ms', index: timestamp }
  - { field: n, type: int64 }
`
const item = (size: number, ts = 1) => ({ ts, list: Array.from({ length: size }, (_, i) => i) })

async function serve(t: Test, toml = '', plugins: Parameters<typeof startServer>[2] = {}) {
  const server = await startServer(t, toml, plugins)
  const { main, core } = server
  const create = async (name: string, payload: string) => {
    const answer = await main.inject({ method: 'POST', url: `/v1/pipelines/${name}`, headers: yaml, payload })
    if (answer.statusCode !== 200) throw new Error(answer.body)
  }
  const ingest = (name: string, items: unknown, headers = {}) =>
    main.inject({
      method: 'POST',
      url: `/v1/ingest?table=t&pipeline_name=${name}`,
      headers: { 'content-type': 'application/json', ...headers },
      payload: JSON.stringify(items)
    })
  const dryRun = (payload: object, headers = {}) =>
    main.inject({ method: 'POST', url: '/v1/pipelines/_dryrun', headers, payload })
  const ended = async (use: string, result: string) => {
    const samples = await core.metrics.samples()
    const found = samples.find(
      ({ name, labels }) =>
        name === 'svc_pipeline_thread_work_total' && labels['use'] === use && labels['result'] === result
    )
    return found?.value
  }
  return { ...server, create, ingest, dryRun, ended }
}

const slow = { toml: '[plugins.vrl]\nmax_time = "60s"\nmax_request_time = "60s"\n[plugins.pipelines]\n' }

t.test('a dry run has a budget of processor time, which ends it and nothing else', async t => {
  const { dryRun, ended } = await serve(t, `${slow.toml}dry_run_max_time = "300ms"`)
  const long = await dryRun({ pipeline: busy, data: [item(20_000)] })
  t.match([long.statusCode, long.body], [400, /dry_run_max_time = .*300ms/])
  t.equal(await ended('dry_run', 'over_budget'), 1)
  const short = await dryRun({ pipeline: busy, data: [item(3)] })
  t.match([short.statusCode, short.body], [200, /"value":9/])
  t.equal(await ended('dry_run', 'done'), 1)
})

t.test('so have the pipelines of requests; what is over budget writes nothing', async t => {
  const { create, ingest, ended, main } = await serve(t, `${slow.toml}max_request_time = "300ms"`)
  await create('busy', busy)
  t.equal((await ingest('busy', [item(2)])).statusCode, 200)
  const long = await ingest('busy', [item(2, 5), item(20_000, 6)])
  t.match([long.statusCode, long.body], [400, /max_request_time = .*300ms/])
  t.equal(await ended('run', 'over_budget'), 1)
  t.strictSame(await askSql({ main }, 'SELECT count(*) FROM t'), [[1]])
  t.equal((await ingest('busy', [item(4, 7)])).statusCode, 200)
})

t.test('a request that ends takes its work with it, also while it waits', async t => {
  const { create, ingest, ended } = await serve(t, `${slow.toml}threads = 1`)
  await create('busy', busy)
  const timeout = { 'x-svc-timeout': '300ms' }
  const both = await Promise.all([ingest('busy', [item(20_000)], timeout), ingest('busy', [item(20_000)], timeout)])
  t.strictSame(
    both.map(({ statusCode }) => statusCode),
    [408, 408]
  )
  t.equal((await ingest('busy', [item(4)])).statusCode, 200)
  t.equal(await ended('run', 'cancelled'), 2)
})

t.test('users take turns', async t => {
  const users = 'user_provider = "static_user_provider:cmd:a=a,b=b"\n'
  const { main } = await serve(t, `${users}${slow.toml}threads = 1`)
  const order: string[] = []
  const auth = (user: string) => ({ authorization: `Basic ${Buffer.from(`${user}:${user}`).toString('base64')}` })
  const made = await main.inject({
    method: 'POST',
    url: '/v1/pipelines/busy',
    headers: { ...yaml, ...auth('a') },
    payload: busy
  })
  t.equal(made.statusCode, 200)
  const send = async (user: string) => {
    const headers = { 'content-type': 'application/json', ...auth(user) }
    const payload = JSON.stringify([item(300)])
    const { statusCode } = await main.inject({
      method: 'POST',
      url: '/v1/ingest?table=t&pipeline_name=busy',
      headers,
      payload
    })
    t.equal(statusCode, 200)
    order.push(user)
  }
  await Promise.all([...['a', 'a', 'a', 'a', 'a', 'a'].map(send), send('b')])
  t.ok(order.indexOf('b') < 4, order.join())
})

t.test('large bodies give what small ones give, rows and errors alike', async t => {
  const { ingest, main } = await serve(t)
  const items = Array.from({ length: 20_000 }, (_, i) => ({
    n: i,
    text: `line ${i}`,
    deep: { 'a b': [i, null], at: `${i}` }
  }))
  const answer = await ingest('svc_identity', items)
  t.match([answer.statusCode, answer.body], [200, /20000/])
  const [[rows, sum, text]] = (await askSql({ main }, 'SELECT count(*), sum(n), max("deep.at") FROM t')) as [
    [number, number, string]
  ]
  t.strictSame([rows, Number(sum), text], [20_000, 199_990_000, '9999'])
  const wrong = await main.inject({
    method: 'POST',
    url: '/v1/ingest?table=t&pipeline_name=svc_identity',
    headers: { 'content-type': 'application/x-ndjson' },
    payload: `${'{"n":1}\n'.repeat(60_000)}nothing\n`
  })
  t.match([wrong.statusCode, wrong.body], [400, /60000/])
})

t.test('items of a protocol keep every kind of value on their way', async t => {
  const items: Item[] = [
    {
      a: null,
      b: true,
      c: 1n,
      d: 1.5,
      e: 'ä',
      f: new Timestamp(5n),
      g: [1n, { __proto__: null, x: new Timestamp(7n) } as never]
    },
    { a: 'other', h: { ['__proto__']: 'own', constructor: null } as never }
  ]
  const batch = ItemBatch.from(items)
  batch.rows = 2
  batch.fail(1, 'wrong')
  const { items: packed, moved } = runAtOnce(packItems(ItemBatch.from(items)))
  const back = unpackItems(structuredClone(packed, { transfer: [...moved] }))
  t.strictSame([back.item(0), back.item(1)], [ItemBatch.from(items).item(0), ItemBatch.from(items).item(1)])
  t.equal(Object.getPrototypeOf(back.item(1)['h']), null)
  t.ok((back.item(0)['g'] as unknown[])[1] !== undefined)
  const field = back.getOrCreateField('new')
  back.set(field, 1, 'text behind what moved')
  t.equal(back.get(field, 1), 'text behind what moved')

  const probe = pipelinesProbe()
  const { core, create } = await serve(t, '', { plugins: [probe.plugin] })
  await create(
    'script',
    "processors:\n  - vrl: { source: '.seen = .g[1].x; .ts = now(); .' }\n  - epoch: { field: ts, resolution: ns }\n"
  )
  const result = await probe
    .service()
    .run(internalContext(core, 'probe'), 'script', ItemBatch.from(items.slice(0, 1)), {
      table: 't'
    })
  t.match(show(result.writes[0]!).columns.join(), /seen/)
})

t.test('items go to threads a few values at a time, and if they nest many values they go there at all', async t => {
  const nested = (values: number) => ({ ts: 1, list: Array.from({ length: values - 1 }, () => ({})) })
  const items = Array.from({ length: 6 }, (_, i) => (i % 2 === 0 ? nested(5000) : { ts: i }))
  const steps = [...packItems(ItemBatch.from(items))]
  t.equal(steps.length, 7, 'a value of thousands takes several steps')
  const many = ItemBatch.from([
    { map: Object.fromEntries(Array.from({ length: 30_000 }, (_, i) => [`k${i}`, { v: i }])) }
  ])
  t.equal([...packItems(many)].length, 58, 'an object of many members, too')
  const texts = ItemBatch.from([{ list: Array.from({ length: 40 }, () => 'x'.repeat(1 << 17)) }])
  t.equal([...packItems(texts)].length, 20, 'long texts are few in one step')
  const { items: packed } = runAtOnce(packItems(ItemBatch.from(items)))
  const back = unpackItems(packed)
  t.same(
    items.map((_, row) =>
      JSON.stringify(back.item(row), (_, value) => (typeof value === 'bigint' ? Number(value) : value))
    ),
    items.map(each => JSON.stringify(each))
  )
  t.ok(areLight(ItemBatch.from([nested(5000), nested(5000)])))
  t.notOk(areLight(ItemBatch.from([nested(5000), nested(5001)])))
  let deep: Item = { ts: 1 }
  for (let i = 0; i < 10_000; i++) deep = { deep }
  t.notOk(areLight(ItemBatch.from([deep])))
})

t.test('a pipeline whose regular expressions take long to compile is compiled in a thread', async t => {
  const time = '  - epoch: { field: ts, resolution: ms }\n'
  const light = (processors: string, rest = '') =>
    isLight({ name: 'p', created: 0n, yaml: `${rest}processors:\n${processors}${time}` }, 20, [])
  const regex = (patterns: string) => `  - regex: { field: m, patterns: [${patterns}] }\n`
  t.equal(light(regex("'^(?<a>[a-z]+) (?<b>\\d{1,3})$'")), true)
  t.equal(light('  - join: { field: m, separator: x }\n'.repeat(100)), true)
  const steps = `'(?<x>${'a{1000}'.repeat(4)})'`
  const kinds = {
    'counted repetitions': regex(Array(5).fill(steps).join()),
    escaped: regex(
      Array(5)
        .fill(`"(?<x>${'a\\x7b1000}'.repeat(4)})"`)
        .join()
    ),
    'classes of Unicode': regex(`'(?<x>${'\\pL'.repeat(200)})'`),
    many: regex(Array(80).fill("'(?<a>b)'").join()),
    presets: `  - digest: { field: m, presets: [${Array(80).fill('ip').join()}] }\n`,
    'paths with filters': "  - json_path: { field: m, json_path: '$[?(@.a=~/b/)]' }\n"
  }
  for (const [name, processors] of Object.entries(kinds)) t.equal(light(processors), false, name)
  t.equal(light(regex(Array(5).fill('*a').join()), `a: &a ${steps}\n`), false, 'aliases')
  t.equal(light('  - { [\n'), false, 'no YAML')
  t.end()
})

t.test('a processor of another plugin runs in the threads, and tells its plugin what it sends', async t => {
  const told: unknown[] = []
  const mark = definePlugin({
    name: 'mark',
    prefix: '/v1/mark',
    servers: ['main'],
    config: Type.Object({}),
    needs: ['pipelines'],
    async setup(_core, _config, { pipelines }) {
      await pipelines.addProcessor({
        module: new URL('./processors/mark.ts', import.meta.url),
        settings: 'yes',
        onMessage: message => told.push(message)
      })
    }
  })
  const { create, ingest, dryRun, main } = await serve(t, '', { plugins: [mark] })
  const document =
    "processors:\n  - mark: {}\n  - vrl: { source: '.ts = 1; .' }\n  - epoch: { field: ts, resolution: ms }\n"
  await create('marks', document)
  t.equal((await ingest('marks', [{ a: 1 }])).statusCode, 200)
  t.strictSame(told, [{ rows: 1 }])
  t.strictSame(await askSql({ main }, 'SELECT marked FROM t'), [['yes']])
  t.match((await dryRun({ pipeline: document, data: [{ a: 1 }] })).body, /"yes"/)
  const { body } = await main.inject('/metrics')
  t.match(body, /svc_pipeline_thread_work_total\{use="run",result="done"\} 1/, 'it ran in a thread, small as it was')
})

t.test('a text that replacing makes too long fails its item', async t => {
  const { dryRun } = await serve(t, '[plugins.pipelines]\nmax_text_length = 1000')
  const pipeline = `processors:\n  - gsub: { field: m, pattern: 'a', replacement: '${'x'.repeat(100)}' }\n  - epoch: { field: ts, resolution: ms }\n`
  t.match((await dryRun({ pipeline, data: [{ ts: 1, m: 'a'.repeat(9) }] })).statusCode, 200)
  t.match((await dryRun({ pipeline, data: [{ ts: 1, m: 'a'.repeat(11) }] })).body, /more than 1000 characters/)
})

// The pipelines service as other plugins use it: with items of their own and headers of requests.

import t, { type Test } from 'tap'
import {
  type Item,
  ItemBatch,
  internalContext,
  isDbError,
  type RequestContext,
  Timestamp
} from '../../../core/index.ts'
import type { PipelineResult, PipelineRunOptions } from '../../../plugins/services.ts'
import { startServer } from '../../helpers.ts'
import { pipelinesProbe } from './probe.ts'
import { show } from './sample-run.ts'

async function serve(t: Test) {
  const probe = pipelinesProbe()
  const { addresses, core } = await startServer(t, '', { plugins: [probe.plugin] })
  const ctx: RequestContext = internalContext(core, 'probe')
  const create = async (name: string, yaml: string) => {
    const headers = { 'content-type': 'text/yaml' }
    const answer = await fetch(`${addresses.main}/v1/pipelines/${name}`, { method: 'POST', headers, body: yaml })
    if (!answer.ok) throw new Error(await answer.text())
  }
  const run = (name: string, items: readonly Item[] | ItemBatch, options: Partial<PipelineRunOptions> = {}) => {
    const batch = items instanceof ItemBatch ? items : ItemBatch.from(items)
    return probe.service().run(ctx, name, batch, { table: 't', ...options })
  }
  return { service: probe.service(), core, ctx, create, run }
}

const shown = ({ writes }: PipelineResult) => writes.map(show)

/** What a log push protocol hands over. */
const pushed = (): Item[] => [
  {
    svc_timestamp: new Timestamp(1_700_000_000_123_456_789n),
    logpush_line: 'GET /a 200',
    logpush_label_app: 'api',
    logpush_metadata_id: '9'
  },
  { svc_timestamp: new Timestamp(1_700_000_001_000_000_000n), logpush_line: 'GET /b 404', logpush_label_app: 'web' }
]

t.test('items with a time of their own keep it through the identity pipeline and through others', async t => {
  const { create, run } = await serve(t)
  const identity = await run('svc_identity', pushed(), { customTimeIndex: 'svc_timestamp;epoch;ns' })
  t.same(shown(identity)[0]?.columns, [
    'svc_timestamp TimestampNanosecond timestamp',
    'logpush_label_app String',
    'logpush_line String',
    'logpush_metadata_id String'
  ])
  t.equal(shown(identity)[0]?.rows[0]?.['svc_timestamp'], 1_700_000_000_123_456_789n)

  await create(
    'auto',
    'processors:\n  - epoch: { field: svc_timestamp }\n  - dissect: { field: logpush_line, pattern: "%{verb} %{path} %{status}" }'
  )
  const auto = shown(await run('auto', pushed()))[0]
  t.match(auto?.columns, ['svc_timestamp TimestampMillisecond timestamp', 'logpush_label_app String'])
  t.match(auto?.rows, [{ svc_timestamp: 1_700_000_000_123n, status: '200' }, { path: '/b' }])

  await create(
    'listed',
    'transform:\n  - { field: svc_timestamp, type: "time, us", index: timestamp }\n  - { field: logpush_label_app, type: string, tag: true }'
  )
  t.same(shown(await run('listed', pushed()))[0]?.rows[1], {
    svc_timestamp: 1_700_000_001_000_000n,
    logpush_label_app: 'web'
  })
})

t.test('nested attributes, bodies of any type and several tables of one request', async t => {
  const { run, core, ctx } = await serve(t)
  const record: Item = {
    Timestamp: new Timestamp(5n),
    Body: { msg: 'hi', list: [1n, 2.5] },
    ResourceAttributes: { 'service.name': 'api', deep: { a: { b: true } } },
    SeverityNumber: 9n
  }
  const [write] = shown(
    await run('svc_identity', [record], { customTimeIndex: 'Timestamp;epoch;ns', maxNestedLevels: 3 })
  )
  t.match(write?.rows[0], {
    Timestamp: 5n,
    'Body.msg': 'hi',
    'Body.list': '[1,2.5]',
    'ResourceAttributes.service.name': 'api',
    'ResourceAttributes.deep.a': '{"b":true}',
    SeverityNumber: 9n
  })
  const parts = [
    await run('svc_identity', [{ a: 1n }], { table: 'x' }),
    await run('svc_identity', [{ a: 2n }], { table: 'y' })
  ]
  const { perWrite } = await core.store.write(
    ctx,
    parts.flatMap(({ writes }) => writes)
  )
  t.same(perWrite, [1, 1])
})

t.test('items that failed before the run, and their places in the request, are reported with the others', async t => {
  const { create, run, core } = await serve(t)
  await create('num', 'processors: [{ epoch: { field: n } }]')
  const make = () => {
    const items = ItemBatch.from([{ n: 1n }, { n: 'x' }, {}])
    items.positions = Uint32Array.of(10, 20, 30)
    items.fail(2, 'no such thing')
    return items
  }
  await t.rejects(run('num', make()), { message: 'item 30: no such thing' })
  await t.rejects(run('num', make(), { ignoreErrors: true }), {
    message: /^item 20: Processor epoch: not an integer: "x" in n \(processors\[0\] \(line 1\)\)$/
  })
  const { skipped, writes } = await run('num', make(), { skipError: true })
  t.match(skipped, { count: 2, errors: [{ index: 20 }, { index: 30, message: 'no such thing' }] })
  t.equal(writes[0]?.rows, 1)
  const metrics = await core.metrics.expose()
  t.match(metrics, 'svc_items_skipped_total{plugin="probe",reason="decode"} 1')
  t.match(metrics, 'svc_items_skipped_total{plugin="probe",reason="pipeline"} 1')
})

t.test('a pipeline that leads on to one that is not there fails the request, whatever may be skipped', async t => {
  const { create, run } = await serve(t)
  await create(
    'lost',
    'dispatcher:\n  field: k\n  rules:\n    - { value: a, table_suffix: _a, pipeline: gone }\ntransform: [{ field: k, type: string }]'
  )
  t.equal((await run('lost', [{ k: 'b' }])).writes.length, 1)
  const error: unknown = await run('lost', [{ k: 'a' }], { skipError: true }).catch(cause => cause)
  t.ok(isDbError(error))
  t.match(error, { message: 'Pipeline not found, name: gone, version: latest (dispatcher.rules[0] (line 4))' })
})

t.test('headers say which pipeline, which version and how', async t => {
  const { service } = await serve(t)
  t.same(service.readHeaders({}), {})
  t.same(
    service.readHeaders({
      'x-svc-log-pipeline-name': 'old',
      'x-svc-pipeline-name': ' new ',
      'x-svc-log-pipeline-version': 'v',
      'x-svc-pipeline-params': 'skip_error=YES&max_nested_levels=3&other=1'
    }),
    { name: 'new', version: 'v', skipError: true, maxNestedLevels: 3 }
  )
  t.same(service.readHeaders({ 'x-svc-pipeline-name': ' ', 'x-svc-log-pipeline-name': 'old' }), { name: 'old' })
  t.same(service.readHeaders({ 'x-svc-pipeline-params': 'skip_error=maybe&max_nested_levels=-1' }), {
    skipError: false
  })
})

import t from 'tap'
import { attributes, double, exportRequest, fixed64, inner, message, text, uint } from '../proto.ts'
import { serve } from '../serve.ts'
import { base, exemplar, exponential, gauge, histogram, second, sum, summary } from './messages.ts'

const shop = { 'service.name': 'shop', 'service.version': '2' }
const ms = Number(base / 1_000_000n)

const served = serve(t)
const fresh = async () => (await served).fresh()

t.test('a sum goes to a table named by its words, its unit and what it is', async t => {
  const { send, sql } = await fresh()
  const point = { value: 1.5, attributes: { 'user.id': 'u1' } }
  const metric = sum({ name: 'claude_code.cost.usage', unit: 'USD' }, [point], { temporality: 1 })
  t.same(await send('metrics', exportRequest([{ resource: shop, items: [metric] }])), { rejected: 0, message: '' })
  const columns = await sql('DESC TABLE "claude_code_cost_usage_USD_total"')
  t.same(
    columns.map((row: string[]) => row[0]),
    ['job', 'service_name', 'service_version', 'svc_timestamp', 'svc_value', 'user_id']
  )
  t.same(await sql('SELECT * FROM "claude_code_cost_usage_USD_total"'), [['shop', 'shop', '2', ms, 1.5, 'u1']])
})

t.test('integers, doubles and every bit of a number arrive', async t => {
  const { send, sql } = await fresh()
  const values = [1n, -5n, 9007199254740993n, 0.1, -0, Number.POSITIVE_INFINITY]
  const points = values.map((value, i) => ({ value, time: base + BigInt(i) * second }))
  await send('metrics', exportRequest([{ items: [gauge({ name: 'g' }, points)] }]))
  const rows = await sql('SELECT CAST(svc_value AS VARCHAR) FROM g ORDER BY svc_timestamp')
  t.same(rows.flat(), ['1.0', '-5.0', '9007199254740992.0', '0.1', '-0.0', 'inf'])
  t.same(await sql('SELECT svc_timestamp FROM g ORDER BY svc_timestamp LIMIT 2'), [[ms], [ms + 1000]])
})

t.test('a histogram becomes buckets, a sum and a count', async t => {
  const { send, sql } = await fresh()
  const point = { count: 6, sum: 12.5, counts: [1, 2, 3], bounds: [0.005, 10], attributes: { path: '/' } }
  await send('metrics', exportRequest([{ items: [histogram({ name: 'http.duration', unit: 's' }, [point])] }]))
  const buckets = 'SELECT le, path, svc_value FROM http_duration_seconds_bucket ORDER BY svc_value'
  t.same(await sql(buckets), [
    ['0.005', '/', 1],
    ['10', '/', 3],
    ['+Inf', '/', 6]
  ])
  t.same(await sql('SELECT svc_value FROM http_duration_seconds_sum'), [[12.5]])
  t.same(await sql('SELECT svc_value FROM http_duration_seconds_count'), [[6]])
})

t.test('a histogram without buckets has a sum and a count; without a sum only the rest', async t => {
  const { send, sql } = await fresh()
  const items = [
    histogram({ name: 'bare' }, [{ count: 4, sum: 2, counts: [], bounds: [] }]),
    histogram({ name: 'nosum' }, [{ count: 4, counts: [4], bounds: [] }])
  ]
  t.same(await send('metrics', exportRequest([{ items }])), { rejected: 0, message: '' })
  t.same(await sql('SELECT svc_value FROM bare_count'), [[4]])
  t.same(await sql('SELECT le, svc_value FROM nosum_bucket'), [['+Inf', 4]])
  const tables = (await sql('SHOW TABLES')).flat()
  t.notOk(tables.includes('bare_bucket'))
  t.notOk(tables.includes('nosum_sum'))
})

t.test('histograms of other bounds keep theirs', async t => {
  const { send, sql } = await fresh()
  const point = (bounds: number[], i: number) => ({ count: 2, counts: [1, 1], bounds, time: base + BigInt(i) * second })
  const items = [histogram({ name: 'h' }, [point([1], 0), point([2], 1), point([1], 2)])]
  await send('metrics', exportRequest([{ items }]))
  t.same(await sql('SELECT le, count(*) FROM h_bucket GROUP BY le ORDER BY le'), [
    ['+Inf', 3],
    ['1', 2],
    ['2', 1]
  ])
})

t.test('a summary becomes quantiles, a sum and a count', async t => {
  const { send, sql } = await fresh()
  const point = {
    count: 3,
    sum: 6,
    quantiles: [
      [0.5, 1],
      [0.99, 3]
    ] as const
  }
  await send('metrics', exportRequest([{ items: [summary({ name: 'rpc' }, [point])] }]))
  t.same(await sql('SELECT quantile, svc_value FROM rpc ORDER BY quantile'), [
    ['0.5', 1],
    ['0.99', 3]
  ])
  t.same(await sql('SELECT svc_value FROM rpc_sum'), [[6]])
  t.same(await sql('SELECT svc_value FROM rpc_count'), [[3]])
})

t.test('an exponential histogram is a native one that PromQL can ask', async t => {
  const { send, sql, promql } = await fresh()
  const point = {
    ...{ count: 12, sum: 40, scale: 1, zeroCount: 2, zeroThreshold: 0.001 },
    positive: { offset: -2, counts: [0, 3, 0, 5] },
    negative: { offset: 4, counts: [2] }
  }
  t.same(await send('metrics', exportRequest([{ items: [exponential({ name: 'e', unit: 's' }, [point])] }])), {
    rejected: 0,
    message: ''
  })
  const [[stored]] = await sql('SELECT svc_native_histogram FROM e_seconds')
  t.match(typeof stored === 'string' ? JSON.parse(stored) : stored, {
    schema: 1,
    zero_threshold: 0.001,
    sum: 40,
    positive_span_offsets: [0],
    positive_span_lengths: [3],
    positive_buckets_i64: [3, 0, 5],
    negative_span_offsets: [5],
    negative_buckets_i64: [2],
    zero_count_i64: 2,
    count_i64: 12
  })
  const ask = async (query: string) => (await promql(query, ms / 1000))[0].value[1]
  t.equal(await ask('histogram_count(e_seconds)'), '12')
  t.equal(await ask('histogram_sum(e_seconds)'), '40')
})

t.test('buckets finer than a native histogram may have are put together, coarser ones refused', async t => {
  const { send, sql } = await fresh()
  const fine = { count: 7, sum: 1, scale: 10, positive: { offset: 2, counts: [1, 2, 4] } }
  const coarse = { count: 1, sum: 1, scale: -5, positive: { offset: 0, counts: [1] } }
  const taken = await send('metrics', exportRequest([{ items: [exponential({ name: 'e' }, [fine, coarse])] }]))
  t.equal(taken.rejected, 1)
  t.match(taken.message, /metric e: a point has the scale -5/)
  const [[stored]] = await sql('SELECT svc_native_histogram FROM e')
  t.match(typeof stored === 'string' ? JSON.parse(stored) : stored, {
    schema: 8,
    positive_span_offsets: [1],
    positive_buckets_i64: [3, 4]
  })
})

t.test('points that cannot be stored are told with their number and counted, the rest is stored', async t => {
  const { send, sql, main } = await fresh()
  const items = [
    gauge({ name: 'g' }, [{ value: 1 }, { value: undefined }, { value: 2, time: 0n }]),
    histogram({ name: 'h' }, [
      { count: 1, counts: [1], bounds: [1, 2] },
      { count: 1, counts: [1, 0, 0], bounds: [2, 1] }
    ]),
    gauge({ name: '' }, [{ value: 1 }, { value: 2 }]),
    gauge({ name: 'reserved' }, [{ value: 1, attributes: { svc_value: 'x' } }])
  ]
  const taken = await send('metrics', exportRequest([{ items }]))
  t.equal(taken.rejected, 7)
  t.match(taken.message, /metric g: a point has no value/)
  t.same(await sql('SELECT svc_value FROM g'), [[1]])
  const metrics = (await main.inject({ method: 'GET', url: '/metrics' })).body
  t.match(metrics, /svc_telemetry_items_refused_total\{signal="metrics"\} [1-9]/)
})

t.test('a point without a recorded value ends its series', async t => {
  const { send, promql } = await fresh()
  await send('metrics', exportRequest([{ items: [gauge({ name: 'g' }, [{ value: 1 }])] }]))
  const later = base + 10n * second
  const end = [{ value: undefined, time: later, flags: 1 }]
  t.same(await send('metrics', exportRequest([{ items: [gauge({ name: 'g' }, end)] }])), { rejected: 0, message: '' })
  const ask = async (time: bigint) => (await promql('g', Number(time / second))).length
  t.same([await ask(base + 5n * second), await ask(later + second)], [1, 0])
})

t.test('exemplars go to their table with their trace', async t => {
  const { send, sql } = await fresh()
  const traced = exemplar({ value: 1.5, traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' })
  const plain = exemplar({ value: 7n, attributes: { user: 'x' }, time: base + second })
  const items = [
    sum({ name: 'c' }, [{ value: 1, exemplars: [traced], attributes: { a: 'b' } }]),
    histogram({ name: 'h' }, [{ count: 2, counts: [1, 0, 1], bounds: [1, 5], exemplars: [plain] }])
  ]
  await send('metrics', exportRequest([{ items }]))
  const rows = await sql('SELECT metric, series, svc_value, trace_id, span_id FROM svc_exemplars ORDER BY metric')
  t.same(
    rows.map((row: unknown[]) =>
      row.map(each => (typeof each === 'string' && each.startsWith('{') ? JSON.parse(each) : each))
    ),
    [
      ['c_total', { a: 'b' }, 1.5, '0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331'],
      ['h_bucket', { le: '+Inf' }, 7, null, null]
    ]
  )
})

t.test('metadata and starts are kept, once as long as they stay', async t => {
  const { send, sql } = await fresh()
  const request = (i: number, start: bigint) =>
    exportRequest([
      {
        items: [
          sum({ name: 'c', unit: 'By', description: 'Bytes sent.' }, [
            { value: i, start, time: base + BigInt(i) * second }
          ])
        ]
      }
    ])
  // Ends within a field: nothing of it is stored, the start of its series neither.
  await t.rejects(send('metrics', Buffer.concat([request(1, base), Buffer.of(0x0a, 0x7f)])))
  await t.rejects(send('metrics', request(1, base), { 'x-svc-hint-auto_create_table': 'false' }))
  await send('metrics', request(1, base))
  await send('metrics', request(2, base))
  await send('metrics', request(3, base + 2n * second))
  t.same(await sql('SELECT metric, type, unit, help FROM svc_metric_metadata'), [
    ['c_bytes_total', 'counter', 'By', 'Bytes sent.']
  ])
  t.same(await sql('SELECT metric, svc_timestamp, seen FROM svc_metric_start_times ORDER BY svc_timestamp'), [
    ['c_bytes_total', ms, ms + 1000],
    ['c_bytes_total', ms + 2000, ms + 3000]
  ])
})

t.test('attributes become labels as the policy of the request says', async t => {
  const { send, sql } = await fresh()
  const resource = { 'service.name': 's', 'service.instance.id': 'i', 'host.name': 'h', 'os.type': 'linux' }
  const scope = { name: 'lib', version: '1', attributes: { a: 1n } }
  const columns = async (name: string, headers: Readonly<Record<string, string>>) => {
    const items = [gauge({ name }, [{ value: 1, attributes: { k: true, f: 0.5, list: ['a', 1n], m: { x: null } } }])]
    await send('metrics', exportRequest([{ resource, scope, items }]), headers)
    const [row] = await sql(`SELECT * FROM ${name}`)
    const names = (await sql(`DESC TABLE ${name}`)).map((each: string[]) => each[0])
    return Object.fromEntries(
      names.map((each: string, i: number) => [each, row[i]]).filter(([each]: string[]) => !each!.startsWith('svc_'))
    )
  }
  const own = { k: 'true', f: '0.5', list: '["a",1]', m: '{"x":null}' }
  const usual = { job: 's', instance: 'i', service_name: 's', service_instance_id: 'i' }
  t.same(await columns('a', {}), { ...own, ...usual })
  const all = { 'x-svc-otlp-metric-promote-all-resource-attrs': 'true' }
  t.same(await columns('b', { ...all, 'x-svc-otlp-metric-ignore-resource-attrs': 'os.type; service.name' }), {
    ...own,
    ...{ job: 's', instance: 'i', service_instance_id: 'i', host_name: 'h' }
  })
  t.same(await columns('c', { 'x-svc-telemetry-metric-promote-resource-attrs': 'host.name' }), {
    ...own,
    ...usual,
    host_name: 'h'
  })
  t.same(await columns('d', { 'x-svc-telemetry-metric-promote-scope-attrs': '1' }), {
    ...own,
    ...usual,
    ...{ otel_scope_name: 'lib', otel_scope_version: '1', otel_scope_a: '1' }
  })
  await t.rejects(
    send('metrics', exportRequest([]), { 'x-svc-otlp-metric-translation-strategy': 'none' }),
    /unknown strategy none, expected one of UnderscoreEscapingWithSuffixes/
  )
})

t.test('attributes that become one label share it, those of a point win over the resource', async t => {
  const { send, sql } = await fresh()
  const points = [{ value: 1, attributes: { 'a.b': 'x', 'a-b': 'y', service_name: 'own' } }]
  await send('metrics', exportRequest([{ resource: { 'service.name': 'r' }, items: [gauge({ name: 'g' }, points)] }]))
  t.same(await sql('SELECT a_b, service_name, job FROM g'), [['x;y', 'own', 'r']])
})

t.test(
  'attributes of one label are joined up to a limit, and those of a point may stand apart from each other',
  async t => {
    const { send, sql } = await fresh()
    const many = Array.from({ length: 10_000 }, (_, i) => attributes(7, { 'a.b': `value ${i}` }))
    const head = [fixed64(3, base), double(4, 1)]
    const point = (...parts: Buffer[]) => inner(2, text(1, 'g'), inner(5, inner(1, ...head, ...parts)))
    const request = (...metrics: Buffer[]) => inner(1, inner(2, ...metrics))
    const refused = await send('metrics', request(point(Buffer.concat(many))))
    t.match(refused, { rejected: 1, message: 'attributes that become the label a_b take more than 65536 bytes' })
    const apart = many.map((_, i) => message(uint(8, 0), attributes(7, { [`k${i % 5}`]: '' })))
    t.equal((await send('metrics', request(point(Buffer.concat(apart), attributes(7, { k: 'v' }))))).rejected, 0)
    t.same(await sql('SELECT k FROM g'), [['v']])
  }
)

t.test('a long resource of many scopes is refused', async t => {
  const { send } = await fresh()
  const resource = inner(1, attributes(1, { long: 'x'.repeat(1_000_000) }))
  const scope = inner(2, inner(2, text(1, 'g'), inner(5, inner(1, fixed64(3, base), double(4, 1)))))
  const request = inner(1, resource, ...Array.from({ length: 68 }, () => scope))
  await t.rejects(send('metrics', request), /68 scopes with what their resources say would take \d+ bytes/)
})

t.test('limits of metrics hold here, too, and are told by points', async t => {
  const { send, sql } = await (await serve(t, '[limits]\nmax_metrics = 3\n')).fresh()
  const point = { count: 2, sum: 1, counts: [1, 1], bounds: [1] }
  const items = [gauge({ name: 'a' }, [{ value: 1 }]), histogram({ name: 'h' }, [point])]
  const taken = await send('metrics', exportRequest([{ items }]))
  t.equal(taken.rejected, 1)
  t.match(taken.message, /limits\.max_metrics/)
  t.same(await sql('SELECT svc_value FROM a'), [[1]])
})

t.test('a series whose labels are too long is left out', async t => {
  const { send, sql } = await fresh()
  const points = [{ value: 1, attributes: { long: 'x'.repeat(70_000) } }, { value: 2 }]
  const taken = await send('metrics', exportRequest([{ items: [gauge({ name: 'g' }, points)] }]))
  t.equal(taken.rejected, 1)
  t.match(taken.message, /^metric g: .* take 70004 bytes, more than 65536 \(plugins\.telemetry\.max_series_size\)/)
  t.same(await sql('SELECT svc_value FROM g'), [[2]])
})

t.test('a request that was sent before is stored again as the same series', async t => {
  const { send, sql } = await fresh()
  for (let i = 0; i < 3; i++) {
    const point = { count: 2, sum: 1, counts: [1, 1], bounds: [1], time: base + BigInt(i) * second }
    const items = [
      gauge({ name: 'g' }, [{ value: i, time: point.time, attributes: { b: '1', a: '2' } }]),
      gauge({ name: 'g' }, [{ value: i, time: point.time + second / 2n, attributes: { a: '2', b: '1' } }]),
      histogram({ name: 'h' }, [point])
    ]
    t.same(await send('metrics', exportRequest([{ resource: shop, items }])), { rejected: 0, message: '' })
  }
  t.same(await sql('SELECT a, b, job, count(*), count(DISTINCT svc_timestamp) FROM g GROUP BY a, b, job'), [
    ['2', '1', 'shop', 6, 6]
  ])
  t.same(await sql('SELECT count(*) FROM h_bucket'), [[6]])
})

import t from 'tap'
import { histogramJson, readHistogram, writeHistogram } from '../../../plugins/metricsys/write/histogram.ts'
import { readQueries, writeV1, writeV2 } from './messages.ts'
import { floats, integers, type Shape } from './native.ts'
import { serve } from './serve.ts'

const read = (bytes: Uint8Array) => readHistogram(bytes, 0, bytes.length)

t.test('a histogram becomes JSON with absolute counts, and protobuf again', async t => {
  const json = histogramJson(read(integers()))
  t.match(JSON.parse(json), {
    schema: 3,
    sum: 12.5,
    count_i64: 10,
    zero_count_i64: 4,
    zero_threshold: 0.001,
    reset_hint: 2,
    positive_span_offsets: [0, 1],
    positive_span_lengths: [2, 1],
    positive_buckets_i64: [1, 3, 2],
    negative_buckets_i64: []
  })
  for (const bytes of [
    integers(),
    floats(),
    integers({ sum: 'stale', deltas: [], spans: [] }),
    integers({ negative: [1, 1], count: 13, sum: Infinity })
  ]) {
    const histogram = read(bytes)
    t.same(read(writeHistogram(histogramJson(histogram), histogram.time)), histogram)
  }
  t.match(JSON.parse(histogramJson(read(floats()))), {
    count_f64: 2.75,
    positive_buckets_f64: [1.5, 0.25],
    positive_span_offsets: [-3]
  })
  const bounds = { schema: -53, zero: 0, count: 6, custom: [0.5, 1, 2] }
  t.match(JSON.parse(histogramJson(read(integers(bounds)))), { custom_values: [0.5, 1, 2] })
})

t.test('a histogram whose counts contradict each other is refused', async t => {
  const cases: readonly [Shape, RegExp][] = [
    [{ count: 11 }, /hold 10 observations, its count says 11/],
    [{ deltas: [1, 2] }, /cover 3 buckets, there are 2/],
    [{ deltas: [1, -3, 1] }, /count -2/],
    [
      {
        spans: [
          [0, 2],
          [-1, 1]
        ]
      },
      /goes back/
    ],
    [{ schema: 9 }, /must be reduced/],
    [{ schema: -5 }, /unknown schema/],
    [{ custom: [1] }, /custom values need schema/],
    [{ schema: -53, zero: 0, count: 6, custom: [1, 1] }, /must ascend/],
    [{ schema: -53, zero: 0, count: 6, custom: [NaN] }, /not a bound/],
    [{ schema: -53, zero: 4, custom: [1] }, /no zero bucket/]
  ]
  for (const [shape, message] of cases) t.throws(() => read(integers(shape)), { code: 'InvalidArguments', message })
  t.doesNotThrow(() => read(integers({ sum: NaN, count: 12 })), 'observations that are no number are in no bucket')
})

t.test('histograms are stored beside numbers and read back, unless they are switched off', async t => {
  const { write, read: readBack, post, sql } = await serve(t)
  const labels = { __name__: 'latency', job: 'x' }
  const v2 = {
    'content-type': 'application/x-protobuf;proto=io.prometheus.write.v2.Request',
    'content-encoding': 'snappy'
  }
  t.equal(
    (
      await write(
        writeV1([
          { labels, histograms: [integers()] },
          { labels, samples: [[3000, 7]] }
        ])
      )
    ).status,
    204
  )
  const second = await write(writeV2([{ labels, histograms: [floats(), integers({ count: 99, time: 5 })] }]), v2)
  t.match([second.status, second.written, second.body], [400, ['0', '1', '0'], /count says 99/])
  t.same(await sql(`SELECT job, svc_native_histogram IS NULL, svc_value FROM latency ORDER BY svc_timestamp`), [
    ['x', false, null],
    ['x', false, null],
    ['x', true, 7]
  ])
  const [series] = await readBack([{ type: '=', name: '__name__', value: 'latency' }])
  t.same([series!.samples.length, series!.histograms.map(each => read(each).time)], [1, [1000n, 2000n]])
  t.same(read(series!.histograms[0]!), read(integers()))
  const query = { from: 0, to: 9000, matchers: [{ type: '=', name: '__name__', value: 'latency' } as const] }
  t.equal((await post('read', readQueries([query], [1, 0]))).headers['content-type'], 'application/x-protobuf')
  t.match((await post('read', readQueries([query], [1]))).body, /only read as SAMPLES/)
  const off = await serve(t, '[plugins.metricsys]\nnative_histograms = false')
  const refused = await off.write(writeV1([{ labels, histograms: [integers()] }]))
  t.match([refused.status, refused.body], [400, /native_histograms/])
})

t.test('histograms and exemplars end at the limits, too', async t => {
  const { write, sql } = await serve(t, '[limits]\nmax_series = 3\nmax_columns = 7\nmax_metrics = 1')
  const histogram = (labels: Record<string, string>) =>
    write(writeV1([{ labels: { __name__: 'h', ...labels }, histograms: [integers()] }]))
  t.equal((await histogram({ a: '1' })).status, 204)
  t.match((await histogram({ b: '1', c: '1', d: '1', e: '1', f: '1' })).body, /max_columns/)
  for (const a of ['2', '3']) await histogram({ a })
  t.match(await histogram({ a: '4' }).then(({ status, body }) => [status, body]), [400, /max_series/])
  t.same(await sql('SELECT count(DISTINCT a) FROM h'), [[3]])
  const exemplar = (a: number) =>
    write(writeV1([{ labels: { __name__: 'e', a: String(a) }, exemplars: [{ labels: {}, value: 1, time: 1 }] }]))
  for (let a = 0; a < 5; a++) await exemplar(a)
  t.match((await exemplar(9)).body, /max_series/)
  t.match(
    (await write(writeV1([{ labels: { __name__: 'other' }, histograms: [integers()] }]))).body,
    /max_(metrics|series)/
  )
})

import t from 'tap'
import { runAtOnce } from '../../../../core/index.ts'
import { translateLabel, translateName } from '../../../../plugins/telemetry/metrics/name.ts'
import { millisecondsOf, plainDecimal } from '../../../../plugins/telemetry/metrics/number.ts'
import { StartTimes } from '../../../../plugins/telemetry/metrics/start-times.ts'
import { protobufOf } from '../../../../plugins/telemetry/wire/from-json.ts'
import { requests } from '../../../../plugins/telemetry/wire/message.ts'
import { createRandom } from '../../../fuzz/random.ts'
import { attributes, exportRequest, fixed64, inner, message, text } from '../proto.ts'
import { createReadMetrics, type ReadSample } from './decode.ts'
import { base } from './messages.ts'
import { makeMetrics } from './model.ts'

const sorted = (samples: readonly ReadSample[]) =>
  samples
    .map(({ labels, ...sample }) => ({ ...sample, labels: Object.fromEntries(Object.entries(labels).sort()) }))
    .map(sample => JSON.stringify(sample, (_, each) => (each === Number.POSITIVE_INFINITY ? 'Infinity' : each)))
    .sort()

t.test('payloads of every shape are read as what they stand for, in both encodings', async t => {
  const random = createRandom(20_261_121)
  const read = createReadMetrics()
  let samples = 0
  for (let run = 0; run < 400; run++) {
    const made = makeMetrics(random)
    const wanted = sorted(made.samples)
    samples += wanted.length
    for (const body of [made.protobuf, runAtOnce(protobufOf(requests.metrics, Buffer.from(made.json)))]) {
      const found = read(body)
      const same = JSON.stringify(sorted(found.samples)) === JSON.stringify(wanted)
      if (!same) t.same(sorted(found.samples), wanted, made.json)
      if (found.histograms.length !== made.exponentials) t.equal(found.histograms.length, made.exponentials)
      if (found.rejected !== 0) t.equal(found.rejected, 0, made.json)
    }
  }
  t.ok(samples > 1000)
})

t.test('attributes in two places, fields in any order and numbers one by one', async t => {
  const attribute = (key: string) => attributes(9, { [key]: 'x' })
  const double = (field: number, value: number) => {
    const bytes = Buffer.alloc(9)
    bytes[0] = field * 8 + 1
    bytes.writeDoubleLE(value, 1)
    return bytes
  }
  const point = message(
    attribute('a'),
    fixed64(6, 1),
    double(7, 0.5),
    fixed64(4, 3),
    fixed64(6, 2),
    attribute('b'),
    fixed64(3, base)
  )
  const metric = message(inner(9, inner(1, point)), text(3, 's'), text(1, 'h'))
  const { samples } = createReadMetrics()(exportRequest([{ items: [metric] }]))
  const time = Number(base / 1_000_000n)
  t.same(samples, [
    { table: 'h_seconds_count', labels: { a: 'x', b: 'x' }, time, value: 3 },
    { table: 'h_seconds_bucket', labels: { a: 'x', b: 'x', le: '0.5' }, time, value: 1 },
    { table: 'h_seconds_bucket', labels: { a: 'x', b: 'x', le: '+Inf' }, time, value: 3 }
  ])
})

t.test('names of metrics by strategy', async t => {
  const names = (name: string, unit = '', isMonotonicSum = false, isGauge = false) =>
    (
      [
        'UnderscoreEscapingWithSuffixes',
        'UnderscoreEscapingWithoutSuffixes',
        'NoUTF8EscapingWithSuffixes',
        'NoTranslation'
      ] as const
    ).map(strategy => translateName({ name, unit, isMonotonicSum, isGauge }, strategy))
  t.same(names('http..server__x'), ['http_server_x', 'http_server_x', 'http..server__x', 'http..server__x'])
  t.same(names('net.io', 'By/s', true), [
    ...['net_io_bytes_per_second_total', 'net_io', 'net.io_bytes_per_second_total', 'net.io']
  ])
  t.same(names('a.total.b', '', true)[0], 'a_b_total')
  t.same(names('used', '1', false, true), ['used_ratio', 'used', 'used_ratio', 'used'])
  t.same(names('used_ratio', '1', false, true)[2], 'used_ratio')
  t.same(names('2xx', '{requests}'), ['_2xx', '_2xx', '2xx', '2xx'])
  t.same(names('disk.bytes', 'By')[0], 'disk_bytes')
  t.same(names('x', '{x}/min')[0], 'x_per_min')
  t.same(names('cost', 'USD')[0], 'cost_USD')
  t.same(names('load', 'foo bar')[0], 'load_foo_bar')
  t.same(names('temp', 'Cel')[0], 'temp_celsius')
  t.same(names('share', '%')[0], 'share_percent')
})

t.test('names of labels', async t => {
  const label = (name: string) => translateLabel(name, 'UnderscoreEscapingWithSuffixes')
  t.same(['a.b', 'a b-c', '1x', '_a', '__a', 'größe'].map(label), ['a_b', 'a_b_c', 'key_1x', 'key_a', '__a', 'gr__e'])
  t.equal(translateLabel('a.b', 'NoTranslation'), 'a.b')
  t.equal(translateLabel('__name__', 'NoTranslation'), 'key__name__')
})

t.test('times of nanoseconds, all 64 bits', async t => {
  for (const time of [0n, 1n, 999_999n, 1_000_000n, base, base + 999_999n, 2n ** 63n - 1n, 2n ** 64n - 1n]) {
    const low = Number(time & 0xffffffffn)
    t.equal(millisecondsOf(low, Number(time >> 32n)), Number(time / 1_000_000n), String(time))
  }
})

t.test('decimals have no exponent', async t => {
  const texts = [0.005, 1, 1e21, 1.5e21, 1e-7, 2.5e-9, -1e-7, 0.1, 123456789.25].map(plainDecimal)
  t.same(texts, [
    ...['0.005', '1', '1000000000000000000000', '1500000000000000000000', '0.0000001', '0.0000000025'],
    ...['-0.0000001', '0.1', '123456789.25']
  ])
})

t.test('a start is new when it changes, for each series, however many there are', async t => {
  const starts = new StartTimes()
  const random = createRandom(1)
  const series = Array.from({ length: 20_000 }, () => ({ a: random.below(2 ** 32) | 0, b: random.below(2 ** 32) | 0 }))
  const told = (low: number) => series.filter((hash, i) => starts.isNew(hash, (i % 7) + 1, low, 5)).length
  t.same([told(1), told(1), told(2), told(2)], [20_000, 0, 20_000, 0])
  starts.drop(series[3]!, 4)
  t.equal(told(2), 1)
})

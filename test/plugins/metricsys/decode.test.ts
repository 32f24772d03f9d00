import fc from 'fast-check'
import t from 'tap'
import { DbError } from '../../../core/index.ts'
import { ProtoWriter } from '../../../core/wire/index.ts'
import { DecodeBuffer } from '../../../plugins/metricsys/write/decode/decode-buffer.ts'
import { decodeV1 } from '../../../plugins/metricsys/write/decode/v1.ts'
import { decodeV2 } from '../../../plugins/metricsys/write/decode/v2.ts'
import { SeriesNames } from '../../../plugins/metricsys/write/series-name.ts'
import { bitsOf, labelsV1, type TestSeries, writeV1, writeV2 } from './messages.ts'

const names = new SeriesNames(false, () => ({ labels: 2_000, bytes: 1 << 22 }))

/** What a buffer holds, series by series: labels, then time and bits of each sample. */
function contents(buffer: DecodeBuffer): unknown[] {
  const bits = new BigUint64Array(buffer.values.buffer, 0, buffer.samples)
  return Array.from({ length: buffer.keyCount }, (_, key) => {
    const labels = names.readLabels(buffer.body, buffer.starts[key]!, buffer.ends[key]!)
    const samples: [number, bigint][] = []
    for (let i = 0; i < buffer.samples; i++)
      if (buffer.series[i] === key) samples.push([Number(buffer.times[i]), bits[i]!])
    return [Object.fromEntries(Array.from(labels, ([name, value]) => [name, Buffer.from(value).toString()])), samples]
  })
}

function decode(body: Uint8Array, version: 1 | 2 = 1, buffer = new DecodeBuffer()) {
  buffer.reserveBody(body.length).set(body)
  const decoded = version === 1 ? decodeV1(buffer, body.length) : decodeV2(buffer, body.length)
  return { ...decoded, buffer, series: contents(buffer) }
}

const labelMap = fc.dictionary(
  fc.string({ minLength: 1, maxLength: 200 }),
  fc.string({ minLength: 1, maxLength: 200 }),
  { maxKeys: 6, noNullPrototype: true }
)
const samples = fc.array(fc.tuple(fc.integer({ min: -(2 ** 45), max: 2 ** 45 }), fc.double()), {
  minLength: 1,
  maxLength: 4
})
const someSeries: fc.Arbitrary<TestSeries[]> = fc.array(fc.record({ labels: labelMap, samples }), { maxLength: 8 })

const expected = (series: readonly TestSeries[]) =>
  series.map(({ labels, samples = [] }) => [labels, samples.map(([time, value]) => [time, bitsOf(value as number)])])

t.test('both versions hold the same series, in one buffer used again and again', async () => {
  const buffer = new DecodeBuffer()
  fc.assert(
    fc.property(someSeries, series => {
      for (const [version, body] of [
        [1, writeV1(series)],
        [2, writeV2(series)]
      ] as const) {
        const found = decode(body, version, buffer)
        if (JSON.stringify(found.series, text) !== JSON.stringify(expected(series), text)) return false
      }
      return true
    })
  )
})

function text(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}

t.test('thousands of series and samples make the buffer grow', async t => {
  const series = Array.from({ length: 5000 }, (_, i) => ({
    labels: { __name__: 'm', i: String(i) },
    samples: [
      [i, i],
      [i + 1, -i]
    ] as [number, number][]
  }))
  t.same(decode(writeV1(series)).series, expected(series))
  t.same(decode(writeV2(series), 2).series, expected(series))
})

t.test('fields may come in any order, be left out, repeated or unknown', async t => {
  const label = (name: string, value: string) => new ProtoWriter().text(1, name).text(2, value).bytes
  const point = new ProtoWriter().int64(2, 5n).double(1, 1).double(1, 2).bytes
  const series = new ProtoWriter()
    .data(2, point)
    .data(1, label('__name__', 'm'))
    .data(2, new Uint8Array())
    .uint(77, 1)
    .data(1, label('a', '1'))
  const body = new ProtoWriter()
    .uint(99, 5)
    .data(1, series.bytes)
    .data(1, new ProtoWriter().data(1, label('x', 'no samples')).bytes).bytes
  t.same(decode(body).series, [
    [
      { __name__: 'm', a: '1' },
      [
        [5, bitsOf(2)],
        [0, 0n]
      ]
    ]
  ])
})

t.test('a faulty request is refused as a whole in version 1.0, series by series in 2.0', async t => {
  const good = { labels: { __name__: 'm' }, samples: [[1, 1]] } as const
  t.throws(() => decode(writeV1([good]), 2), { message: /version 1.0/ })
  t.throws(() => decode(new ProtoWriter().text(4, 'x').data(5, new Uint8Array()).bytes, 2), { message: /first symbol/ })
  t.throws(() => decode(new ProtoWriter().data(5, new Uint8Array()).bytes, 2), { message: /symbols are empty/ })
  const refs = (...numbers: number[]) => {
    const packed = new ProtoWriter()
    for (const each of numbers) packed.varint(each)
    const sample = new ProtoWriter().double(1, 1).bytes
    return new ProtoWriter()
      .text(4, '')
      .text(4, 'a')
      .data(5, new ProtoWriter().data(1, packed.bytes).data(2, sample).bytes).bytes
  }
  for (const [body, message] of [
    [refs(1), /in pairs/],
    [refs(1, 7), /no symbol 7/]
  ] as const) {
    const { failures, series } = decode(body, 2)
    t.match([failures.map(each => each.message), series], [[message], []])
  }
  const name = (labels: Record<string, string>, strict = false, twice = {}) => {
    const bytes = labelsV1(labels).raw(labelsV1(twice).bytes).bytes
    return new SeriesNames(strict, () => ({ labels: 2_000, bytes: 1 << 22 })).read(bytes, 0, bytes.length)
  }
  t.match(name({ __name__: 'm', x_svc_database: 'svc-d', x_svc_physical_table: 'p', a: '1', b: '' }), {
    database: 'd',
    physicalTable: 'p',
    table: 'm',
    labels: [{ name: 'a' }]
  })
  t.throws(() => name({ a: '1' }), { message: /no metric name/ })
  t.throws(() => name({ __name__: 'm', a: '1' }, false, { a: '2' }), { message: /label a is given twice/ })
  t.throws(() => name({ __name__: 'm', '': '2' }), { message: /column/ })
  t.throws(() => name({ __name__: 'm', ['x'.repeat(256)]: '2' }), { message: /255/ })
  t.throws(() => name({ __name__: 'm', 'a-b': '2' }, true), { message: /is_strict_mode/ })
})

t.test('damaged requests are decoded or refused, never anything else', async () => {
  const damaged = fc.tuple(
    someSeries,
    fc.constantFrom(1 as const, 2 as const),
    fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 4 }),
    fc.nat(5)
  )
  fc.assert(
    fc.property(damaged, ([series, version, changes, cut]) => {
      const body = (version === 1 ? writeV1(series) : writeV2(series)).slice()
      for (const [at, byte] of changes) if (body.length > 0) body[at % body.length] = byte
      try {
        const { buffer } = decode(body.subarray(0, Math.max(0, body.length - cut)), version)
        for (let i = 0; i < buffer.keyCount; i++) names.read(buffer.body, buffer.starts[i]!, buffer.ends[i]!)
        return true
      } catch (error) {
        return error instanceof DbError && error.code === 'InvalidArguments'
      }
    }),
    { numRuns: 3000 }
  )
})

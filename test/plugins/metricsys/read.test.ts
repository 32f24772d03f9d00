import t from 'tap'
import { DbError } from '../../../core/index.ts'
import { ProtoReader } from '../../../core/wire/index.ts'
import { crc32c } from '../../../plugins/metricsys/read/crc32c.ts'
import {
  type FoundSeries,
  readLabel,
  readQueries,
  readResults,
  staleBits,
  type TestMatcher,
  writeV1
} from './messages.ts'
import { serve } from './serve.ts'
import { decodeXor } from './xor-reader.ts'

const is = (name: string, value: string): TestMatcher => ({ type: '=', name, value })
const like = (name: string, value: string): TestMatcher => ({ type: '=~', name, value })
const unlike = (name: string, value: string): TestMatcher => ({ type: '!~', name, value })
const not = (name: string, value: string): TestMatcher => ({ type: '!=', name, value })

const rooms = writeV1([
  {
    labels: { __name__: 'temp', room: 'kitchen', floor: '1' },
    samples: [
      [1000, 1],
      [2000, 2],
      [3000, 3]
    ]
  },
  { labels: { __name__: 'temp', room: 'bath' }, samples: [[1000, 4]] },
  { labels: { __name__: 'temp', room: 'bath', zone: 'a\nb' }, samples: [[1500, 5]] },
  { labels: { __name__: 'wind' }, samples: [[1000, 6]] }
])

const short = (found: readonly FoundSeries[]) =>
  found.map(
    ({ labels, samples }) =>
      `${labels['__name__']}/${labels['room'] ?? ''}/${labels['floor'] ?? ''} ${samples.map(([time]) => time)}`
  )

t.test('series come sorted by labels, samples by time, both ends of the range within', async t => {
  const { write, read } = await serve(t)
  await write(rooms)
  t.same(short(await read([is('__name__', 'temp')], 1000, 2000)), [
    'temp/kitchen/1 1000,2000',
    'temp/bath/ 1000',
    'temp/bath/ 1500'
  ])
  t.same(await read([is('__name__', 'temp')], 4000, 9000), [])
  t.same(short(await read([is('__name__', 'temp')], -(2 ** 53), 2 ** 53)).length, 3)
})

t.test('matchers see the whole value, and an absent label as an empty one', async t => {
  const { write, read } = await serve(t)
  await write(rooms)
  const temp = is('__name__', 'temp')
  const cases: readonly [TestMatcher, number][] = [
    [like('room', 'kit'), 0],
    [like('room', 'kit.*'), 1],
    [like('room', 'kitchen|ba'), 1],
    [unlike('room', 'b.th'), 1],
    [is('floor', ''), 2],
    [not('floor', ''), 1],
    [not('floor', '1'), 2],
    [like('floor', '1?'), 3],
    [like('zone', 'a.b'), 1],
    [is('none', ''), 3],
    [like('none', '.+'), 0],
    [like('none', ''), 3],
    [is('room', "it's"), 0]
  ]
  for (const [matcher, count] of cases)
    t.equal((await read([temp, matcher])).length, count, `${matcher.name}${matcher.type}${matcher.value}`)
  t.same(short(await read([like('__name__', 'w.*|te')])), ['wind// 1000'])
  t.equal((await read([is('room', 'bath')])).length, 2, 'all metrics without a name')
  t.same(await read([is('__name__', 'none')]), [])
})

t.test('a text with a NUL is a text like others', async t => {
  const { write, read } = await serve(t)
  await write(
    writeV1([
      { labels: { __name__: 'wind' }, samples: [[1000, 6]] },
      { labels: { __name__: 'wind', room: 'a\0b' }, samples: [[1000, 7]] }
    ])
  )
  const found = async (matcher: TestMatcher) => (await read([is('__name__', 'wind'), matcher])).length
  t.equal(await found(is('room', 'a\0b')), 1)
  t.equal(await found(not('room', 'a\0b')), 1)
  t.equal(await found(is('room', 'a\0c')), 0)
})

t.test('each query has its result; what is wrong is refused', async t => {
  const { write, post, sql } = await serve(t, '[plugins.metricsys]\nmax_read_metrics = 1\nmax_read_samples = 3')
  await sql('CREATE DATABASE other')
  await write(writeV1([{ labels: { __name__: 'm', __schema__: 'other' }, samples: [[1, 1]] }]))
  await write(rooms)
  const query = (...matchers: TestMatcher[]) => ({ from: 0, to: 9000, matchers })
  const answer = await post(
    'read',
    readQueries([query(is('__name__', 'none')), query(is('__name__', 'm'), is('__database__', 'other'))])
  )
  t.match(answer.headers, { 'content-type': 'application/x-protobuf', 'content-encoding': 'snappy' })
  t.same(
    readResults(answer.raw).map(each => each.length),
    [0, 1]
  )
  const refused = async (body: Uint8Array) => (await post('read', body)).body
  t.match(await refused(readQueries([query(like('a', '('))])), /label a: .*not a regular expression/)
  t.match(await refused(readQueries([query(like('a', 'b)|(c'))])), /not a regular expression/)
  t.match(await refused(readQueries([query(is('__schema__', 'nowhere'))])), /Database not found: nowhere/)
  t.match(await refused(readQueries([query()])), /max_read_metrics/)
  t.match(await refused(readQueries([query(is('__name__', 'temp'))])), /max_read_samples/)
  t.match(await refused(readQueries([query()], [7])), /response types 7/)
  t.match(await refused(Buffer.from('x')), /Snappy/)
  t.match(
    await refused(readQueries([query(like('a', '(a*)*'.repeat(7_000)))])),
    /more than 10000 characters; 150 are added for each/
  )
  // Dashboards write the chosen values of a variable as one expression.
  const words = Array.from({ length: 2_000 }, (_, i) => `host-${i}\\.example`).join('|')
  t.equal((await post('read', readQueries([query(is('__name__', 'm'), like('a', words))]))).status, 200)
  t.match(
    await refused(readQueries([query(like('a', words.repeat(4)))])),
    /label a: it has \d{6} characters, at most 100000 are read/
  )
  const large = await post('read', readQueries([query(is('a', 'x'.repeat(5 << 20)))]))
  t.equal(large.status, 413)
  t.match(large.body, /larger than 4194304 bytes \(http\.max_form_size\)/)
})

t.test('chunks hold what samples hold', async t => {
  const { write, post, read } = await serve(t)
  const times = Array.from({ length: 500 }, (_, i) => 1_700_000_000_000 + i * 15_000 + (i % 7) * ((i % 3) - 1) * 900)
  const numbers = [0, 1, 1, -1, 1e300, 0.1, 5e-324, NaN, Infinity]
  const labels = { __name__: 'm', a: '1' }
  await write(
    writeV1([
      {
        labels,
        samples: times.map(
          (time, i) => [time, i % 50 === 49 ? staleBits : i % 5 === 0 ? numbers[i % numbers.length]! : i * 3.7] as const
        )
      },
      { labels: { __name__: 'm', a: '2' }, samples: [[-5, 7]] }
    ])
  )
  const all = { from: -10, to: 2 ** 45, matchers: [is('__name__', 'm')] }
  const answer = await post('read', readQueries([{ ...all, to: -6 }, all], [1, 0]))
  t.equal(answer.headers['content-type'], 'application/x-streamed-protobuf; proto=prometheus.ChunkedReadResponse')
  t.equal(answer.headers['content-encoding'], undefined)
  const found = readFrames(answer.raw)
  t.same(
    found.map(({ query }) => query),
    [1, 1]
  )
  t.same(
    found.map(({ labels, samples }) => ({ labels, samples, histograms: [] })),
    await read(all.matchers, all.from, all.to)
  )
  t.equal(found[0]!.samples.length, 500)
  t.match(await post('read', readQueries([all], [0, 1])).then(({ headers }) => headers), {
    'content-type': 'application/x-protobuf'
  })
})

/** Metrics whose series come one among the other in the order of labels, and names whose order in UTF-16 is another. */
const mingled = ['zz_a', 'zz_b', 'zz_\uffee', 'zz_\u{1f600}'].flatMap((metric, i) =>
  ['3', '1', '2'].map(value => ({
    labels: { Zone: value, __name__: metric, ...(i % 2 === 0 && { a: 'x' }) },
    samples: [[1_000, i] as const]
  }))
)

t.test('series of several metrics are sorted by all their labels, in samples and in chunks', async t => {
  const { write, post } = await serve(t)
  for (const each of mingled) t.equal((await write(writeV1([each]))).status, 204)
  const all = { from: 0, to: 2_000, matchers: [like('__name__', 'zz_.*')] }
  const sorted = mingled
    .map(({ labels }) => labels)
    .sort((a, b) => Buffer.compare(Buffer.from(JSON.stringify(a)), Buffer.from(JSON.stringify(b))))
  const chunks = readFrames((await post('read', readQueries([all], [1]))).raw)
  t.same(
    chunks.map(({ labels }) => labels),
    sorted
  )
  const [samples] = readResults((await post('read', readQueries([all]))).raw)
  t.same(
    samples!.map(({ labels }) => labels),
    sorted
  )
})

t.test('the checksum is the one of the check value', async t => {
  t.equal(crc32c(Buffer.from('123456789')), 0xe3069283)
})

function readFrames(bytes: Uint8Array) {
  const found: { query: number; labels: Record<string, string>; samples: [number, bigint][] }[] = []
  const reader = new ProtoReader(bytes)
  while (reader.at < bytes.length) {
    const size = reader.uint()
    const sum = new DataView(bytes.buffer, bytes.byteOffset + reader.at).getUint32(0)
    const data = bytes.subarray(reader.at + 4, reader.at + 4 + size)
    if (crc32c(data) !== sum) throw new DbError('Unexpected', 'the checksum is wrong')
    reader.at += 4 + size
    const frame = { query: 0, labels: {}, samples: [] as [number, bigint][] }
    for (const message = new ProtoReader(data); message.next(); ) {
      if (message.field === 2) frame.query = message.uint()
      else readChunks(message.message(), frame)
    }
    found.push(frame)
  }
  return found
}

function readChunks(series: ProtoReader, frame: { labels: Record<string, string>; samples: [number, bigint][] }): void {
  while (series.next()) {
    if (series.field === 1) readLabel(series.message(), frame.labels)
    else {
      const chunk = series.message()
      const bounds: bigint[] = []
      while (chunk.next()) {
        if (chunk.field === 4) {
          const samples = decodeXor(chunk.data())
          if (samples[0]![0] !== Number(bounds[0]) || samples.at(-1)![0] !== Number(bounds[1]))
            throw new Error('bounds')
          frame.samples.push(...samples)
        } else bounds.push(chunk.int64())
      }
    }
  }
}

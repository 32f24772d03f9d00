import { zstdCompressSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { isDbError } from '../../../core/index.ts'
import { hashKeys } from '../../../core/model/series-hash.ts'
import { encodeSnappy, seriesSeed } from '../../../core/wire/index.ts'
import { DecodeBuffer } from '../../../plugins/metricsys/write/decode/decode-buffer.ts'
import { createDecoder } from '../../../plugins/metricsys/write/decode/decoder.ts'
import { decode, type Encoding } from '../../../plugins/metricsys/write/decode/request.ts'
import { eventually } from '../../eventually.ts'
import { type TestSeries, writeV1, writeV2 } from './messages.ts'

const limit = 1 << 24

function makeSeries(count: number): TestSeries[] {
  return Array.from({ length: count }, (_, i) => ({
    labels: { __name__: `m${i % 50}`, instance: `host ${Math.sin(i)}`, path: 'ü'.repeat(i % 90) },
    samples: [[i * 15_000, i / 7]],
    ...(i % 100 === 0 && { exemplars: [{ labels: { trace_id: String(i) }, value: i, time: i }] })
  }))
}

/** What a request became, without the room a buffer keeps. */
async function contents(buffer: DecodeBuffer, decoded: ReturnType<typeof decode>) {
  const { failures, ...rest } = await decoded
  const { keyCount, samples, body, tail } = buffer
  return {
    ...rest,
    failures: failures.map(({ code, message }) => `${code}: ${message}`),
    body: Buffer.from(body.slice(0, tail)).toString('base64'),
    starts: buffer.starts.slice(0, keyCount),
    ends: buffer.ends.slice(0, keyCount),
    series: buffer.series.slice(0, samples),
    times: buffer.times.slice(0, samples),
    values: buffer.values.slice(0, samples)
  }
}

/** A decoder whose thread has taken over. */
async function readyDecoder(t: Test) {
  const decoder = createDecoder()
  t.teardown(() => decoder.close())
  const buffer = new DecodeBuffer()
  const request = encodeSnappy(writeV1(makeSeries(1000)))
  await eventually(async () => {
    await decoder.decode(buffer, request, { version: '1.0', codec: 'snappy', limit })
    return buffer.isHashed
  })
  t.pass('the thread takes over')
  return decoder
}

t.test('what may inflate to anything is decoded in the thread, also where it is said to be Snappy', async t => {
  const decoder = await readyDecoder(t)
  const request = zstdCompressSync(writeV1(makeSeries(3)))
  for (const codec of ['zstd', 'snappy'] as const) {
    const buffer = new DecodeBuffer()
    await decoder.decode(buffer, request, { version: '1.0', codec, limit })
    t.equal(buffer.isHashed, true, codec)
  }
})

t.test('a request is the same whichever thread decodes it, many at once', async t => {
  const decoder = await readyDecoder(t)
  const requests = [500, 3000, 500, 20_000].flatMap(count => {
    const series = makeSeries(count)
    return [
      { version: '1.0', bytes: encodeSnappy(writeV1(series)) } as const,
      { version: '2.0', bytes: encodeSnappy(writeV2(series)) } as const
    ]
  })
  const buffers = requests.map(() => new DecodeBuffer())
  const there = await Promise.all(
    requests.map(({ version, bytes }, i) => {
      const buffer = buffers[i]!
      return contents(buffer, decoder.decode(buffer, bytes, { version, codec: 'snappy', limit }))
    })
  )
  for (const [i, { version, bytes }] of requests.entries()) {
    const buffer = new DecodeBuffer()
    t.same(there[i], await contents(buffer, decode(buffer, bytes, { version, codec: 'snappy', limit })))
    const hashes = new Int32Array(buffer.keyCount * 4)
    hashKeys(buffer.keys, hashes, seriesSeed)
    t.same(buffers[i]!.keys.hashes!.slice(0, hashes.length), hashes, 'hashed for this process')
  }
})

t.test('buffers come back in any order, grow in either thread, and are read as new ones are', async t => {
  const decoder = await readyDecoder(t)
  const encoding = { version: '1.0', codec: 'snappy', limit: 0 } as const
  const requests = [300, 2000, 900, 6000].map(count => encodeSnappy(writeV1(makeSeries(count))))
  // More than inflates into memory that is kept.
  requests.push(encodeSnappy(writeV1([{ labels: { __name__: 'm', long: 'x'.repeat(20 << 20) }, samples: [[1, 2]] }])))
  const broken = Buffer.from(requests[3]!)
  broken.fill(255, broken.length - 500)
  const expected = await Promise.all(
    requests.map(bytes => {
      const buffer = new DecodeBuffer()
      return contents(buffer, decode(buffer, bytes, encoding))
    })
  )
  const buffers = Array.from({ length: 11 }, () => new DecodeBuffer())
  for (let round = 0; round < 4; round++) {
    const answers = buffers.map(async (buffer, i) => {
      const which = (i * 7 + round * 3) % (requests.length + 1)
      if (which === requests.length)
        return t.match(await refusal(decoder.decode(buffer, broken, encoding)), { code: 'InvalidArguments' })
      t.same(await contents(buffer, decoder.decode(buffer, requests[which]!, encoding)), expected[which])
    })
    await Promise.all(answers)
  }
})

t.test('the thread tells unreadable requests with the same error, and decodes the next one', async t => {
  const decoder = await readyDecoder(t)
  const good = encodeSnappy(writeV1(makeSeries(2000)))
  const broken = Buffer.from(good)
  broken.fill(255, broken.length / 2)
  const cases: [Uint8Array, Encoding][] = [
    [broken, { version: '1.0', codec: 'snappy', limit }],
    [good, { version: '1.0', codec: 'snappy', limit: 1000 }],
    [good, { version: '2.0', codec: 'snappy', limit }],
    [broken, { version: '1.0', codec: 'gzip', limit }]
  ]
  for (const [bytes, encoding] of cases) {
    const here = await refusal(decode(new DecodeBuffer(), bytes, encoding))
    t.match(here, { code: 'InvalidArguments' })
    t.same(await refusal(decoder.decode(new DecodeBuffer(), bytes, encoding)), here)
  }
  const buffer = new DecodeBuffer()
  await decoder.decode(buffer, good, { version: '1.0', codec: 'snappy', limit })
  t.equal(buffer.samples, 2000)
})

t.test('a decoder that is closed lets nobody wait', async t => {
  const decoder = await readyDecoder(t)
  const request = encodeSnappy(writeV1(makeSeries(20_000)))
  const waiting = refusal(decoder.decode(new DecodeBuffer(), request, { version: '1.0', codec: 'snappy', limit }))
  await decoder.close()
  t.match(await waiting, { code: 'Cancelled' })
})

async function refusal(decoded: Promise<unknown>) {
  try {
    await decoded
  } catch (error) {
    if (isDbError(error)) return { code: error.code, message: error.message, status: error.status }
    throw error
  }
  return undefined
}

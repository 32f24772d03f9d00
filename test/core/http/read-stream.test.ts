import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { DbError } from '../../../core/errors.ts'
import { readStream } from '../../../core/http/read-stream.ts'
import { collect } from '../../../core/workers/free.ts'

const bounds = {
  limit: 0,
  lease: { raise: () => true } as never,
  signal: new AbortController().signal,
  tooLarge: () => new DbError('Internal', '')
}

t.test('a body in short pieces takes little more memory than its bytes', async t => {
  const sent = randomBytes(300_000)
  const bytes = 200_000
  const payload = new Readable({ read() {} })
  const received = readStream(payload, bounds)
  const used = () => {
    collect('major')
    const { heapUsed, arrayBuffers } = process.memoryUsage()
    return heapUsed + arrayBuffers
  }
  const push = async (from: number, to: number) => {
    for (let i = from; i < to; i++) {
      payload.push(Buffer.from(sent.subarray(i, i + 1)))
      if (i % 1000 === 0) await pause(0)
    }
    await pause(10)
  }
  // The code is compiled by then.
  await push(0, 20_000)
  const before = used()
  await push(20_000, bytes)
  const held = used() - before
  t.ok(held < 4 * 2 ** 20, `${held} bytes for ${bytes - 20_000}`)
  // A long piece between short ones keeps its place.
  payload.push(sent.subarray(bytes, bytes + 50_000))
  for (let i = bytes + 50_000; i < sent.length; i += 7) payload.push(sent.subarray(i, i + 7))
  payload.push(null)
  t.ok((await received).equals(sent), 'all of them in order')
})

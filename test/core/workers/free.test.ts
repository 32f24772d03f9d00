import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Worker } from 'node:worker_threads'
import t from 'tap'
import { DbError } from '../../../core/errors.ts'
import { readStream } from '../../../core/http/read-stream.ts'
import { beginCollection, collect, free } from '../../../core/workers/free.ts'

const MiB = 2 ** 20

t.test('memory that is let go is gone at once', async t => {
  const array = new Uint8Array(4 * MiB)
  const whole = array.subarray(10, 20)
  free(whole)
  t.equal(array.length, 0, 'all of it, of whatever part it was')
  const shared = new Uint8Array(new SharedArrayBuffer(4 * MiB))
  free(shared)
  t.equal(shared.length, 4 * MiB, 'not what others may be reading')
  const [one, other] = [Buffer.from('one'), Buffer.from('other')]
  free(one)
  t.equal(`${one} ${other}`, 'one other', 'not what lies in memory with others')
  for (const size of [8 << 10, 64 << 10, Buffer.poolSize, 1 << 20]) {
    const own = Buffer.allocUnsafeSlow(size)
    free(own)
    t.equal(own.length, 0, `${size} bytes of one array alone, also where Buffers share as many`)
  }
})

t.test('a large body is read without leaving its pieces to the collector', async t => {
  const pieces: Buffer[] = []
  const server = createServer((request, response) => {
    request.on('data', (piece: Buffer) => pieces.push(piece))
    const bounds = { limit: 0, lease: { raise: () => true } as never, signal: new AbortController().signal }
    readStream(request, { ...bounds, tooLarge: () => new DbError('Internal', ''), into: Buffer.alloc(MiB) })
      .then(body => response.end(String(body.length)))
      .catch(error => response.destroy(error))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  const answer = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: Buffer.alloc(MiB, 1) })
  t.equal(await answer.text(), String(MiB))
  const left = pieces.filter(piece => piece.length >= 32 << 10)
  t.strictSame([pieces.length > 8, left.length], [true, 0])
})

t.test('arrays that nobody uses go when they are looked for', async t => {
  collect('major')
  const before = process.memoryUsage().arrayBuffers
  // Less than the runtime would begin to look for them at.
  for (let i = 0; i < 24; i++) new Uint8Array(MiB)
  const held = process.memoryUsage().arrayBuffers - before
  collect('minor')
  // Their memory goes in a thread beside, which the next look hears of.
  await new Promise(resolve => setTimeout(resolve, 100))
  collect('minor')
  const left = process.memoryUsage().arrayBuffers - before
  t.ok(held > 16 * MiB && left < 8 * MiB, `${held} bytes before, ${left} after`)
  t.equal(globalThis.gc, undefined, 'nobody else gets the means')
})

t.test('a collection that was begun frees shared memory beside the work', async t => {
  let pieces = Array.from({ length: 16 }, () => new Uint8Array(new SharedArrayBuffer(4 * MiB)).fill(1))
  let isGone = false
  const registry = new FinalizationRegistry(() => {
    isGone = true
  })
  registry.register(pieces[0]!.buffer, '')
  t.equal(pieces.length, 16)
  pieces = []
  beginCollection()
  for (let left = 100; left > 0 && !isGone; left--) {
    // V8 goes on while the thread works.
    Array.from({ length: 1000 }, (_, i) => ({ i }))
    await new Promise(resolve => setTimeout(resolve, 20))
  }
  t.ok(isGone)
  t.equal(pieces.length, 0)
})

t.test('threads that collect for the first time at the same moment do not disturb each other', async t => {
  const source = `import { collect } from ${JSON.stringify(new URL('../../../core/workers/free.ts', import.meta.url).href)}; collect('minor')`
  for (let round = 0; round < 4; round++) {
    const threads = Array.from(
      { length: 8 },
      () => new Worker(new URL(`data:text/javascript,${encodeURIComponent(source)}`))
    )
    await t.resolves(Promise.all(threads.map(thread => once(thread, 'exit'))))
  }
})

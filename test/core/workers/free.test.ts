import t from 'tap'
import { collect, free } from '../../../core/workers/free.ts'

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

import t from 'tap'
import { Throttle } from '../../../core/storage/embedded/upkeep/throttle.ts'

const MiB = 2 ** 20
const limits = { size: 128 * MiB, limit: 512 * MiB }

/** Writers that write as fast as they may, beside flushes of so many bytes a millisecond, one memtable after the other. */
function run(writers: number, fill: number, flush: number, milliseconds: number) {
  const throttle = new Throttle()
  const bytes = 64 * 1024
  const busy = bytes / fill
  const next = new Array<number>(writers).fill(0)
  let [active, written, longest, most] = [0, 0, 0, 0]
  const sealed: number[] = []
  let left = 0
  for (let now = 0; now < milliseconds; now++) {
    if (left > 0) left -= flush
    if (left <= 0 && sealed.length > 0 && left !== 0) {
      const done = sealed.shift()!
      throttle.flushed(done, done / flush)
      left = 0
    }
    if (active >= limits.size) {
      sealed.push(active)
      active = 0
    }
    if (left === 0 && sealed.length > 0) left = sealed[0]!
    const held = () => active + sealed.reduce((sum, each) => sum + each, 0)
    for (let i = 0; i < writers; i++) {
      while (next[i]! <= now) {
        const wait = throttle.delay(bytes, { ...limits, bytes: held() }, now)
        longest = Math.max(longest, wait)
        active += bytes
        written += bytes
        next[i] = now + wait + busy * writers
      }
    }
    most = Math.max(most, held())
  }
  return { rate: written / milliseconds, longest, most }
}

t.test('while flushes keep up no write waits', async t => {
  const { longest, rate } = run(4, 60_000, 100_000, 60_000)
  t.equal(longest, 0)
  t.ok(rate > 50_000)
})

for (const writers of [1, 4, 100]) {
  t.test(`${writers} writers that are faster than flushes come to their rate, and none waits long`, async t => {
    const { longest, rate, most } = run(writers, 300_000, 60_000, 120_000)
    t.ok(longest <= 250, `${longest} ms`)
    t.ok(most < limits.limit, `${most / MiB} MiB`)
    t.ok(rate > 50_000 && rate < 80_000, `${rate} bytes a millisecond`)
  })
}

t.test('at the limit a write waits, but not for ever; a limit at the size is possible', async t => {
  const throttle = new Throttle()
  t.equal(throttle.delay(1000, { ...limits, bytes: 513 * MiB }, 0), 250)
  t.equal(throttle.delay(1000, { size: MiB, limit: MiB, bytes: 0 }, 0), 0)
  t.equal(throttle.delay(1000, { size: MiB, limit: MiB, bytes: 2 * MiB }, 0), 250)
  t.equal(throttle.delay(1000, { size: MiB, limit: MiB, bytes: MiB }, 0), 0)
})

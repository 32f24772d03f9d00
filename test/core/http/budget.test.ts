import t from 'tap'
import { createBudget } from '../../../core/http/budget.ts'
import { createMetrics } from '../../../core/metrics/metrics.ts'

const never = new AbortController().signal
const budget = (limit: number, wait: number) => createBudget({ limit, wait }, createMetrics())

t.test('bodies are counted in steps of 1 KiB', async t => {
  const { lease } = budget(2048, 0)
  const one = lease()
  const two = lease()
  t.ok(one.raise(1))
  t.ok(one.raise(1024), 'the first step is paid for')
  t.ok(two.raise(1000))
  t.notOk(lease().raise(1))
  two.release()
  t.ok(lease().raise(1))
})

t.test('a limit of 0 lets everything in', async t => {
  t.ok(budget(0, 0).lease().raise(1e12))
})

t.test('the policy fail refuses at once, with 429 and the key', async t => {
  const { lease } = budget(1024, 0)
  lease().raise(1024)
  await t.rejects(lease().wait(1, never), { code: 'RateLimited', status: 429, message: /max_in_flight_write_bytes/ })
})

t.test('a body larger than the whole limit is refused without waiting', async t => {
  await t.rejects(budget(2048, 60_000).lease().wait(7000, never), { code: 'RateLimited' })
})

t.test('the policy wait lets requests in as room is given back, in order', async t => {
  const { lease } = budget(2048, 5000)
  const first = lease()
  first.raise(2048)
  const order: string[] = []
  const a = lease()
  const b = lease()
  const waits = [a.wait(2048, never).then(() => order.push('a')), b.wait(1024, never).then(() => order.push('b'))]
  t.notOk(lease().raise(1), 'nobody overtakes those who wait')
  first.release()
  await waits[0]
  t.strictSame(order, ['a'])
  a.release()
  await waits[1]
  t.strictSame(order, ['a', 'b'])
})

t.test('waiting ends with the time of the policy', async t => {
  const { lease } = budget(1024, 20)
  lease().raise(1024)
  await t.rejects(lease().wait(1, never), { code: 'RateLimited' })
})

t.test('waiting ends with the request, and those behind it move up', async t => {
  const { lease } = budget(2048, 5000)
  lease().raise(1024)
  const controller = new AbortController()
  const large = lease().wait(2048, controller.signal)
  const small = lease().wait(1024, never)
  controller.abort(new Error('gone'))
  await t.rejects(large, { message: 'gone' })
  await small
})

t.test(
  'bodies that have come in half do not wait for each other: one goes beyond the limit, then the next',
  async t => {
    const { lease } = budget(4096, 5000)
    const bodies = [lease(), lease(), lease(), lease()]
    for (const body of bodies) t.ok(body.raise(1024))
    const done: number[] = []
    const waits = bodies.map(async (body, i) => {
      await body.wait(3072, never)
      await body.wait(4096, never)
      done.push(i)
      body.release()
    })
    t.notOk(lease().raise(1024), 'a new one does not overtake them')
    await Promise.all(waits)
    t.strictSame(done.toSorted(), [0, 1, 2, 3])
    t.ok(lease().raise(4096), 'all was given back')
  }
)

t.test('work of a request that has ended gets no memory', async t => {
  const { lease } = budget(4096, 5000)
  const ended = lease()
  ended.raise(2048)
  const other = lease()
  other.raise(2048)
  const waiting = lease()
  waiting.raise(0)
  const waits = [ended.wait(4096, never), waiting.wait(4096, never)]
  ended.release()
  t.notOk(ended.raise(1))
  await t.rejects(ended.wait(1, never), { code: 'Cancelled' })
  other.release()
  await Promise.all(waits)
  waiting.release()
  t.ok(lease().raise(4096), 'all of it is free')
})

t.test('small bodies have room of their own where large ones have taken all, and no more than a sixteenth', async t => {
  const MiB = 2 ** 20
  const { lease } = budget(MiB, 5000)
  const large = lease()
  t.ok(large.raise(MiB))
  const next = lease()
  const waiting = next.wait(MiB / 2, never)
  const small = lease()
  t.ok(small.raise(1024), 'nobody waits behind large ones with a small body')
  t.ok(small.raise(60 << 10), 'which may grow')
  t.notOk(small.raise(65 << 10), 'but not become large')
  t.notOk(lease().raise(8 << 10), 'their room is limited, too')
  small.release()
  t.ok(lease().raise(64 << 10))
  large.release()
  await waiting
  next.release()
  t.ok(lease().raise(MiB), 'all of it was given back')
})

t.test('users take turns where bodies wait for room', async t => {
  const { lease } = budget(2048, 5000)
  const first = lease()
  first.raise(2048)
  const order: string[] = []
  const waits = ['greedy', 'greedy', 'greedy', 'modest'].map(async (user, i) => {
    const own = lease(() => user)
    await own.wait(2048, never)
    order.push(`${user} ${i}`)
    own.release()
  })
  first.release()
  await Promise.all(waits)
  t.strictSame(order, ['greedy 0', 'modest 3', 'greedy 1', 'greedy 2'])
})

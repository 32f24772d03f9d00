import { setImmediate as turn } from 'node:timers/promises'
import t from 'tap'
import { createSemaphore } from '../../../core/storage/semaphore.ts'

const { signal } = new AbortController()

t.test('as many are inside as the limit says, the others wait in order', async t => {
  const semaphore = createSemaphore(1)
  const leave = await semaphore.enter(signal)
  const order: string[] = []
  const enter = (name: string) =>
    semaphore.enter(signal).then(leave => {
      order.push(name)
      return leave
    })
  const second = enter('second')
  const third = enter('third')
  await turn()
  t.strictSame([semaphore.running(), semaphore.waiting(), order], [1, 2, []])
  leave()
  leave()
  ;(await second)()
  ;(await third)()
  t.strictSame([semaphore.running(), semaphore.waiting(), order], [0, 0, ['second', 'third']])
})

t.test('a limit that was raised lets in more with the next that leaves', async t => {
  let limit = 1
  const semaphore = createSemaphore(() => limit)
  const leave = await semaphore.enter(signal)
  const waiting = [1, 2, 3, 4].map(() => semaphore.enter(signal))
  await turn()
  limit = 3
  leave()
  await Promise.all(waiting.slice(0, 3))
  await turn()
  t.strictSame([semaphore.running(), semaphore.waiting()], [3, 1])
  limit = 0
  ;(await waiting[0]!)()
  await waiting[3]!
  t.equal(semaphore.waiting(), 0)
})

t.test('a waiting request that is cancelled leaves no gap in the queue', async t => {
  const semaphore = createSemaphore(1)
  const leave = await semaphore.enter(signal)
  const impatient = new AbortController()
  const gone = semaphore.enter(impatient.signal)
  const next = semaphore.enter(signal)
  await turn()
  impatient.abort(new Error('no more'))
  await t.rejects(gone, { message: 'no more' })
  leave()
  ;(await next)()
  t.equal(semaphore.running(), 0)
})

t.test('users take turns, and no more may wait than configured, for no longer than that', async t => {
  const refused: string[] = []
  const queue = { max: 4, time: 0 }
  const semaphore = createSemaphore(1, { queue: () => queue, refused: reason => refused.push(reason) })
  const leave = await semaphore.enter(signal, 'a')
  const order: string[] = []
  const by = (user: string, name: string) =>
    semaphore.enter(signal, user).then(leave => {
      order.push(name)
      leave()
    })
  const waiting = [by('a', 'a1'), by('a', 'a2'), by('a', 'a3'), by('b', 'b1')]
  const full = { code: 'RateLimited', retryAfter: 1, message: /no more than 4 may \(max_waiting_queries\)/ }
  await t.rejects(by('b', 'b2'), full)
  leave()
  await Promise.all(waiting)
  t.strictSame(order, ['a1', 'b1', 'a2', 'a3'])
  const blocks = await semaphore.enter(signal)
  queue.time = 20
  await t.rejects(by('a', 'a4'), { code: 'RateLimited', message: /\(query_wait_timeout\)/ })
  t.strictSame(refused, ['full', 'late'])
  t.equal(semaphore.waiting(), 0)
  blocks()
})

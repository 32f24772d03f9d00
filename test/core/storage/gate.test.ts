import { setImmediate as turn } from 'node:timers/promises'
import t from 'tap'
import { createGate } from '../../../core/storage/gate.ts'

const { signal } = new AbortController()

t.test('as many are inside as the limit says, the others wait in order', async t => {
  const gate = createGate(1)
  const leave = await gate.enter(signal)
  const order: string[] = []
  const enter = (name: string) =>
    gate.enter(signal).then(leave => {
      order.push(name)
      return leave
    })
  const second = enter('second')
  const third = enter('third')
  await turn()
  t.strictSame([gate.running(), gate.waiting(), order], [1, 2, []])
  leave()
  leave()
  ;(await second)()
  ;(await third)()
  t.strictSame([gate.running(), gate.waiting(), order], [0, 0, ['second', 'third']])
})

t.test('a limit that was raised lets in more with the next that leaves', async t => {
  let limit = 1
  const gate = createGate(() => limit)
  const leave = await gate.enter(signal)
  const waiting = [1, 2, 3, 4].map(() => gate.enter(signal))
  await turn()
  limit = 3
  leave()
  await Promise.all(waiting.slice(0, 3))
  await turn()
  t.strictSame([gate.running(), gate.waiting()], [3, 1])
  limit = 0
  ;(await waiting[0]!)()
  await waiting[3]!
  t.equal(gate.waiting(), 0)
})

t.test('who stops waiting leaves no gap', async t => {
  const gate = createGate(1)
  const leave = await gate.enter(signal)
  const impatient = new AbortController()
  const gone = gate.enter(impatient.signal)
  const next = gate.enter(signal)
  await turn()
  impatient.abort(new Error('no more'))
  await t.rejects(gone, { message: 'no more' })
  leave()
  ;(await next)()
  t.equal(gate.running(), 0)
})

import t from 'tap'
import { warmUp } from '../../../plugins/promql/warm-up.ts'

t.test('made-up queries of every kind run until their time is spent', async t => {
  const { signal } = new AbortController()
  const began = performance.now()
  t.ok((await warmUp({ rest: 10, time: 400, signal })) >= 8)
  t.ok(performance.now() - began >= 400)
  t.equal(await warmUp({ rest: 10, time: 0, signal }), 0, 'none without time')
})

t.test('a server that stops does not wait for them', async t => {
  const controller = new AbortController()
  const before = warmUp({ rest: 60_000, time: 100, signal: controller.signal })
  const during = warmUp({ rest: 10, time: 60_000, signal: controller.signal })
  setTimeout(() => controller.abort(), 1_000)
  t.equal(await before, 0)
  t.ok((await during) > 0)
})

import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { startRounds } from '../../../core/storage/embedded/upkeep/rounds.ts'
import { eventually } from '../../eventually.ts'

t.test('one round follows the other, none begins before the last is over, and long ones rest', async t => {
  let [rounds, running, most] = [0, 0, 0]
  const begun: number[] = []
  const { stop } = startRounds(1, async () => {
    begun.push(performance.now())
    most = Math.max(most, ++running)
    await sleep(rounds < 3 ? 0 : 30)
    running--
    rounds++
  })
  await eventually(() => rounds >= 5)
  await stop()
  t.equal(most, 1)
  t.ok(begun[4]! - begun[3]! > 200, 'after 30 ms of work others have ten times as long')
  const before = rounds
  await sleep(20)
  t.equal(rounds, before)
})

t.test('the stop ends a round in its midst', async t => {
  let isOver = false
  const { stop } = startRounds(1, async pace => {
    for (;;) {
      for (const end = performance.now() + 15; performance.now() < end; );
      if (pace.isDue) await pace.pause().finally(() => (isOver = true))
    }
  })
  await sleep(30)
  await stop()
  t.ok(isOver)
})

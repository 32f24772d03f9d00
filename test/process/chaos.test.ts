import t from 'tap'
import { isLong } from '../long.ts'
import { runChaos } from './chaos/run.ts'

t.test('rounds of chaos lose no answered row, double none, and leave no half request', async t => {
  const { problems, answered, folder } = await runChaos({ rounds: isLong ? 10 : 3, seed: 20 })
  t.same(problems, [], `all is well (${folder})`)
  // The first round waits for 68; later ones may meet their fault sooner, and how many requests are under way is up to the machine.
  t.ok(answered >= 68, `${answered} requests were answered`)
})

import t from 'tap'
import { isLong } from '../long.ts'
import { runChaos } from './chaos/run.ts'

t.test('rounds of chaos lose no answered row, double none, and leave no half request', async t => {
  // The first round waits for 68 requests; later ones may meet their fault sooner.
  const { problems, answered, folder } = await runChaos({ rounds: isLong ? 10 : 5, seed: 20 })
  t.same(problems, [], `all is well (${folder})`)
  t.ok(answered > 100, `${answered} requests were answered`)
})

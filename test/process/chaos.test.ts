import t from 'tap'
import { runChaos } from './chaos/run.ts'

t.test('ten rounds of chaos lose no answered row, double none, and leave no half request', async t => {
  const { problems, answered, folder } = await runChaos({ rounds: 10, seed: 20 })
  t.same(problems, [], `all is well (${folder})`)
  t.ok(answered > 100, `${answered} requests were answered`)
})

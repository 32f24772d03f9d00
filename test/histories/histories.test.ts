import t from 'tap'
import { isLong } from '../long.ts'
import { runHistories } from './run.ts'

for (const seed of isLong ? [1, 4] : [1]) {
  t.test(`clients side by side lose and invent nothing, whenever the engine is killed, seed ${seed}`, async t => {
    const { problem, kills, folder } = await runHistories({ seed, milliseconds: 6_000 })
    t.equal(problem, undefined, `nothing is wrong (${folder})`)
    t.ok(kills > 0)
  })
}

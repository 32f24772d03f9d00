import t from 'tap'
import { eachConcurrent } from '../../core/concurrent.ts'

t.test('all items are worked on in their order, some at the same time', async t => {
  const begun: number[] = []
  let [running, most] = [0, 0]
  await eachConcurrent([1, 2, 3, 4, 5, 6, 7], 3, async item => {
    begun.push(item)
    most = Math.max(most, ++running)
    await new Promise(resolve => setImmediate(resolve))
    running--
  })
  t.strictSame(begun, [1, 2, 3, 4, 5, 6, 7])
  t.equal(most, 3)
  await eachConcurrent([], 3, async () => void t.fail('there is no item'))
})

t.test('the first failure is that of all', async t => {
  const work = async (item: number) => {
    if (item > 1) throw new Error(`item ${item}`)
  }
  await t.rejects(eachConcurrent([1, 2, 3], 1, work), { message: 'item 2' })
})

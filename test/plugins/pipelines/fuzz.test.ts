import t from 'tap'
import { fuzz } from '../../fuzz/pipelines.ts'

t.test('documents of any kind compile or are refused with a position, and those that compile run', async t => {
  const { broken, summary } = fuzz(20_260_101, 1500)
  t.equal(broken, undefined, summary)
})

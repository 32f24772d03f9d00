import t from 'tap'
import { fuzz } from '../../fuzz/profiling.ts'

t.test('bent dumps are drawn or refused, never anything else', async t => {
  const { broken, summary } = fuzz(20_261_121, 2000)
  t.equal(broken, undefined, summary)
})

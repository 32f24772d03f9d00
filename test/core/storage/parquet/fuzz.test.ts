import t from 'tap'
import { fuzz } from '../../../fuzz/parquet.ts'

t.test('damaged files are refused or read as they were, never anything else', async t => {
  const { broken, summary } = fuzz(20_261_122, 1000)
  t.equal(broken, undefined, summary)
})

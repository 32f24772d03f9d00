import t from 'tap'
import { fuzz } from '../../fuzz/tsdbput.ts'

t.test('bent requests are read as a JSON parser reads them, or refused', async t => {
  const { broken, summary } = fuzz(20_260_110, 5000)
  t.equal(broken, undefined, summary)
})

import t from 'tap'
import { fuzz } from '../../fuzz/lineproto.ts'

t.test('bent lines are read as a plain reader reads them, or refused as it does', async t => {
  const { broken, summary } = fuzz(20_260_109, 2000)
  t.equal(broken, undefined, summary)
})

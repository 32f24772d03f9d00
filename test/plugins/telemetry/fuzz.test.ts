import t from 'tap'
import { fuzz } from '../../fuzz/telemetry.ts'

t.test('bent requests are taken or refused, never anything else', async t => {
  const { broken, summary } = fuzz(20_261_121, 3000)
  t.equal(broken, undefined, summary)
})

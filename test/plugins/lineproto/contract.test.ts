import t from 'tap'
import plugin from '../../../plugins/lineproto/index.ts'
import { pluginContract } from '../../contract/index.ts'

await pluginContract(t, {
  plugin,
  good: { method: 'POST', url: '/v1/lineproto/write', payload: 'm,a=b v=1' },
  bad: { method: 'POST', url: '/v1/lineproto/api/v2/write', payload: 'm,a=b v=' }
})

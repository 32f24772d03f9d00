import t from 'tap'
import plugin from '../../../plugins/tsdbput/index.ts'
import { pluginContract } from '../../contract/index.ts'

await pluginContract(t, {
  plugin,
  good: {
    method: 'POST',
    url: '/v1/tsdbput/api/put',
    payload: '{"metric":"m","timestamp":1,"value":1,"tags":{"a":"b"}}'
  },
  bad: { method: 'POST', url: '/v1/tsdbput/api/put', payload: '{"metric":"m"}' }
})

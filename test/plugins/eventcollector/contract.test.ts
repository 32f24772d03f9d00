import t from 'tap'
import plugin from '../../../plugins/eventcollector/index.ts'
import { pluginContract } from '../../contract/index.ts'

const url = '/v1/eventcollector/services/collector/event'

await pluginContract(t, {
  plugin,
  good: { method: 'POST', url, payload: '{"host":"h","event":"x"}' },
  bad: { method: 'POST', url, payload: '{"host":"h"}' }
})

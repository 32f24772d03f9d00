import t from 'tap'
import plugin from '../../../plugins/promql/index.ts'
import { pluginContract } from '../../contract/index.ts'

const range = 'start=0&end=10&step=5s'

await pluginContract(t, {
  plugin,
  good: { method: 'GET', url: `/v1/promql?query=1&${range}` },
  bad: { method: 'GET', url: `/v1/promql?query=sum(&${range}` },
  action: 'read'
})

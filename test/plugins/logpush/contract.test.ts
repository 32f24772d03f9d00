import t from 'tap'
import plugin from '../../../plugins/logpush/index.ts'
import { pluginContract } from '../../contract/index.ts'

const payload = '{"streams":[{"stream":{"app":"x"},"values":[["1","a line"]]}]}'
const headers = { 'content-type': 'application/json' }

await pluginContract(t, {
  plugin,
  good: { method: 'POST', url: '/v1/logpush/api/v1/push', payload, headers },
  bad: { method: 'POST', url: '/v1/logpush/api/v1/push', payload: '{}', headers }
})

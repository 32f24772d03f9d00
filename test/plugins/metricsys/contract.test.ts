import t from 'tap'
import { encodeSnappy } from '../../../core/wire/index.ts'
import plugin from '../../../plugins/metricsys/index.ts'
import { pluginContract } from '../../contract/index.ts'
import { readQueries, writeV1 } from './messages.ts'

const body = encodeSnappy(writeV1([{ labels: { __name__: 'm', a: '1' }, samples: [[1, 1]] }]))

await pluginContract(t, {
  plugin,
  good: { method: 'POST', url: '/v1/metricsys/write', payload: Buffer.from(body) },
  bad: { method: 'POST', url: '/v1/metricsys/write', payload: 'no protobuf' }
})

t.test('reading needs permission to read', async t => {
  const { startServer } = await import('../../helpers.ts')
  const { main } = await startServer(t, 'user_provider = "static_user_provider:cmd:reader:ro=r,writer:wo=w"')
  const read = async (user: string) => {
    const authorization = `Basic ${Buffer.from(user).toString('base64')}`
    const payload = Buffer.from(readQueries([]))
    const answer = await main.inject({ method: 'POST', url: '/v1/metricsys/read', payload, headers: { authorization } })
    return answer.statusCode
  }
  t.same([await read('reader:r'), await read('writer:w')], [200, 403])
})

import t from 'tap'
import plugin from '../../../plugins/jaeger/index.ts'
import { pluginContract } from '../../contract/index.ts'
import { startServer } from '../../helpers.ts'

await pluginContract(t, {
  plugin,
  good: { method: 'GET', url: '/v1/jaeger/api/services' },
  bad: { method: 'GET', url: '/v1/jaeger/api/traces' },
  action: 'read'
})

t.test('every answer has the envelope, errors too', async t => {
  const { main } = await startServer(t, 'user_provider = "static_user_provider:cmd:reader:ro=r"')
  const get = async (path: string, user?: string) => {
    const headers = user === undefined ? {} : { authorization: `Basic ${Buffer.from(user).toString('base64')}` }
    const answer = await main.inject({ url: `/v1/jaeger/api${path}`, headers })
    return [
      answer.statusCode,
      Object.keys(answer.json()).join(),
      answer.headers['content-type']?.toString().split(';')[0]
    ]
  }
  const envelope = 'data,total,limit,offset,errors'
  t.same(await get('/services', 'reader:r'), [200, envelope, 'application/json'])
  t.same(await get('/services'), [401, envelope, 'application/json'])
  t.same(await get('/traces', 'reader:r'), [400, envelope, 'application/json'])
  t.same(await get('/traces/1', 'reader:r'), [404, envelope, 'application/json'])
})

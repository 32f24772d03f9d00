// Requests that name a pipeline while the plugin `pipelines` is off are refused: storing them unprocessed would be worse.

import t from 'tap'
import { encodeSnappy, ProtoWriter } from '../../../core/wire/index.ts'
import { startServer } from '../../helpers.ts'

const push = '{"streams":[{"stream":{"app":"api"},"values":[["1700000000000000000","GET /"]]}]}'

t.test('a protocol refuses a pipeline that is asked for while the plugin pipelines is off', async t => {
  const { main } = await startServer(
    t,
    '[plugins.pipelines]\nenabled = false\n[plugins.ingest]\nenabled = false\n[plugins.vrl]\nenabled = false\n'
  )
  const requests = {
    '/v1/logpush/api/v1/push': { payload: push, headers: { 'content-type': 'application/json' } },
    '/v1/eventcollector/services/collector/event': { payload: '{"event":"e"}', headers: {} },
    '/v1/telemetry/v1/logs': { payload: '{}', headers: { 'content-type': 'application/json' } },
    '/v1/metricsys/write': {
      payload: Buffer.from(encodeSnappy(new ProtoWriter().bytes)),
      headers: { 'content-type': 'application/x-protobuf', 'content-encoding': 'snappy' }
    }
  }
  for (const [url, { payload, headers }] of Object.entries(requests)) {
    for (const name of ['x-svc-pipeline-name', 'x-svc-log-pipeline-name']) {
      const refused = await main.inject({ method: 'POST', url, payload, headers: { ...headers, [name]: 'levels' } })
      t.equal(refused.statusCode, 400, `${url} with ${name}`)
      t.match(refused.rawPayload.toString('latin1'), /a pipeline needs the plugin pipelines, which is off/, url)
    }
    const taken = await main.inject({ method: 'POST', url, payload, headers })
    t.match(String(taken.statusCode), /^2/, `${url} without one: ${taken.payload}`)
  }
})

// The server's own traces, sent to the server itself.
import t from 'tap'
import { freePort } from '../../../../bench/server.ts'
import { eventually } from '../../../eventually.ts'
import { serverFolder, startProcess } from '../../../process/server.ts'

t.test('a server traces its requests into itself, and not the sending of traces', async t => {
  const address = `127.0.0.1:${await freePort()}`
  const { url } = await startProcess(t, serverFolder(t), {
    env: {
      WEIR__HTTP__ADDR: address,
      WEIR__TRACING__ENABLE: 'true',
      WEIR__TRACING__OTLP_ENDPOINT: `http://${address}/v1/telemetry/v1/traces`
    }
  })
  const sql = (text: string) => fetch(`${url}/v1/sql?sql=${encodeURIComponent(text)}`)
  t.equal((await sql('SELECT 1')).status, 200)
  const ask = async (path: string) =>
    ((await (await fetch(`${url}/v1/jaeger/api${path}`)).json()) as { data: unknown[] }).data
  const tags = encodeURIComponent('{"http.route":"/v1/sql"}')
  // The statement is a trace.
  const traces = await eventually(
    () => ask(`/traces?service=weir&tags=${tags}&lookback=1h`),
    found => found.length > 0
  )
  const [trace] = traces as { spans: { operationName: string; tags: { key: string }[] }[] }[]
  t.ok(trace!.spans.length > 1, `with what it did: ${trace?.spans.map(({ operationName }) => operationName).join()}`)
  const operations = (await ask('/services/weir/operations')).map(String)
  t.notOk(
    operations.some(name => name.includes('/v1/telemetry')),
    operations.join()
  )
})

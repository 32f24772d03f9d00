import t from 'tap'
import { startServer } from '../../helpers.ts'

t.test('tables grow as far as they may, whatever items ask for', async t => {
  const toml = '[limits]\nmax_tables = 2\nmax_columns = 4\nmax_series = 2'
  const { main } = await startServer(t, toml)
  const post = async (url: string, payload: string, type: string) => {
    const answer = await main.inject({ method: 'POST', url, payload, headers: { 'content-type': type } })
    return { status: answer.statusCode, body: answer.body }
  }
  const document = `
processors:
  - date: { field: at, formats: ['%Y-%m-%dT%H:%M:%SZ'] }
table_suffix: _\${to}
transform:
  - { field: host, type: string, tag: true }
  - { field: n, type: int32, tag: true, on_failure: ignore }
  - { field: at, type: 'timestamp, ms', index: timestamp }
`
  t.equal((await post('/v1/pipelines/p', document, 'application/x-yaml')).status, 200)
  const at = '2026-01-01T00:00:00Z'
  const send = (...items: object[]) => {
    const body = items.map(item => JSON.stringify({ at, to: 'a', ...item })).join('\n')
    return post('/v1/ingest?table=t&pipeline_name=p', body, 'application/x-ndjson')
  }
  const refused = (pattern: RegExp) => ({ status: 400, body: pattern })
  const series = /table t_a would have more than 2 series \(limits.max_series\)/
  t.match(await send({ host: 'a' }, { host: 'b', n: 1 }, { host: 'b', n: 2 }), refused(series), 'at once')
  t.match(await send({ host: 'a' }, { host: 'b', n: 1 }, { host: 'a' }), { status: 200 })
  t.match(await send({ host: 'b', n: 1 }, { host: 'a' }), { status: 200 }, 'those it has go on')
  t.match(await send({ host: 'b', n: 2 }), refused(series))
  const tables = /database public would have more than 2 tables \(limits.max_tables\)/
  t.match(await send({ to: 'b' }, { to: 'c' }), refused(tables))
  t.match(await send({ to: 'b' }), { status: 200 })
  const wide = '{"x":1,"y":2,"z":3}'
  const identity = '/v1/ingest?table=t_b&pipeline_name=svc_identity&custom_time_index=at;epoch;ms'
  t.match(
    await post(identity, wide.replace('{', '{"at":1,'), 'application/x-ndjson'),
    refused(/table t_b would have more than 4 columns \(limits.max_columns\)/)
  )
})

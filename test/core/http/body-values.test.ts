import t from 'tap'
import { startServer } from '../../helpers.ts'

const json = 'application/json'
const many = `[${'{},'.repeat(30)}{}]`
const pipeline = 'table=t&pipeline_name=svc_identity'
const collector = '/v1/eventcollector/services/collector'
const point = '"metric":"m","timestamp":1700000000,"value":1,"tags":{"a":"b"}'

/** Each way JSON and lines come in: a body that is taken, and one whose values are too many. */
const ways = [
  { url: `/v1/ingest?${pipeline}`, type: json, good: '[{"a":1}]', bad: many },
  { url: `/v1/ingest?${pipeline}&ignore_errors=true`, type: json, good: '[{"a":1}]', bad: `[{"a":${many}}]` },
  { url: `/v1/ingest?${pipeline}`, type: 'application/x-ndjson', good: '{"a":1}\n', bad: '{}\n'.repeat(31) },
  {
    url: `/v1/ingest?${pipeline}`,
    type: 'text/plain',
    good: 'a\n,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,',
    bad: 'a\n'.repeat(31)
  },
  { url: `${collector}/event`, type: json, good: '{"event":1}', bad: `{"event":${many}}` },
  { url: `${collector}/raw?linebreaker=%0A`, type: json, good: 'a\nb', bad: 'a\n'.repeat(31) },
  { url: '/v1/logpush/api/v1/push', type: json, good: '{"streams":[]}', bad: `{"x":${many},"streams":[]}` },
  { url: '/v1/tsdbput/api/put?details', type: json, good: `{${point}}`, bad: `{"x":${many},${point}}` },
  { url: '/v1/telemetry/v1/logs', type: json, good: '{}', bad: `{"x":${many}}` },
  { url: '/v1/pipelines/_dryrun', type: json, good: '', bad: many },
  { url: '/v1/pipelines/_dryrun', type: json, good: '', bad: JSON.stringify({ pipeline: 'transform: []', data: many }) }
]

t.test('every way in refuses a body of more values than http.max_body_values', async t => {
  const { main } = await startServer(t, '[http]\nmax_body_values = 30')
  for (const { url, type, good, bad } of ways) {
    const post = (payload: string) => main.inject({ method: 'POST', url, payload, headers: { 'content-type': type } })
    if (good !== '') t.match(await post(good), { statusCode: /^20[04]$/ }, good)
    const refused = await post(bad)
    t.equal(refused.statusCode, 413, url)
    t.match(refused.body, 'the body has more than 30 values (http.max_body_values)', url)
  }
  const { body } = await main.inject('/metrics')
  t.match(body, /svc_servers_http_requests_total\{[^}]*plugin="ingest"[^}]*code="413"\} 4/)
})

t.test('nor is more read of JSON in texts of items', async t => {
  const { main } = await startServer(t, '[http]\nmax_body_values = 30')
  const post = (url: string, type: string, payload: string) =>
    main.inject({ method: 'POST', url, payload, headers: { 'content-type': type } })
  const yaml = 'processors: [{ json_parse: { field: message } }]\ntransform: [{ field: message, type: json }]'
  t.equal((await post('/v1/pipelines/p', 'application/x-yaml', yaml)).statusCode, 200)
  const url = '/v1/ingest?table=texts&pipeline_name=p&skip_error=true'
  const { body } = await post(url, 'text/plain', `{"a":[1]}\n${many}\n{"a":[1]}`)
  t.match(JSON.parse(body), {
    skipped: { count: 2, errors: [{ index: 1, message: /http.max_body_values/ }, { index: 2 }] }
  })
})

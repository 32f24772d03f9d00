// Requests at the limits of every route that reads: many rows, many columns, long values, long queries.
import { encodeSnappy, ProtoWriter } from '../../../core/wire/index.ts'

export interface LoopQuestion {
  readonly name: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array<ArrayBuffer>
  readonly status: number
}

const form = { 'content-type': 'application/x-www-form-urlencoded' }
const json = { 'content-type': 'application/json' }
const seconds = 1_700_000_000

const range = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i))

const formats = ['svc_v1', 'csvWithNames', 'arrow', 'table', 'json', 'lineproto_v1']

/** What the requests beside have left is asked for. */
export function loopQuestions(): readonly LoopQuestion[] {
  const all: LoopQuestion[] = []
  const post = (name: string, path: string, parameters: Readonly<Record<string, string>>, status = 200) =>
    all.push({ name, path, headers: form, body: new URLSearchParams(parameters).toString(), status })
  const get = (name: string, path: string, headers = {}) => all.push({ name, path, headers, status: 200 })
  const sql = (name: string, text: string, status = 200, format = 'svc_v1') =>
    post(`SQL: ${name}`, '/v1/sql', { sql: text, format }, status)

  for (const format of formats) {
    const isTable = format === 'table'
    sql(`rows as ${format}`, 'SELECT * FROM big LIMIT 50000', 200, format)
    sql(`columns as ${format}`, 'SELECT * FROM wide_rows LIMIT 500', 200, format)
    sql(`one text as ${format}`, `SELECT repeat('a"é', 2000000) AS t, now() AS ts`, isTable ? 400 : 200, format)
    sql(`one list as ${format}`, 'SELECT range(200000) AS t, now() AS ts', isTable ? 400 : 200, format)
  }
  sql('many columns', `SELECT ${'1,'.repeat(12_490)}1`)
  for (const path of ['parse', 'format'])
    post(`SQL: ${path} many columns`, `/v1/sql/${path}`, { sql: `SELECT ${'1,'.repeat(12_490)}1` })
  sql('many statements', 'SHOW DATABASES;'.repeat(8_000))
  post('SQL: many parameters', '/v1/sql', { sql: 'SELECT $1', params: `[${'1,'.repeat(1_000_000)}1]` }, 400)
  const values = range(8_000, i => i)
  const placeholders = values.map(i => `$${i + 1}`).join()
  post('SQL: values of parameters', '/v1/sql', { sql: `SELECT ${placeholders}`, params: JSON.stringify(values) })
  post('SQL: nested parameters', '/v1/sql', { sql: 'SELECT $1', params: '['.repeat(1_300_000) }, 400)
  sql('operators', `SELECT 1${'+1'.repeat(24_000)}`, 400)
  sql('conditions', `SELECT * FROM big WHERE ${range(1_000, i => `host <> 'h${i}'`).join(' AND ')} LIMIT 1`)
  sql('LIKE', `SHOW TABLES LIKE '${'%_'.repeat(200_000)}b'`)
  // A question may be asked twice.
  const columned = `${range(5_000, i => `c${i} BIGINT`).join()}, ts TIMESTAMP TIME INDEX`
  sql('new columns', `DROP TABLE IF EXISTS columned; CREATE TABLE columned (${columned})`)
  sql('tables', 'SELECT * FROM information_schema.tables')
  sql('all columns', 'SELECT * FROM information_schema.columns')
  sql('broken signs', `SELECT '${'\ud800a'.repeat(100_000)}'`)

  const prom = (name: string, path: string, parameters: Readonly<Record<string, string>>, status = 200) =>
    post(`PromQL: ${name}`, `/v1/metricsys/api/v1/${path}`, parameters, status)
  const at = { time: String(seconds + 10) }
  const around = { start: String(seconds - 100), end: String(seconds + 300) }
  prom('series', 'query', { query: 'written_wide', ...at })
  prom('steps', 'query_range', { query: 'written_wide', ...around, step: '10' })
  prom('groups', 'query', { query: 'sum by (instance) (written_wide)', ...at })
  prom('order', 'query', { query: 'topk(100000, written_wide)', ...at })
  prom('set', 'query', { query: 'written_wide or written_wide', ...at })
  prom('list of series', 'series', { 'match[]': 'written_wide', ...around })
  get('PromQL: values of a label', '/v1/metricsys/api/v1/label/instance/values?match[]=written_wide')
  get('PromQL: metadata', '/v1/metricsys/api/v1/metadata?limit=100000')
  get('PromQL: statistics', '/v1/metricsys/api/v1/status/tsdb')
  prom('long query', 'query', { query: `${'1+'.repeat(24_000)}1` }, 400)
  const long = 'a{1000}'.repeat(19)
  prom('repetitions', 'query', { query: `up{${range(60, i => `l${i}=~"${i}${long}"`).join()}}` }, 400)
  const replaced = range(60, i => `label_replace(vector(1),"x","$1","y","${i}${long}")`)
  prom('replaced labels', 'query', { query: replaced.join(' or ') }, 400)
  prom('parentheses', 'format_query', { query: `${'('.repeat(20_000)}1${')'.repeat(20_000)}` }, 400)
  for (const format of formats) {
    const asked = { query: 'written_wide', start: String(seconds), end: String(seconds + 60), step: '60s', format }
    post(`PromQL: as ${format}`, '/v1/promql', asked)
  }

  const read = (name: string, queries: readonly Uint8Array[], status = 200, answer = 0) => {
    const request = new ProtoWriter().data(2, Buffer.from([answer]))
    for (const query of queries) request.data(1, query)
    const headers = { 'content-type': 'application/x-protobuf', 'content-encoding': 'snappy' }
    const body = new Uint8Array(encodeSnappy(request.bytes))
    all.push({ name: `remote read: ${name}`, path: '/v1/metricsys/read', headers, body, status })
  }
  const query = (...matchers: readonly Uint8Array[]) => {
    const out = new ProtoWriter().int64(1, 0n).int64(2, 2_000_000_000_000n)
    for (const each of matchers) out.data(3, each)
    return out.bytes
  }
  const matcher = (type: number, name: string, value: string) =>
    new ProtoWriter().uint(1, type).text(2, name).text(3, value).bytes
  const written = matcher(0, '__name__', 'written_wide')
  read('series', [query(written)])
  read('series as chunks', [query(written)], 200, 1)
  read(
    'queries',
    range(50_000, () => query(matcher(0, '__name__', 'none')))
  )
  read('matchers', [
    query(written, ...range(50, i => matcher(2, `l${i}`, 'b.*c')), ...range(20_000, i => matcher(1, `l${i}`, 'b')))
  ])
  read('names of metrics', [query(...range(1_000, i => matcher(3, '__name__', `b${i}.*c`)))], 400)
  read('long expression', [query(written, matcher(2, 'a', '(a*)*'.repeat(1_900)))])
  read('expression beyond the limit', [query(written, matcher(2, 'a', '(a*)*'.repeat(2_000)))], 400)
  read('too much', [query(written, matcher(0, 'a', 'x'.repeat(5 << 20)))], 413)

  const spans = { 'x-svc-trace-table-name': 'json_spans' }
  get('traces: one', `/v1/jaeger/api/traces/${(7_000_001).toString(16).padStart(32, '0')}`, spans)
  get('traces: services', '/v1/jaeger/api/services', spans)
  get('traces: dependencies', `/v1/jaeger/api/dependencies?endTs=${seconds * 1000 + 10_000}&lookback=100000000`, spans)

  const logs = {
    table: { schema_name: 'public', table_name: 'text_lines' },
    time_filter: { start: '2000-01-01', end: '2100-01-01' },
    limit: { fetch: 50_000 }
  }
  const send = (name: string, path: string, headers: Readonly<Record<string, string>>, body: string, status: number) =>
    all.push({ name, path, headers, body, status })
  send('logs: rows', '/v1/logs', json, JSON.stringify(logs), 200)
  const regex = (text: string) => ({ Single: { expr: { NamedIdent: 'message' }, filters: [{ Regex: text }] } })
  const filtered = (filters: object) => JSON.stringify({ ...logs, filters })
  send('logs: long expression', '/v1/logs', json, filtered(regex('(a*)*'.repeat(150_000))), 400)
  send('logs: expressions', '/v1/logs', json, filtered({ Or: range(2_000, i => regex(`${i}(a*)*b`)) }), 400)
  send('logs: repetitions', '/v1/logs', json, filtered({ Or: range(34, i => regex(i + long)) }), 400)
  send('logs: classes of Unicode', '/v1/logs', json, filtered(regex(`(?i)${'\\pL'.repeat(1_000)}`)), 400)
  const ofMessages = JSON.stringify({ ...logs, columns: ['message'], filters: regex('(a*)*'.repeat(150_000)) })
  send('logs: patterns by a long expression', '/v1/logs/patterns', json, ofMessages, 400)
  send('logs: long query', '/v1/logs', json, `{"a":[${'1,'.repeat(1_000_000)}1]}`, 400)
  send(
    'dry run: many items',
    '/v1/pipelines/_dryrun',
    json,
    `{"pipeline":"x","data":[${'{"a":1},'.repeat(500_000)}{}]}`,
    400
  )
  const yaml = { 'content-type': 'application/yaml' }
  send(
    'pipeline: long',
    '/v1/pipelines/long',
    yaml,
    `processors:\n${'  - epoch: { field: ts }\n'.repeat(1_000_000)}`,
    400
  )
  const part = '--b\r\ncontent-disposition: form-data; name="a"\r\n\r\nx\r\n'
  const parts = { 'content-type': 'multipart/form-data; boundary=b' }
  send('pipeline: form', '/v1/pipelines/long', parts, `${part.repeat(500_000)}--b--\r\n`, 400)
  send('board: long', '/dashboard/api/boards', json, `{"a":[${'1,'.repeat(500_000)}1]}`, 400)
  const panels = '"a text of a panel",'.repeat(500_000)
  send('board: large', '/dashboard/api/boards', json, `{"title":"x","document":{"a":[${panels}1]}}`, 413)
  const plain = { 'content-type': 'text/plain' }
  send('log levels: long', '/debug/log_level', plain, 'a=debug,'.repeat(500_000), 413)
  send('trace: long', '/debug/enable_trace', plain, 'x,=;'.repeat(2_000_000), 413)
  get('home', '/dashboard/api/home')
  get('metrics', '/metrics')
  get('status', '/status')
  return all
}

import { spawnSync } from 'node:child_process'
import t from 'tap'
import { startServer, type TestServer } from '../../helpers.ts'
import { findProgram, needing } from '../../programs.ts'

/** Names that other servers of this interface have; the linter's taste counts for the rest. */
const fixed = new Set([
  'svc_catalog_schema_count',
  'svc_catalog_table_count',
  'svc_servers_auth_failure_count',
  'svc_servers_error',
  'svc_servers_http_logs_ingestion_counter',
  'svc_table_operator_alter_tables',
  'svc_table_operator_create_table',
  'svc_table_operator_delete_rows',
  'svc_table_operator_ingest_rows'
])

async function ingest({ main }: TestServer, lines: number): Promise<void> {
  const payload = Array.from({ length: lines }, (_, i) => JSON.stringify({ line: i })).join('\n')
  const headers = { 'content-type': 'application/x-ndjson' }
  const url = '/v1/ingest?table=logs&pipeline_name=svc_identity'
  t.equal((await main.inject({ method: 'POST', url, headers, payload })).statusCode, 200)
}

async function query({ main }: TestServer, sql: string): Promise<number> {
  return (await main.inject(`/v1/sql?sql=${encodeURIComponent(sql)}`)).statusCode
}

/** The value of a sample in the text of /metrics, undefined where it is not there. */
function sample(text: string, name: string, labels: Readonly<Record<string, string>> = {}): number | undefined {
  const line = text.split('\n').find(line => {
    const end = line.search(/[{ ]/)
    return (
      line.slice(0, end) === name && Object.entries(labels).every(([key, value]) => line.includes(`${key}="${value}"`))
    )
  })
  return line === undefined ? undefined : Number(line.slice(line.lastIndexOf(' ') + 1))
}

t.test('a request leaves its mark in every part it went through', async t => {
  const server = await startServer(t)
  await ingest(server, 50)
  t.equal(await query(server, 'SELECT count(*) FROM logs'), 200)
  t.equal(await query(server, 'SELEC'), 400)
  t.equal(await query(server, "ADMIN flush_table('logs')"), 200)
  const { body } = await server.main.inject('/metrics')
  const found = (name: string, labels?: Readonly<Record<string, string>>) => sample(body, name, labels)
  const route = { server: 'main', plugin: 'ingest', path: '/v1/ingest', code: '200' }
  t.equal(found('svc_servers_http_requests_total', route), 1)
  t.equal(found('svc_servers_http_requests_elapsed_count', route), 1)
  t.equal(found('svc_servers_http_requests_in_flight', { server: 'main' }), 1, 'the request for the metrics itself')
  t.equal(found('svc_servers_http_received_bytes_total', { plugin: 'ingest' }), 50 * 10 + 40 + 49)
  t.equal(found('svc_servers_error', { plugin: 'sql', code: '1001' }), 1)
  t.equal(found('svc_servers_http_logs_ingestion_counter', { db: 'public' }), 50)
  t.equal(found('svc_servers_http_logs_ingestion_elapsed_count', { db: 'public', result: 'success' }), 1)
  t.equal(found('svc_servers_http_logs_transform_elapsed_count', { db: 'public', result: 'success' }), 1)
  t.equal(found('svc_servers_http_sql_elapsed_count', { db: 'public' }), 3)
  t.equal(found('svc_table_operator_ingest_rows', { db: 'public', plugin: 'ingest' }), 50)
  t.ok(found('svc_storage_wal_bytes_total')! > 0)
  t.ok(found('svc_storage_write_seconds_count')! > 0)
  t.equal(found('svc_storage_flush_seconds_count'), 1)
  t.equal(found('svc_storage_flushed_rows_total'), 50)
  t.equal(found('svc_storage_files'), 1)
  t.ok(found('svc_storage_files_bytes')! > 0)
  t.equal(found('svc_storage_memtable_rows'), 0)
  t.equal(found('svc_storage_memtable_limit_bytes'), 512 * 2 ** 20)
  t.ok(found('svc_query_elapsed_count', { kind: 'sql' })! > 0)
  t.equal(found('svc_query_running'), 0)
  t.equal(found('svc_query_process_up'), 1)
  t.ok(found('svc_query_process_resident_bytes')! > 0)
  t.equal(found('svc_query_process_statements', { state: 'running' }), 0)
  t.equal(found('svc_ready'), 1)
  for (const name of ['nodejs_eventloop_lag_p99_seconds', 'nodejs_heap_size_used_bytes', 'process_open_fds'])
    t.ok(found(name)! >= 0, name)
})

t.test('promtool can read the metrics and finds fault only with names that are fixed', needing('promtool'), async t => {
  const server = await startServer(t, 'user_provider = "static_user_provider:cmd:mia=plum"')
  await server.main.inject('/v1/sql?sql=SELECT+1')
  const { body } = await server.main.inject('/metrics')
  // The linter passes over families without a sample.
  const silent = server.core.metrics
    .families()
    .filter(({ name }) => !new RegExp(`^${name}(_bucket)?[{ ]`, 'm').test(body))
    .map(({ name, help, type }) => {
      const samples = type === 'histogram' ? `${name}_bucket{le="+Inf"} 0\n${name}_sum 0\n${name}_count 0` : `${name} 0`
      return { name, text: `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${samples}\n` }
    })
  const names = new Set(silent.map(({ name }) => name))
  const told = body.split('\n').filter(line => !names.has(/^# (?:HELP|TYPE) (\w+)/.exec(line)?.[1] ?? ''))
  const input = `${told.filter(line => line !== '').join('\n')}\n${silent.map(({ text }) => text).join('')}`
  t.ok(silent.length > 10)
  const { stderr, stdout } = spawnSync(findProgram('promtool')!, ['check', 'metrics'], { input, encoding: 'utf8' })
  const complaints = `${stdout}${stderr}`.split('\n').filter(line => line !== '')
  t.strictSame(
    complaints.filter(line => !fixed.has(line.split(' ')[0]!)),
    []
  )
})

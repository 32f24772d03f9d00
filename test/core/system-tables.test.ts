// The tables of svc_private can be read by every permitted user and changed by none.

import t from 'tap'
import { encodeSnappy } from '../../core/wire/index.ts'
import { askSql, startServer, temporaryFolder } from '../helpers.ts'
import { writeV1 } from '../plugins/metricsys/messages.ts'

const yaml = 'version: 2\ntransform:\n  - { field: ts, type: epoch, index: timestamp }\n'
const statements = [
  'DROP TABLE svc_private.pipelines',
  'DROP TABLE IF EXISTS svc_private.pipelines',
  'TRUNCATE TABLE svc_private.pipelines',
  'TRUNCATE svc_private.pipelines',
  "DELETE FROM svc_private.pipelines WHERE name = 'p'",
  'DELETE FROM svc_private.pipelines',
  "INSERT INTO svc_private.pipelines (name, schema, content_type, pipeline, created_at) VALUES ('p', '', 'yaml', 'x', 1)",
  'INSERT INTO svc_private.pipelines SELECT * FROM svc_private.pipelines',
  'ALTER TABLE svc_private.pipelines ADD COLUMN more STRING',
  'ALTER TABLE svc_private.pipelines DROP COLUMN pipeline',
  "ALTER TABLE svc_private.pipelines SET 'ttl' = '1s'",
  'ALTER TABLE svc_private.pipelines RENAME other',
  'CREATE TABLE svc_private.mine (ts TIMESTAMP TIME INDEX)',
  'CREATE VIEW svc_private.mine AS SELECT 1',
  'DROP DATABASE svc_private',
  "ALTER DATABASE svc_private SET 'ttl' = '1s'"
]

t.test('SQL, ingest and metrics cannot change the system tables, for no user', async t => {
  const folder = temporaryFolder(t)
  const toml = 'user_provider = "static_user_provider:cmd:all=a,writer:wo=w"\n'
  const server = await startServer(t, toml, { folder })
  const basic = (user: string) => ({ authorization: `Basic ${Buffer.from(user).toString('base64')}` })
  const post = async (url: string, payload: string | Buffer, headers: Record<string, string> = {}, user = 'all:a') => {
    const answer = await server.main.inject({ method: 'POST', url, payload, headers: { ...basic(user), ...headers } })
    return { status: answer.statusCode, body: answer.body }
  }
  t.equal((await post('/v1/pipelines/p', yaml, { 'content-type': 'application/yaml' })).status, 200)
  const rows = 'SELECT count(*) FROM svc_private.pipelines'
  const user = 'all:a'
  const before = await askSql(server, 'SHOW CREATE TABLE svc_private.pipelines', { user })

  const refused = (found: { status: number; body: string }, what: string) => {
    t.equal(found.status, 403, `${what}: ${found.body}`)
    t.match(found.body, /database svc_private is read-only/, what)
  }
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  for (const sql of statements) {
    for (const [db, text] of [
      ['public', sql],
      ['svc_private', sql.replaceAll('svc_private.', '')]
    ]) {
      refused(await post(`/v1/sql?db=${db}`, new URLSearchParams({ sql: text! }).toString(), form), `${db}: ${text}`)
    }
  }
  const json = { 'content-type': 'application/json' }
  const ndjson = { 'content-type': 'application/x-ndjson' }
  const metric = (labels: Record<string, string>) =>
    Buffer.from(encodeSnappy(writeV1([{ labels: { __name__: 'm', ...labels }, samples: [[1, 1]] }])))
  for (const writer of ['all:a', 'writer:w']) {
    refused(
      await post('/v1/ingest?db=svc_private&table=pipelines&pipeline_name=svc_identity', '{"a":1}', ndjson, writer),
      'ingest'
    )
    refused(
      await post('/v1/ingest?db=svc_private&table=new&pipeline_name=svc_identity', '{}', ndjson, writer),
      'ingest'
    )
    refused(await post('/v1/lineproto/write?db=svc_private', 'pipelines pipeline="x"', {}, writer), 'line protocol')
    const point = '{"metric":"m","timestamp":1,"value":1,"tags":{"a":"b"}}'
    refused(await post('/v1/tsdbput/api/put?db=svc_private', point, json, writer), 'put')
    refused(await post('/v1/metricsys/write?db=svc_private', metric({}), {}, writer), 'remote write')
    refused(await post('/v1/metricsys/write', metric({ __database__: 'svc_private' }), {}, writer), 'by a label')
    const push = '{"streams":[{"stream":{"app":"x"},"values":[["1","a line"]]}]}'
    refused(await post('/v1/logpush/api/v1/push?db=svc_private', push, json, writer), 'log push')
    const logs = '{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"timeUnixNano":"1","body":{"stringValue":"x"}}]}]}]}'
    refused(await post('/v1/telemetry/v1/logs?db=svc_private', logs, json, writer), 'OTLP')
  }

  t.same(await askSql(server, rows, { user }), [[1]])
  t.same(await askSql(server, 'SHOW CREATE TABLE svc_private.pipelines', { user }), before)
  t.same(await askSql(server, "SHOW TABLES FROM svc_private LIKE 'm%'", { user }), [])
  await server.close()

  const again = await startServer(t, toml, { folder })
  const kept = await again.main.inject({ url: '/v1/pipelines/p', headers: basic('all:a') })
  t.equal(kept.statusCode, 200, 'the pipeline is there after a restart')
})

t.test('a user without write permission makes no pipeline', async t => {
  const { main } = await startServer(t, 'user_provider = "static_user_provider:cmd:reader:ro=r"\n')
  const headers = { authorization: `Basic ${Buffer.from('reader:r').toString('base64')}`, 'content-type': 'text/yaml' }
  const made = await main.inject({ method: 'POST', url: '/v1/pipelines/p', payload: yaml, headers })
  t.equal(made.statusCode, 403)
  const removed = await main.inject({ method: 'DELETE', url: '/v1/pipelines/p?version=2026-01-01', headers })
  t.equal(removed.statusCode, 403)
})

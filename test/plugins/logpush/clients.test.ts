// Real senders of log lines.
import { createRequire } from 'node:module'
import pino from 'pino'
import { pinoLoki } from 'pino-loki'
import t, { type Test } from 'tap'
import winston from 'winston'
import { eventually } from '../../eventually.ts'
import { askSql } from '../../helpers.ts'
import { needing } from '../../programs.ts'
import { startSyslogNg } from '../../syslog-ng.ts'
import { path, serve } from './serve.ts'

/** What of winston-loki the test uses; its types lack the batcher. */
interface LokiTransport extends winston.transport {
  readonly batcher: { url: URL }
  flush(): Promise<void>
}

const WinstonLoki = createRequire(import.meta.url)('winston-loki') as new (
  options: Readonly<Record<string, unknown>>
) => LokiTransport

const users = 'user_provider = "static_user_provider:cmd:alice=pw"'

async function serveUsers(t: Test) {
  const server = await serve(t, users)
  return {
    ...server,
    sql: (text: string) => askSql(server, text, { user: 'alice:pw' }),
    host: server.addresses.main!,
    table: () => server.core.store.table('public', 'logpush_logs')
  }
}

t.test('pino-loki pushes lines with labels and structured metadata', async t => {
  const { host, sql, table } = await serveUsers(t)
  const stream = pinoLoki({
    host,
    endpoint: path,
    basicAuth: { username: 'alice', password: 'pw' },
    labels: { app: 'shop' },
    propsToLabels: ['region'],
    structuredMetaKey: 'meta',
    batching: { interval: 1 }
  })
  const before = Date.now()
  const logger = pino({ level: 'info' }, stream)
  logger.info({ region: 'eu', meta: { request: '9' } }, 'started')
  logger.error({ region: 'us' }, 'said "hi"')
  await eventually(
    async () => table(),
    found => found !== undefined
  )
  const ask = () =>
    sql('SELECT app, region, level, line, structured_metadata, svc_timestamp FROM logpush_logs ORDER BY region')
  const rows = await eventually(ask, found => found.length === 2)
  t.match(rows[0].slice(0, 3), ['shop', 'eu', 'info'])
  t.match(rows[0][3], /"msg":"started"/)
  t.match(rows[0][4], { request: '9' })
  t.match(rows[1].slice(0, 3), ['shop', 'us', 'error'])
  t.match(JSON.parse(rows[1][3]), { msg: 'said "hi"' })
  const times: number[] = rows.map((row: unknown[]) => Number(row[5]) / 1e6)
  t.ok(times.every(time => time >= before - 1000 && time <= Date.now() + 1000))
  stream.destroy()
})

for (const json of [true, false]) {
  t.test(`winston-loki pushes by ${json ? 'JSON' : 'protobuf and Snappy'}`, async t => {
    const { host, sql } = await serveUsers(t)
    const transport = new WinstonLoki({
      host,
      json,
      batching: true,
      interval: 1,
      basicAuth: 'alice:pw',
      labels: { app: 'shop', quote: 'say "hi", you' },
      gracefulShutdown: false,
      onConnectionError: (error: Error) => t.fail(error.message)
    })
    transport.batcher.url = new URL(path, host)
    const logger = winston.createLogger({ level: 'debug', transports: [transport] })
    logger.info('started', { request: 9 })
    logger.warn('late')
    await new Promise(resolve => setTimeout(resolve, 50))
    await transport.flush()
    const rows = await sql('SELECT level, app, quote, trim(line), structured_metadata FROM logpush_logs ORDER BY level')
    t.match(rows[0].slice(0, 4), ['info', 'shop', 'say "hi", you', /^started \{"request":9/])
    t.match(rows[1].slice(0, 4), ['warn', 'shop', 'say "hi", you', /^late/])
    // Only its JSON has metadata.
    t.equal(rows[0][4].request, json ? '9' : undefined)
    transport.close?.()
  })
}

t.test('syslog-ng pushes by its template', needing('syslog-ng'), async t => {
  const { host, sql, table } = await serveUsers(t)
  const lines = [
    '<165>1 2026-01-01T00:00:01.5Z web1 app 77 - - first line',
    '<163>1 2026-01-01T00:00:02Z web1 app 77 - - second'
  ]
  startSyslogNg(
    t,
    lines,
    `http(url("${host}${path}") method("POST") headers("Content-Type: application/json") user("alice") password("pw")
      body-prefix('{"streams":[') delimiter(",") body-suffix("]}")
      body('{"stream":$(format-json host=\${HOST} app=\${PROGRAM}),"values":[["\${S_UNIXTIME}000000000","\${MESSAGE}",$(format-json pid=\${PID})]]}')
      batch-lines(10) batch-timeout(200));`
  )
  await eventually(
    async () => table(),
    found => found !== undefined
  )
  const ask = () => sql('SELECT svc_timestamp, host, app, line, structured_metadata FROM logpush_logs ORDER BY 1')
  t.same(await eventually(ask, rows => rows.length === lines.length), [
    [1_767_225_601_000_000_000, 'web1', 'app', 'first line', { pid: '77' }],
    [1_767_225_602_000_000_000, 'web1', 'app', 'second', { pid: '77' }]
  ])
})

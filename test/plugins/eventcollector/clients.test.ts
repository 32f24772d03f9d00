// Real senders of events.
import { createRequire } from 'node:module'
import t from 'tap'
import { eventually } from '../../eventually.ts'
import { needing } from '../../programs.ts'
import { startSyslogNg } from '../../syslog-ng.ts'
import { base, serve } from './serve.ts'

/** What of splunk-logging the test uses; the package brings no types. */
interface Logger {
  send(context: object): void
  flush(
    done: (error: Error | null, response: unknown, body: { readonly text: string; readonly code: number }) => void
  ): void
  error: (error: Error & { readonly code?: number }, context: unknown) => void
}

interface LoggerModule {
  readonly Logger: new (config: Readonly<Record<string, unknown>>) => Logger
}

const { Logger } = createRequire(import.meta.url)('splunk-logging') as LoggerModule
const users = 'user_provider = "static_user_provider:cmd:alice=pw"'

t.test('splunk-logging sends a batch with its token and reads the answer', async t => {
  const { addresses, sql } = await serve(t, users)
  const logger = new Logger({ token: 'alice:pw', url: `${addresses.main}${base}/event`, maxBatchCount: 0 })
  const time = 1_700_000_000_123
  const metadata = { time, host: 'web-1', source: 'shop', sourcetype: 'json', index: 'shop logs' }
  logger.send({ message: { text: 'started', took: 3 }, severity: 'info', metadata })
  logger.send({ message: 'said "hi"', severity: 'error', metadata: { ...metadata, time: time / 1000 + 1 } })
  const [error, , body] = await new Promise<readonly unknown[]>(done => logger.flush((...given) => done(given)))
  t.equal(error, null)
  t.match(body, { text: 'Success', code: 0 })
  const columns =
    'svc_timestamp, host, source, sourcetype, "event.severity", "event.message.text", "event.message.took", "event.message"'
  t.same(await sql(`SELECT ${columns} FROM shop_logs ORDER BY 1`), [
    [1_700_000_000_123_000_000, 'web-1', 'shop', 'json', 'info', 'started', 3, null],
    [1_700_000_001_123_000_000, 'web-1', 'shop', 'json', 'error', null, null, 'said "hi"']
  ])
})

t.test('splunk-logging tells a wrong token, and what an event lacks, by number', async t => {
  const { addresses } = await serve(t, users)
  const failure = async (token: string, message: unknown) => {
    const logger = new Logger({ token, url: `${addresses.main}${base}/event` })
    const failed = new Promise<{ readonly code?: number }>(done => {
      logger.error = done
    })
    logger.send({ message, severity: 'info' })
    return failed
  }
  t.match(await failure('alice:no', 'x'), { code: 4 })
})

t.test('syslog-ng sends events by its template', needing('syslog-ng'), async t => {
  const { addresses, sql, core } = await serve(t, users)
  const lines = [
    '<165>1 2026-01-01T00:00:01.5Z web1 app 1 - - first "quoted" line',
    '<163>1 2026-01-01T00:00:02Z web1 app 1 - - second'
  ]
  startSyslogNg(
    t,
    lines,
    `http(url("${addresses.main}${base}/event") method("POST") headers("Authorization: Splunk alice:pw")
      body('$(format-json time=\${S_UNIXTIME} host=\${HOST} source=\${PROGRAM} index=syslog event.message=\${MESSAGE} event.level=\${LEVEL})')
      batch-lines(10) batch-timeout(200) delimiter(""));`
  )
  await eventually(
    async () => core.store.table('public', 'syslog'),
    table => table !== undefined
  )
  const ask = () => sql('SELECT svc_timestamp, host, source, "event.message", "event.level" FROM syslog ORDER BY 1')
  t.same(await eventually(ask, rows => rows.length === lines.length), [
    [1_767_225_601_000_000_000, 'web1', 'app', 'first "quoted" line', 'notice'],
    [1_767_225_602_000_000_000, 'web1', 'app', 'second', 'err']
  ])
})

t.test('syslog-ng sends as its collector destinations do', needing('syslog-ng'), async t => {
  const { addresses, sql, core } = await serve(t, users)
  const count = 300
  const lines = Array.from({ length: count }, (_, i) => `<165>1 2026-01-01T00:00:01Z web1 app 1 - - message ${i}`)
  const destination = (path: string, body: string) =>
    `http(url("${addresses.main}${base}/${path}") method("POST") headers("Authorization: Splunk alice:pw")
      body('${body}') delimiter("\\n") batch-lines(100) batch-timeout(200));`
  const query = (table: string) => `index=${table}&source=syslog&sourcetype=linux&host=web1`
  startSyslogNg(
    t,
    lines,
    destination(`raw?channel=9d9c4c7e-0f8d-4f0e-8a5e-0c9f6f0f5a11&${query('raw_logs')}`, `\${MESSAGE}`) +
      destination(`event?${query('event_logs')}`, `$(format-json time=\${S_UNIXTIME} event=\${MESSAGE})`)
  )
  const found: Record<string, string> = { raw_logs: 'message', event_logs: 'event' }
  for (const [table, column] of Object.entries(found)) {
    await eventually(
      async () => core.store.table('public', table),
      made => made !== undefined
    )
    const ask = () =>
      sql(`SELECT count(DISTINCT ${column}), min(host), max(source), max(sourcetype), count(*) FROM ${table}`)
    const wanted = [[count, 'web1', 'syslog', 'linux', count]]
    t.same(await eventually(ask, rows => rows[0]?.[4] >= count), wanted, table)
  }
})

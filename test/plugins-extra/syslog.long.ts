// The syslog plugin: real senders over UDP, TCP and TLS, both message formats, and malformed messages.
import { execFile, execFileSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect } from 'node:net'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Test } from 'tap'
import t from 'tap'
import { utc } from '../../core/index.ts'
import { pluginContract } from '../contract/index.ts'
import { eventually } from '../eventually.ts'
import { askSql, startServer, temporaryFolder } from '../helpers.ts'
import { findProgram, freePort, needing } from '../programs.ts'
import { startRsyslog } from '../rsyslog.ts'
import { startSyslogNg } from '../syslog-ng.ts'
import { installExtra } from './install.ts'

const both = `
[plugins.syslog.udp]
addr = "127.0.0.1:0"
[plugins.syslog.tcp]
addr = "127.0.0.1:0"
`

async function serve(t: Test, options = '', listeners = both, folder = installExtra(t, 'weir-plugin-syslog').folder) {
  const toml = `[plugins.syslog]\nmodule = "weir-plugin-syslog"\n${options}${listeners}`
  const server = await startServer(t, toml, { folder })
  const port = (name: string) => server.listeners.get(name)!.port
  return {
    ...server,
    port,
    /** Rows once there are so many. */
    rows: (columns: string, count: number) =>
      eventually<unknown[][]>(
        async () => {
          if (server.core.store.table('public', 'syslog') === undefined) return []
          return askSql(server, `SELECT ${columns} FROM syslog ORDER BY time, message`)
        },
        rows => rows.length >= count
      ),
    async sendTcp(...pieces: readonly (string | Buffer)[]) {
      const socket = connect(port('syslog.tcp'), '127.0.0.1').on('error', () => {})
      const closed = once(socket, 'close')
      for (const piece of pieces) {
        socket.write(piece)
        await new Promise(resolve => setTimeout(resolve, 20))
      }
      socket.end()
      socket.resume()
      await closed
    },
    async sendUdp(...messages: readonly string[]) {
      const socket = createSocket('udp4')
      for (const message of messages)
        await new Promise(resolve => socket.send(message, port('syslog.udp'), '127.0.0.1', resolve))
      socket.close()
    }
  }
}

const run = promisify(execFile)

t.test('logger of util-linux, by every way and format it has', needing('logger'), async t => {
  const { port, rows } = await serve(t)
  const send = (name: string, ...args: readonly string[]) =>
    run(findProgram('logger')!, ['--server', '127.0.0.1', '--port', String(port(name)), ...args])
  const who = ['--tag', 'shop', '--priority', 'daemon.err', '--id=77']
  const data = ['--sd-id', 'order@32473', '--sd-param', 'id="7"', '--sd-param', 'note="a \\"b\\" \\]"']
  await send('syslog.udp', '--udp', '--rfc3164', ...who, 'udp old')
  await send('syslog.udp', '--udp', '--rfc5424', ...who, '--msgid', 'PAY', ...data, 'udp new')
  await send('syslog.tcp', '--tcp', '--rfc3164', ...who, 'tcp old')
  await send('syslog.tcp', '--tcp', '--rfc5424', ...who, 'tcp new')
  await send('syslog.tcp', '--tcp', '--rfc5424', '--octet-count', ...who, 'tcp counted\nwith two lines')
  const found = await rows('message, app, facility, severity, process, source, time', 5)
  t.strictSame(
    found.map(row => row.slice(0, 6)).sort((a, b) => (String(a[0]) < String(b[0]) ? -1 : 1)),
    ['tcp counted\nwith two lines', 'tcp new', 'tcp old', 'udp new', 'udp old'].map(message => [
      ...[message, 'shop', 'daemon', 'err', '77', '127.0.0.1']
    ])
  )
  const columns = 'message_id, "sd_order@32473_id", "sd_order@32473_note"'
  const [whole] = (await rows(`${columns}, message`, 5)).filter(row => row[3] === 'udp new')
  t.strictSame(whole!.slice(0, 3), ['PAY', '7', 'a "b" ]'])
  for (const row of found) t.ok(Math.abs(Number(row[6]) / 1e6 - Date.now()) < 60_000, `${row[0]}: the time is now`)
})

t.test('syslog-ng over TLS, certificates on both sides', needing('syslog-ng', 'openssl'), async t => {
  const folder = temporaryFolder(t)
  const file = (name: string) => join(folder, name)
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '9']
  for (const name of ['server', 'client']) {
    const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1']
    const files = ['-keyout', file(`${name}.key`), '-out', file(`${name}.pem`)]
    execFileSync(findProgram('openssl')!, ['req', ...kind, ...subject, ...files], { stdio: 'pipe' })
  }
  const tls = `cert_path = "${file('server.pem')}"\nkey_path = "${file('server.key')}"\nclient_ca_path = "${file('client.pem')}"`
  const { port, rows, core, close } = await serve(t, '', `[plugins.syslog.tcp]\naddr = "127.0.0.1:0"\n${tls}\n`)
  const lines = Array.from(
    { length: 2000 },
    (_, i) => `<165>1 2025-03-04T05:06:07.${String(i).padStart(6, '0')}Z web shop ${i} - - line ${i}`
  )
  const trust = `peer-verify(required-trusted) ca-file("${file('server.pem')}")`
  const own = `key-file("${file('client.key')}") cert-file("${file('client.pem')}")`
  const destination = `syslog("127.0.0.1" port(${port('syslog.tcp')}) transport("tls") tls(${trust} ${own}));`
  startSyslogNg(t, lines, destination, 'frac-digits(6);')
  const found = await rows('host, app, process, facility, severity, message', lines.length)
  t.equal(found.length, lines.length)
  t.strictSame(found[7], ['web', 'shop', '7', 'local4', 'notice', 'line 7'])
  const silent = connect(port('syslog.tcp'), '127.0.0.1').on('error', () => {})
  const socket = connect(port('syslog.tcp'), '127.0.0.1')
  const closed = once(socket, 'close')
  socket
    .on('error', () => {})
    .resume()
    .end('<13>plain\n')
  await closed
  t.match(await core.metrics.expose(), /svc_refused_total\{plugin="syslog",code="\w+"\} [1-9]/, 'plain text is refused')
  const left = once(silent.resume(), 'close')
  await close()
  await left
})

const counted = 'protocol="tcp" TCP_Framing="octet-counted" template="RSYSLOG_SyslogProtocol23Format"'
const rsyslogWays = [
  { name: 'TCP, counted, RFC 5424', listener: 'tcp', action: counted, isNew: true },
  {
    ...{ name: 'TCP, lines, RFC 3164 with a whole time', listener: 'tcp', isNew: false },
    action: 'protocol="tcp" TCP_Framing="traditional" template="RSYSLOG_ForwardFormat"'
  },
  {
    ...{ name: 'UDP, RFC 3164', listener: 'udp', isNew: false },
    action: 'protocol="udp" template="RSYSLOG_TraditionalForwardFormat"'
  }
]

for (const { name, listener, action, isNew } of rsyslogWays) {
  t.test(`rsyslog over ${name}`, needing('rsyslogd', 'logger'), async t => {
    const { port, rows } = await serve(t)
    const { log, append } = await startRsyslog(t, `port="${port(`syslog.${listener}`)}" ${action}`)
    const who = ['--tag', 'shop', '--priority', 'daemon.err', '--id=77']
    const data = ['--sd-id', 'order@32473', '--sd-param', 'id="7"', '--sd-param', 'note="a \\"b\\" \\]"']
    await log(...who, 'of the old form')
    await log(...who, '--rfc5424', '--msgid', 'PAY', ...data, 'of the new form: grün')
    append(['from a file'])
    const found = await rows('message, host, app, process, facility, severity, time', 3)
    t.strictSame(
      found.map(row => row.slice(0, 6)).sort((a, b) => (String(a[0]) < String(b[0]) ? -1 : 1)),
      [
        ['from a file', 'web1', 'shop', null, 'local4', 'warning'],
        ['of the new form: grün', hostname(), 'shop', '77', 'daemon', 'err'],
        ['of the old form', 'web1', 'shop', '77', 'daemon', 'err']
      ]
    )
    for (const row of found) t.ok(Math.abs(Number(row[6]) / 1e6 - Date.now()) < 60_000, `${row[0]}: the time is now`)
    if (!isNew) return
    const columns = 'message, message_id, "sd_order@32473_id", "sd_order@32473_note"'
    const [whole] = (await rows(columns, 3)).filter(row => row[1] !== null)
    t.strictSame(whole, ['of the new form: grün', 'PAY', '7', 'a "b" ]'])
    await log(...who, '--rfc5424', 'counted\nwith two lines')
    t.ok((await rows('message', 4)).flat().includes('counted\nwith two lines'))
  })
}

t.test('rsyslog keeps what comes while the server is away', needing('rsyslogd'), async t => {
  const port = await freePort()
  const listener = `[plugins.syslog.tcp]\naddr = "127.0.0.1:${port}"\n`
  const first = await serve(t, '', listener)
  const { append } = await startRsyslog(t, `port="${port}" ${counted}`)
  const lines = Array.from({ length: 2000 }, (_, i) => `line ${String(i).padStart(4, '0')}`)
  append(lines.slice(0, 1000))
  t.equal((await first.rows('message', 1000)).length, 1000)
  await first.close()
  append(lines.slice(1000))
  const second = await serve(t, '', listener, first.folder)
  // Distinct, since rsyslog sends the buffer that it could not send a second time.
  const found = await eventually<unknown[][]>(
    () => askSql(second, 'SELECT DISTINCT message FROM syslog ORDER BY message'),
    rows => rows.length >= lines.length
  )
  t.strictSame(found.flat(), lines)
})

t.test('frames of every kind, cut anywhere', async t => {
  const { rows, sendTcp, core } = await serve(t, 'max_message = 480\n')
  const long = `<13>${'x'.repeat(600)}`
  await sendTcp(
    '<13>one\n<13>t',
    'wo\n\n1',
    '0 <13>th\nree',
    '<13>four\0',
    `${long}\n`,
    `${long.length} ${long}`,
    '<13>five'
  )
  const found = await rows('message', 5)
  t.strictSame(found.flat().sort(), ['five', 'four', 'one', 'th\nree', 'two'])
  t.match(await core.metrics.expose(), 'svc_items_skipped_total{plugin="syslog",reason="too_long"} 2')
  await sendTcp('12x34')
  t.match(await core.metrics.expose(), 'svc_refused_total{plugin="syslog",code="InvalidArguments"} 1')
})

t.test('structured data beyond the columns there may be is JSON', async t => {
  const { rows, sendUdp } = await serve(t, 'max_columns = 11\n')
  await sendUdp('<13>1 2025-03-04T05:06:07Z h a - - [x b="1" c="2" __proto__="3"][__proto__ y="4"] m')
  const [row] = await rows('sd_x_b, structured_data', 1)
  t.strictSame([row![0], JSON.stringify(row![1])], ['1', '{"x":{"c":"2","__proto__":"3"},"__proto__":{"y":"4"}}'])
})

t.test('it keeps the contract of plugins', async t => {
  const { module } = installExtra(t, 'weir-plugin-syslog')
  const { default: plugin } = await import(join(module, 'index.js'))
  await pluginContract(t, { plugin })
})

t.test('messages of both formats, and what is neither', async t => {
  const { module } = installExtra(t, 'weir-plugin-syslog')
  const { parseMessage } = await import(join(module, 'message.js'))
  const now = BigInt(Date.UTC(2026, 0, 1, 0, 0, 10)) * 1_000_000n
  const parse = (text: string | Buffer) => parseMessage(Buffer.from(text), now, utc)
  const iso = (ns: bigint) => new Date(Number(ns / 1_000_000n)).toISOString()

  const full = parse(
    '<165>1 2003-10-11T22:14:15.003Z mymachine.example.com evntslog - ID47 [exampleSDID@32473 iut="3" eventSource="App\\]lication"] \ufeffAn application event'
  )
  t.match(full, {
    ...{ facility: 'local4', severity: 'notice', host: 'mymachine.example.com', app: 'evntslog', id: 'ID47' },
    ...{ process: undefined, message: 'An application event' },
    data: [
      { id: 'exampleSDID@32473', name: 'iut', value: '3' },
      { id: 'exampleSDID@32473', name: 'eventSource', value: 'App]lication' }
    ]
  })
  t.equal(iso(full.time), '2003-10-11T22:14:15.003Z')
  t.match(parse('<34>1 2003-08-24T05:14:15.000003-07:00 h su - ID47 - ‘su root’ failed'), {
    time: 1061727255000003000n,
    message: '‘su root’ failed'
  })
  t.match(parse('<0>1 - - - - - -'), { facility: 'kern', severity: 'emerg', host: undefined, message: '', time: now })
  t.match(parse('<13>1 - h a - - [a][b c="d"]'), { data: [{ id: 'b', name: 'c', value: 'd' }], message: '' })

  const old = parse("<34>Oct 11 22:14:15 mymachine su[12]: 'su root' failed\r\n")
  t.match(old, { facility: 'auth', severity: 'crit', host: 'mymachine', app: 'su', process: '12' })
  t.equal(old.message, "'su root' failed")
  t.equal(iso(old.time), '2025-10-11T22:14:15.000Z', 'the year that is closest')
  t.equal(iso(parse('<34>Dec 31 23:59:59 h a: m').time), '2025-12-31T23:59:59.000Z')
  t.equal(iso(parse('<34>Jan  1 00:01:00 h a: m').time), '2026-01-01T00:01:00.000Z')
  t.match(parse('<30>2025-06-01T10:00:00.5+02:00 h systemd[1]: Started'), { app: 'systemd', message: 'Started' })
  const forwarded = parse('<27>Oct 11 22:14:15 web shop[77] of the new form: grün')
  t.match(forwarded, { host: 'web', app: 'shop', process: '77', message: 'of the new form: grün' })
  t.match(parse('<27>array[3] is wrong'), { app: undefined, message: 'array[3] is wrong' })
  t.match(parse('<30>Feb 30 10:00:00 h a: m'), { time: now, message: 'm' }, 'a day that is none')

  for (const text of ['no header', '<999>x', '<13', '', '<13>1 2003-10-11T22:14:15Z h a - - [broken', '\ufffd<13>'])
    t.equal(typeof parse(text).message, 'string', JSON.stringify(text))
  t.match(parse('no header'), { facility: 'user', severity: 'notice', message: 'no header', time: now })
  t.match(parse('<13>shop: open'), { app: 'shop', message: 'open', host: undefined })
  t.match(parse(Buffer.from([60, 49, 51, 62, 0xff, 0xe9])), { message: '\ufffd\ufffd' })
})

import { once } from 'node:events'
import { copyFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:https'
import { connect as connectPlain } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from 'node:tls'
import type { Test } from 'tap'
import t from 'tap'
import { loadConfig } from '../../../core/config/load.ts'
import { makeCertificate, signed } from '../../certificates.ts'
import { eventually } from '../../eventually.ts'
import { startServer, temporaryFolder } from '../../helpers.ts'
import { needing } from '../../programs.ts'
import { slowness } from '../../time.ts'

const tls = ({ cert, key }: { readonly cert: string; readonly key: string }, more = '') =>
  `[http]\nenable_api_server = true\n[http.tls]\ncert_path = "${cert}"\nkey_path = "${key}"\n${more}`

/** Status, body and the name in the certificate, over a connection of its own. */
function ask(url: string, ca: string, agent = new Agent()): Promise<{ status: number; body: string; name: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { ca: readFileSync(ca), agent }, response => {
      const name = (
        response.socket as unknown as { getPeerCertificate(): { subject: { CN: string } } }
      ).getPeerCertificate()
      let body = ''
      response.on('data', data => {
        body += data
      })
      response.on('end', () => resolve({ status: response.statusCode!, body, name: name.subject.CN }))
    })
    sent.on('error', reject).end()
  })
}

function begin(t: Test) {
  const folder = temporaryFolder(t)
  return { folder, first: makeCertificate(folder, 'first'), second: makeCertificate(folder, 'second') }
}

t.test('with a certificate both servers speak TLS, and nothing else', needing('openssl'), async t => {
  const { first } = begin(t)
  const { addresses, main } = await startServer(t, tls(first, 'min_version = "TLSv1.3"'))
  for (const url of [addresses.main, addresses.public!]) {
    t.match(url, /^https:/)
    t.strictSame(await ask(`${url}/v1/health`, first.cert), { status: 200, body: '{}', name: 'first' })
    await t.rejects(fetch(`${url.replace('https', 'http')}/v1/health`), 'no plain HTTP')
    await t.rejects(fetch(`${url}/v1/health`), 'strangers do not trust it')
  }
  const port = Number(new URL(addresses.main).port)
  const old = connect({ port, host: '127.0.0.1', maxVersion: 'TLSv1.2', ca: readFileSync(first.cert) })
  const [error] = await new Promise<unknown[]>(resolve => old.on('error', (...args) => resolve(args)))
  t.match(error, { message: /protocol version/i }, 'older versions are refused')
  const metrics = (await main.inject('/metrics')).body
  const expires = Number(
    /^svc_servers_tls_certificate_expiry_seconds\{file="[^"]+first\.pem"\} (\S+)/m.exec(metrics)![1]
  )
  const days = (expires - Date.now() / 1000) / 86_400
  t.ok(days > 8 && days < 9.01, `${days} days`)
})

t.test(
  'a stopping server waits for no connection that asks nothing, with TLS or before it',
  needing('openssl'),
  async t => {
    const { first } = begin(t)
    const server = await startServer(t, tls(first))
    const port = Number(new URL(server.addresses.main).port)
    const options = { port, host: '127.0.0.1', ca: readFileSync(first.cert) }
    const [silent, half] = [connect(options), connect(options)]
    const plain = connectPlain({ port, host: '127.0.0.1' })
    await Promise.all([once(silent, 'secureConnect'), once(half, 'secureConnect'), once(plain, 'connect')])
    half.write('GET /v1/health HTTP/1.1\r\nhost: local')
    const connections = async () => (await server.main.inject('/metrics')).body
    await eventually(connections, text => text.includes('svc_servers_connections{server="main"} 2'))
    const sockets = [silent, half, plain]
    for (const socket of sockets) socket.on('error', () => {})
    const closed = sockets.map(socket => once(socket, 'close'))
    const began = performance.now()
    await Promise.all([server.close(), ...closed])
    t.ok(performance.now() - began < 5_000 * slowness(), 'much less than the grace of ten seconds')
  }
)

t.test('a new certificate counts without a restart, a broken one changes nothing', needing('openssl'), async t => {
  const { folder, first, second } = begin(t)
  const live = { cert: join(folder, 'live.pem'), key: join(folder, 'live.key') }
  copyFileSync(first.cert, live.cert)
  copyFileSync(first.key, live.key)
  const { addresses, core } = await startServer(t, tls(live))
  const url = `${addresses.public}/v1/health`
  const kept = new Agent({ keepAlive: true })
  t.teardown(() => kept.destroy())
  t.equal((await ask(url, first.cert, kept)).name, 'first')

  writeFileSync(live.cert, 'not a certificate')
  const failed = async () => (await core.metrics.expose()).includes('svc_servers_tls_reloads_total{result="failure"} 1')
  while (!(await failed())) await sleep(20)
  t.equal((await ask(url, first.cert)).name, 'first')
  // As certbot and others do it: written beside, then renamed.
  for (const kind of ['key', 'cert'] as const) {
    copyFileSync(second[kind], `${live[kind]}.new`)
    renameSync(`${live[kind]}.new`, live[kind])
  }
  const asked = async () => (await ask(url, second.cert).catch(() => undefined))?.name
  while ((await asked()) !== 'second') await sleep(20)
  t.equal((await ask(url, first.cert, kept)).status, 200, 'open connections go on')
  const metrics = await core.metrics.expose()
  t.match(metrics, /svc_servers_tls_reloads_total\{result="success"\} 1/)
  t.match(metrics, /svc_servers_tls_reloads_total\{result="failure"\} [12]$/m, 'the same failure counts once')
})

t.test('a certificate that cannot be used stops the start and says why', needing('openssl'), async t => {
  const { folder, first, second } = begin(t)
  const wrong = async (files: { cert: string; key: string }, message: RegExp) =>
    t.rejects(startServer(t, tls(files)), { message })
  await wrong(
    { cert: first.cert, key: second.key },
    /http\.tls\.key_path: .*second\.key is not the key of .*first\.pem/
  )
  await wrong({ cert: first.key, key: first.key }, /http\.tls\.cert_path: .*first\.key holds no certificate/)
  await wrong({ cert: join(folder, 'none'), key: first.key }, /http\.tls\.cert_path: cannot read .*none/)
})

t.test('a certificate needs its key', async t => {
  const overrides = { http: { tls: { cert_path: 'a.pem' } } }
  t.throws(() => loadConfig({ overrides }), { message: /http\.tls\.key_path: is missing: there is a cert_path/ })
})

t.test(
  'certificates of clients name the user; strangers and unknown names are refused',
  needing('openssl'),
  async t => {
    const { folder, first, second } = begin(t)
    const more = `client_ca_path = "${second.cert}"\n`
    const users = 'user_provider = "static_user_provider:cmd:agent:wo=certificate:,mia=plum-88"\n'
    const { addresses } = await startServer(t, users + tls(first, more))
    const agentOf = (pair?: { cert: Buffer; key: Buffer }) => new Agent({ ...pair, ca: readFileSync(first.cert) })
    const status = async (pair: { cert: Buffer; key: Buffer } | undefined, path: string) =>
      (await ask(`${addresses.main}${path}`, first.cert, agentOf(pair))).status
    const agent = signed(folder, 'agent', second)
    t.equal(await status(agent, '/v1/sql?sql=SELECT+1'), 403, 'known, and may not read')
    t.equal(await status(signed(folder, 'mia', second), '/v1/sql?sql=SELECT+1'), 200)
    t.equal(await status(signed(folder, 'nobody', second), '/v1/sql?sql=SELECT+1'), 401)
    t.equal(await status(undefined, '/v1/sql?sql=SELECT+1'), 401, 'without one a password is needed')
    t.equal(await status(signed(folder, 'mia', first), '/v1/sql?sql=SELECT+1'), 401, 'another authority proves nothing')
  }
)

t.test('connections without a certificate are closed where one is required', needing('openssl'), async t => {
  const { folder, first, second } = begin(t)
  const { addresses } = await startServer(
    t,
    tls(first, `client_ca_path = "${second.cert}"\nclient_certificate = "required"\n`)
  )
  const ca = readFileSync(first.cert)
  await t.rejects(ask(`${addresses.main}/v1/health`, first.cert, new Agent({ ca })))
  const known = new Agent({ ca, ...signed(folder, 'any', second) })
  t.equal((await ask(`${addresses.main}/v1/health`, first.cert, known)).status, 200)
})

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import t from 'tap'
import { Type } from 'typebox'
import { loadConfig } from '../../../core/config/load.ts'
import type { PluginInfo } from '../../../core/core.ts'
import { definePlugin } from '../../../core/plugin.ts'
import { startServer } from '../../helpers.ts'

/** Tells what its requests are logged with. */
const probe = definePlugin({
  name: 'probe',
  prefix: '/probe',
  servers: ['main'],
  config: Type.Object({}),
  routes(app) {
    app.get('', async request => {
      const log = request.log as unknown as Logger
      const { plugin, server } = log.bindings() as { plugin: string; server: string }
      return { plugin, server, level: log.level }
    })
  }
})

t.test('operating a server', async t => {
  const toml = 'user_provider = "static_user_provider:cmd:mia=plum-88"\n[plugins.pipelines]\nservers = ["main"]'
  const { main, core, folder } = await startServer(t, toml, { plugins: [probe] })

  t.test('health and ready answer {} to GET and POST, without a user', async t => {
    for (const url of ['/health', '/ready', '/v1/health']) {
      for (const method of ['GET', 'POST'] as const) {
        const response = await main.inject({ method, url })
        t.equal(response.statusCode, 200)
        t.strictSame(response.json(), {}, `${method} ${url}`)
      }
    }
  })

  t.test('status tells version, host, uptime, engine and plugins', async t => {
    const status = (await main.inject('/status')).json()
    t.match(status, {
      version: /^\d+\.\d+\.\d+/,
      commit: String,
      branch: String,
      rustc_version: String,
      hostname: /./,
      node_version: process.versions.node,
      storage_engine: 'embedded',
      uptime_seconds: Number,
      ready: true,
      memory: { rss: Number, heap_used: Number, heap_total: Number, external: Number },
      data: { databases: 2, tables: Number, rows: Number, files: 0, bytes: 0 }
    })
    t.ok(status.plugins.some(({ name, servers }: PluginInfo) => name === 'admin' && `${servers}` === 'main'))
    const { since, ...pipelines } = status.plugins.find((plugin: { name: string }) => plugin.name === 'pipelines')
    t.strictSame(pipelines, { name: 'pipelines', servers: ['main'], state: 'ok' })
    t.ok(Date.parse(since) <= Date.now())
  })

  t.test('config is TOML that can be read again, every default shown, no secret', async t => {
    const response = await main.inject('/config')
    t.match(response.headers['content-type'], 'text/plain')
    t.match(response.body, 'body_limit = "64MiB"')
    t.match(response.body, '[plugins.pipelines]')
    t.notMatch(response.body, 'plum-88')
    const copy = join(folder, 'copy.toml')
    writeFileSync(copy, response.body)
    t.match(loadConfig({ file: copy }).config.http, { timeout: 30_000 })
  })

  t.test('metrics are in the text exposition format', async t => {
    const response = await main.inject('/metrics')
    t.match(response.headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8')
    const families = [
      'svc_app_version{version="',
      'svc_catalog_schema_count ',
      'svc_cpu_limit_in_millicores ',
      'svc_memory_limit_in_bytes ',
      'svc_servers_request_memory_in_use_bytes 0',
      'svc_servers_http_requests_elapsed_bucket{le="0.005",server="main",plugin="admin",path="/status"',
      'process_cpu_seconds_total ',
      'process_resident_memory_bytes ',
      'process_start_time_seconds '
    ]
    for (const family of families) t.ok(response.body.includes(family), family)
    for (const [, name] of response.body.matchAll(/^# TYPE (\S+)/gm)) t.match(name, /^(svc|process|nodejs)_/)
  })

  t.test('the log level changes while running', async t => {
    const set = (payload: string) => main.inject({ method: 'POST', url: '/debug/log_level', payload })
    const response = await set(' WARN\n')
    t.equal(response.body, 'Log Level changed from info to warn')
    t.equal(core.log.level, 'warn')
    t.equal((await set('info')).body, 'Log Level changed from warn to info')
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const curl = await main.inject({ method: 'POST', url: '/debug/log_level', payload: 'info', headers })
    t.equal(curl.body, 'Log Level changed from info to info', 'as curl -d sends it')
    const refused = await set('loud')
    t.equal(refused.statusCode, 400)
    t.match(refused.json(), {
      error: /^Invalid request parameter: Invalid filter loud: "loud" is not a level, expected trace, debug/
    })
    t.equal(core.log.level, 'info')
  })

  t.test('one plugin can log more than the others', async t => {
    const set = (payload: string) => main.inject({ method: 'POST', url: '/debug/log_level', payload })
    t.equal((await set('warn,sql=debug')).body, 'Log Level changed from info to warn,sql=debug')
    t.equal(core.log.child({ plugin: 'sql' }).level, 'debug')
    t.equal(core.log.child({ plugin: 'ingest' }).level, 'warn')
    t.equal((await set('ingest=trace')).body, 'Log Level changed from warn,sql=debug to warn,ingest=trace')
    const unknown = await set('info,sqk=debug')
    t.equal(unknown.statusCode, 400)
    t.match(unknown.json(), { error: /there is no plugin sqk, did you mean sql\?/ })
    t.equal((await set('info')).body, 'Log Level changed from warn,ingest=trace to info')
  })

  t.test('a change of the log level can be for a while', async t => {
    const set = (payload: string, after: string) =>
      main.inject({ method: 'POST', url: `/debug/log_level?revert_after=${after}`, payload })
    t.equal((await set('debug', '10m')).body, 'Log Level changed from info to debug, for 10m')
    t.equal((await set('trace,sql=error', '50ms')).body, 'Log Level changed from debug to trace,sql=error, for 50ms')
    t.equal(core.log.level, 'trace')
    while (core.log.level === 'trace') await sleep(5)
    t.equal(core.log.level, 'info', 'what was before both')
    for (const wrong of ['soon', '0s', '2days']) t.equal((await set('warn', wrong)).statusCode, 400, wrong)
    t.equal(core.log.level, 'info')
  })

  t.test('the requests of a plugin are logged at its level', async t => {
    await main.inject({ method: 'POST', url: '/debug/log_level', payload: 'warn,probe=debug' })
    t.strictSame((await main.inject('/probe')).json(), { plugin: 'probe', server: 'main', level: 'debug' })
    await main.inject({ method: 'POST', url: '/debug/log_level', payload: 'info' })
    t.equal((await main.inject('/probe')).json().level, 'info')
  })

  t.test('the front page links to what there is', async t => {
    const { addresses } = await startServer(t, '[plugins.dashboard]\nenabled = false')
    const response = await fetch(addresses.main!)
    const [body, headers] = [await response.text(), Object.fromEntries(response.headers)]
    t.match(headers['content-type'], 'text/html')
    for (const [, link] of body.matchAll(/href="([^"]+)"/g)) {
      const { statusCode } = await main.inject(link!.replaceAll('&amp;', '&'))
      t.ok([200, 401].includes(statusCode), `${link}: ${statusCode}`)
    }
  })
})

t.test('the front page is the dashboard where it runs', async t => {
  const { main } = await startServer(t)
  const { statusCode, headers } = await main.inject('/')
  t.equal(statusCode, 302)
  t.equal(headers.location, '/dashboard')
})

t.test('the plugin can be switched off', async t => {
  const { main } = await startServer(t, '[plugins.admin]\nenabled = false')
  t.equal((await main.inject('/metrics')).statusCode, 404)
  t.equal((await main.inject('/v1/health')).statusCode, 200)
})

import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { Type } from 'typebox'
import { loadConfig } from '../../core/config/load.ts'
import { followConfig } from '../../core/follow.ts'
import { definePlugin } from '../../core/plugin.ts'
import { overrides, startServer, type TestServer, temporaryFolder } from '../helpers.ts'

const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` })

function load({ folder }: Pick<TestServer, 'folder'>, toml?: string) {
  const file = join(folder, 'weir.toml')
  if (toml !== undefined) writeFileSync(file, toml)
  return loadConfig({ file, overrides: overrides(folder) }).config
}

t.test('live keys have their new value, the others wait for a restart and are named', async t => {
  const server = await startServer(t, '[logging]\nlevel = "warn"')
  const { core, main, reload } = server
  const toml = `max_concurrent_queries = 3
[http]
timeout = "7s"
body_limit = "1MiB"
[logging]
level = "error,sql=debug"
[slow_query]
threshold = "1s"`
  const report = await reload(load(server, toml))
  t.strictSame(report, {
    applied: ['max_concurrent_queries', 'http.timeout', 'logging.level', 'slow_query.threshold'],
    restart: ['http.body_limit']
  })
  t.equal(core.log.level, 'error')
  t.equal(core.log.child({ plugin: 'sql' }).level, 'debug')
  const { body } = await main.inject('/config')
  t.match(body, 'timeout = "7s"', '/config tells what counts')
  t.match(body, 'body_limit = "64MiB"', 'and not what waits')
  const metrics = (await main.inject('/metrics')).body
  t.match(metrics, 'svc_config_restart_pending 1')
  t.match(metrics, 'svc_config_reloads_total{result="success"} 1')
  const again = await reload(load(server))
  t.strictSame(again, { applied: [], restart: ['http.body_limit'] }, 'what waits is named each time')
})

t.test('limits of plugins change while requests go on', async t => {
  const server = await startServer(t)
  const { main, reload } = server
  const range = '/v1/promql?query=vector(1)&start=0&end=100&step=1'
  t.equal((await main.inject(range)).statusCode, 200)
  const report = await reload(load(server, '[plugins.promql]\nmax_points = 10\n[plugins.pipelines]\nmax_groups = 5'))
  t.strictSame(report.applied, ['plugins.pipelines.max_groups', 'plugins.promql.max_points'])
  const refused = await main.inject(range)
  t.equal(refused.statusCode, 400)
  t.match(refused.json().error, /max_points/)
  t.match((await main.inject('/config')).body, 'max_points = 10')
  await reload(load(server, ''))
  t.equal((await main.inject(range)).statusCode, 200, 'a key that is gone has its default again')
})

t.test('a plugin is told of its live options, with its service', async t => {
  const seen: unknown[] = []
  const config = Type.Object({
    most: Type.Integer({ default: 1, description: 'Live.', live: true }),
    fixed: Type.Integer({ default: 1, description: 'Not.' })
  })
  const plugin = definePlugin({
    name: 'mine',
    prefix: '',
    servers: ['main'],
    config,
    setup: () => ({ name: 'service of mine' }),
    reload: (options, service) => seen.push({ ...options, service })
  })
  const server = await startServer(t, '', { plugins: [plugin] })
  const report = await server.reload(load(server, '[plugins.mine]\nmost = 2\nfixed = 2'))
  t.strictSame(report, { applied: ['plugins.mine.most'], restart: ['plugins.mine.fixed'] })
  t.strictSame(seen, [{ most: 2, fixed: 1, service: { name: 'service of mine' } }])
  await server.reload(load(server))
  t.equal(seen.length, 1, 'only when something changed')
  const off = await server.reload(
    load(server, '[plugins.mine]\nmost = 2\nenabled = false\n[plugins.sql]\nenabled = false')
  )
  t.strictSame(
    off.restart.toSorted(),
    ['plugins.mine.enabled', 'plugins.sql.enabled'],
    'what runs is decided at the start'
  )
})

t.test('a wrong option of a plugin changes nothing at all', async t => {
  const server = await startServer(t)
  const wrong = load(server, '[http]\ntimeout = "3s"\n[plugins.promql]\nmax_points = 0')
  await t.rejects(server.reload(wrong), { message: /plugins.promql.max_points: expected at least 1, got 0/ })
  await t.rejects(server.reload(load(server, '[http]\ntimeout = "3s"\n[logging]\nlevel = "warn,sqll=debug"')), {
    message: /logging.level: there is no plugin sqll, did you mean sql\?/
  })
  t.equal(server.core.config.http.timeout, 30_000)
  t.match((await server.main.inject('/metrics')).body, 'svc_config_reloads_total{result="failure"} 2')
})

t.test('the file is followed, and SIGHUP reads it and the users again', async t => {
  const folder = temporaryFolder(t)
  const users = join(folder, 'users')
  writeFileSync(users, 'mia=plum\n')
  const toml = `user_provider = "static_user_provider:file:${users}"\n[logging]\n`
  const server = await startServer(t, toml, { folder })
  const { core, main } = server
  const before = process.listenerCount('SIGHUP')
  const stop = followConfig(server, join(folder, 'weir.toml'), () => load({ folder }))
  t.teardown(stop)
  appendFileSync(join(folder, 'weir.toml'), 'level = "debug"\n')
  while (core.log.level !== 'debug') await sleep(10)
  writeFileSync(join(folder, 'weir.toml'), 'not toml at all')
  while (!/reloads_total\{result="failure"\} [1-9]/.test(await core.metrics.expose())) await sleep(10)
  t.equal(core.log.level, 'debug', 'a broken file changes nothing, and is counted')
  writeFileSync(join(folder, 'weir.toml'), `${toml}level = "warn"\n`)
  while (core.log.level !== 'warn') await sleep(10)

  const asLeo = async () => (await main.inject({ url: '/v1/sql?sql=SELECT+1', headers: basic('leo:pear') })).statusCode
  t.equal(await asLeo(), 401)
  writeFileSync(users, 'mia=plum\nleo=pear\n')
  process.emit('SIGHUP')
  while ((await asLeo()) === 401) await sleep(10)
  t.equal(await asLeo(), 200)
  writeFileSync(users, '# nobody\n')
  process.emit('SIGHUP')
  await sleep(50)
  t.equal(await asLeo(), 200, 'a file without users changes nothing')
  stop()
  t.equal(process.listenerCount('SIGHUP'), before)
})

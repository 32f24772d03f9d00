// Every phase of a plugin fails in every possible way: the message names the plugin, and the server continues or stops in order.
import t from 'tap'
import { Type } from 'typebox'
import { loadConfig } from '../../core/config/load.ts'
import { definePlugin } from '../../core/plugin.ts'
import { start } from '../../core/start.ts'
import { type AnyPlugin, bootServer } from '../contract/server.ts'
import { overrides, startServer, temporaryFolder, withPlugins } from '../helpers.ts'

const config = Type.Object({ most: Type.Integer({ default: 1, live: true }) })
const limit = 'plugin_timeout = "200ms"\n'

const ways: Record<string, { fail: () => unknown; message: RegExp }> = {
  'throws an Error': {
    fail() {
      throw new Error('no such device')
    },
    message: /no such device/
  },
  'throws a text': {
    fail() {
      throw 'no such device'
    },
    message: /no such device/
  },
  'throws nothing': {
    fail() {
      throw undefined
    },
    message: /undefined was thrown/
  },
  rejects: { fail: () => Promise.reject(new Error('no such device')), message: /no such device/ },
  'rejects with null': { fail: () => Promise.reject(null), message: /null was thrown/ },
  hangs: { fail: () => new Promise(() => {}), message: /did not end within 200ms \(plugin_timeout\)/ }
}

const failing = (name: string, members: object) =>
  definePlugin({ name, prefix: `/v1/${name}`, servers: ['main'], config, ...members } as never) as AnyPlugin

for (const [way, { fail, message }] of Object.entries(ways)) {
  t.test(`setup ${way}`, async t => {
    const closed: string[] = []
    const first = failing('first', { setup: () => ({ close: () => closed.push('first') }) })
    const second = failing('second', { setup: fail })
    const starting = bootServer(limit, { plugins: [first, second] })
    await t.rejects(starting, { message: new RegExp(`^plugin second cannot start: .*${message.source}`) })
    t.strictSame(closed, ['first'])
  })

  t.test(`routes ${way}`, async t => {
    const starting = bootServer(limit, { plugins: [failing('second', { routes: fail })] })
    const named = new RegExp(`^plugin second cannot start on the server main: .*${message.source}`)
    await t.rejects(starting, { message: named })
  })

  t.test(`close ${way}`, async t => {
    const closed: string[] = []
    const lines: string[] = []
    const first = failing('first', { setup: () => ({ close: () => closed.push('first') }) })
    const second = failing('second', { setup: () => ({ close: fail }) })
    const server = await startServer(t, limit, { plugins: [first, second] })
    server.core.listenToLog(line => lines.push(line))
    await server.close()
    t.strictSame(closed, ['first'], 'the others are closed')
    const told = lines.map(line => JSON.parse(line)).filter(({ msg }) => /failure while stopping/.test(msg))
    t.match(told, [{ err: { message: new RegExp(`plugin second cannot stop: .*${message.source}`) } }])
  })

  t.test(`reload ${way}`, async t => {
    const seen: number[] = []
    const keeps = failing('keeps', { reload: ({ most }: { most: number }) => seen.push(most) })
    const refuses = failing('refuses', { reload: ({ most }: { most: number }) => (most === 1 ? undefined : fail()) })
    const folder = temporaryFolder(t)
    const server = await startServer(t, limit, { folder, plugins: [keeps, refuses] })
    const load = (toml: string) => {
      const tables = { keeps: { most: 5 }, refuses: { most: 5 } }
      const { plugin_timeout, ...rest } = { plugin_timeout: '200ms', ...overrides(folder) }
      return loadConfig({ overrides: { ...rest, plugin_timeout, plugins: tables, slow_query: { threshold: toml } } })
        .config
    }
    const before = (await server.main.inject('/config')).body
    const named = new RegExp(`^plugin refuses refuses its new options: .*${message.source}`)
    await t.rejects(server.reload(load('3s')), { message: named })
    t.equal((await server.main.inject('/config')).body, before, 'nothing has changed')
    t.strictSame(seen, [5, 1], 'who was told of the new options is told of the old ones')
    t.match((await server.main.inject('/metrics')).body, 'svc_config_reloads_total{result="failure"} 1')
  })

  for (const phase of ['handler', 'formatError', 'credentials'])
    t.test(`${phase} of a request ${way}`, async t => {
      const plugin = failing('second', {
        routes(app: { get(path: string, handler: () => unknown): void }) {
          app.get('', async () => (phase === 'handler' ? fail() : Promise.reject(new TypeError('a defect'))))
        },
        ...(phase !== 'handler' && { [phase]: fail })
      })
      const toml = '[http]\ntimeout = "200ms"\n'
      const users = phase === 'credentials' ? 'user_provider = "static_user_provider:cmd:a=b"\n' : ''
      const { main } = await startServer(t, `${users}${limit}${toml}`, { plugins: [plugin] })
      const { statusCode } = await main.inject('/v1/second')
      t.ok(statusCode >= 400 && statusCode < 600, `it is answered: ${statusCode}`)
      t.equal((await main.inject('/v1/health')).statusCode, 200)
    })
}

t.test('a signal ends a start that waits for a plugin', async t => {
  const closed: string[] = []
  const first = failing('first', { setup: () => ({ close: () => closed.push('first') }) })
  const controller = new AbortController()
  const second = failing('second', {
    setup() {
      setImmediate(() => controller.abort(new Error('not now')))
      return new Promise(() => {})
    }
  })
  const folder = temporaryFolder(t)
  const { config } = loadConfig({ overrides: overrides(folder) })
  const starting = start(config, withPlugins([first, second]), { folder, signal: controller.signal })
  await t.rejects(starting, { message: 'not now' })
  t.strictSame(closed, ['first'])
  const again = await start(config, withPlugins([first]), { folder })
  await again.close()
})

import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { Type } from 'typebox'
import { loadConfig } from '../../core/config/load.ts'
import { definePlugin } from '../../core/plugin.ts'
import { start } from '../../core/start.ts'
import { overrides, startServer, temporaryFolder, withPlugins } from '../helpers.ts'
import { slowness } from '../time.ts'

const config = Type.Object({})

t.test('services are made once, in order, and closed in reverse', async t => {
  const events: string[] = []
  const service = (name: string, more: object = {}) =>
    definePlugin({
      name,
      prefix: '',
      servers: ['main', 'public'],
      config,
      setup(_core: unknown, _options: unknown, services: Record<string, unknown>) {
        events.push(`setup ${name} with ${Object.keys(services)}`)
        return { name, close: async () => events.push(`close ${name}`) }
      },
      ...more
    } as never)
  const seen: unknown[] = []
  const routes = (app: { services: unknown }) => seen.push(app.services)
  const plugins = [service('top', { needs: ['bottom'], uses: ['absent'], routes }), service('bottom', { routes })]
  const running = await startServer(t, '[http]\nenable_api_server = true', { plugins })
  t.strictSame(events, ['setup bottom with ', 'setup top with bottom,absent'])
  t.match(seen, [{}, { bottom: { name: 'bottom' }, absent: undefined }, {}, { bottom: { name: 'bottom' } }])
  t.notHas(seen[0], 'top', 'a plugin sees only what it declared')
  await running.close()
  await running.close()
  t.strictSame(events.slice(2), ['close top', 'close bottom'])
})

t.test('running requests end, new ones are not taken', async t => {
  const begun = Promise.withResolvers<void>()
  const slow = definePlugin({
    name: 'slow',
    prefix: '/v1/slow',
    servers: ['main'],
    config,
    routes(app) {
      app.get('', async () => {
        begun.resolve()
        await sleep(200)
        return { done: true }
      })
    }
  })
  const { addresses, close } = await startServer(t, '', { plugins: [slow] })
  const answer = fetch(`${addresses.main}/v1/slow`)
  await begun.promise
  const closing = close()
  await sleep(20)
  await t.rejects(fetch(`${addresses.main}/v1/health`))
  t.strictSame(await (await answer).json(), { done: true })
  await closing
})

t.test('requests that outlive the grace period are ended by their signal', async t => {
  const begun = Promise.withResolvers<void>()
  const stuck = definePlugin({
    name: 'stuck',
    prefix: '/v1/stuck',
    servers: ['main'],
    config,
    routes(app) {
      app.get('', () => {
        begun.resolve()
        return new Promise(() => {})
      })
    }
  })
  const { addresses, close } = await startServer(t, '', { plugins: [stuck] })
  const answer = fetch(`${addresses.main}/v1/stuck`)
  await begun.promise
  const before = performance.now()
  await close()
  t.ok(performance.now() - before < 3_000 * slowness())
  const response = await answer
  t.equal(response.status, 503)
  t.match(await response.json(), { code: 1009 })
})

t.test('an address that is taken is one clear line, and the data folder is free again', async t => {
  const other = createServer()
  await new Promise<void>(resolve => other.listen(0, '127.0.0.1', resolve))
  t.teardown(() => other.close())
  const { port } = other.address() as { port: number }
  const folder = temporaryFolder(t)
  const own = overrides(folder)
  const taken = { ...own, http: { ...own.http, addr: `127.0.0.1:${port}` } }
  const message = `cannot listen on 127.0.0.1:${port} (http.addr): the address is already in use`
  await t.rejects(start(loadConfig({ overrides: taken }).config, withPlugins()), { message })
  await t.resolves(startServer(t, '', { folder }))
})

t.test('a plugin that fails to set up stops the start', async t => {
  const closed: string[] = []
  const first = definePlugin({
    name: 'first',
    prefix: '',
    servers: [],
    config,
    setup: () => ({ close: () => closed.push('first') })
  })
  const second = definePlugin({
    name: 'second',
    prefix: '',
    servers: [],
    config,
    setup() {
      throw new Error('no such device')
    }
  })
  await t.rejects(startServer(t, '', { plugins: [first, second] }), { message: /plugin second.*no such device/ })
  t.strictSame(closed, ['first'])
})

// The two servers differ only by their lists of plugins.
import t from 'tap'
import { Type } from 'typebox'
import { definePlugin } from '../core/plugin.ts'
import { routeTable } from '../core/server.ts'
import { startServer } from './helpers.ts'

const config = Type.Object({})

t.test('the public server serves /v1 and /dashboard, and nothing else', async t => {
  const { main, public: open } = await startServer(t, '[http]\nenable_api_server = true')
  const paths = (app: typeof main) => new Set(routeTable(app).map(({ path, method }) => `${method} ${path}`))
  const shared = [...paths(main)].filter(route => /^\w+ \/(v1|dashboard)(\/|$)/.test(route))
  t.strictSame([...paths(open!)], shared)
  const urls = ['/', '/health', '/ready', '/status', '/metrics', '/config', '/debug/log_level', '/v10/health', '/v1-x']
  for (const url of [...urls, '/%2fhealth', '/v1/../health', '/v1/%2e%2e/health', '/v1/health/..']) {
    t.equal((await open!.inject(url)).statusCode, 404, url)
  }
  t.equal((await open!.inject('/v1/health')).statusCode, 200)
})

t.test('the public server runs only where it is asked for', async t => {
  const { public: open, addresses } = await startServer(t)
  t.equal(open, undefined)
  t.notHas(addresses, 'public')
})

t.test('a plugin that registers a route outside the fence on the public server stops the start', async t => {
  for (const path of ['/health', '/v1x', '/dashboards', '/']) {
    const stray = definePlugin({
      name: 'stray',
      prefix: '',
      servers: ['main', 'public'],
      config,
      routes(app) {
        app.get(path === '/health' ? '/healthy' : path === '/' ? '/other' : path, async () => ({}))
      }
    })
    const start = startServer(t, '[http]\nenable_api_server = true', { plugins: [stray] })
    await t.rejects(start, { message: /the public server serves only \/v1 and \/dashboard/ }, path)
  }
})

t.test('a route that is there already stops the start and names the plugin', async t => {
  const second = definePlugin({
    name: 'second',
    prefix: '/v1/health',
    servers: ['main'],
    config,
    routes(app) {
      app.get('', async () => ({}))
    }
  })
  const start = startServer(t, '', { plugins: [second] })
  await t.rejects(start, { message: /^plugin second cannot start on the server main: .*\/v1\/health/ })
})

t.test('the path of a plugin is one with and without a slash', async t => {
  const routes = (app: { get(path: string, run: () => Promise<object>): unknown }) =>
    void app.get('/', async () => ({}))
  const rooted = definePlugin({ name: 'rooted', prefix: '/v1/rooted', servers: ['main'], config, routes })
  const { main } = await startServer(t, '', { plugins: [rooted] })
  for (const url of ['/v1/rooted', '/v1/rooted/']) {
    t.equal((await main.inject(url)).statusCode, 200, url)
    t.equal((await main.inject({ method: 'PUT', url })).statusCode, 405, url)
  }
})

t.test('configuration narrows the servers of a plugin, and others keep using its service', async t => {
  const toml = '[http]\nenable_api_server = true\n[plugins.lender]\nservers = ["main"]'
  const lender = definePlugin({
    name: 'lender',
    prefix: '/v1/lender',
    servers: ['main', 'public'],
    config,
    setup: () => ({ lend: () => 42 }),
    routes(app) {
      app.get('', async () => ({}))
    }
  })
  const borrower = definePlugin({
    name: 'borrower',
    prefix: '/v1/borrower',
    servers: ['main', 'public'],
    config,
    needs: ['lender' as never],
    routes(app) {
      const { lender } = app.services as unknown as { lender: { lend(): number } }
      app.get('', async () => ({ borrowed: lender.lend() }))
    }
  })
  const { main, public: open } = await startServer(t, toml, { plugins: [borrower, lender] })
  t.equal((await main.inject('/v1/lender')).statusCode, 200)
  t.equal((await open!.inject('/v1/lender')).statusCode, 404)
  t.strictSame((await open!.inject('/v1/borrower')).json(), { borrowed: 42 })
})

t.test('requests are counted by server, plugin, route pattern and status, refused ones too', async t => {
  const { main, public: open, core } = await startServer(t, '[http]\nenable_api_server = true')
  await main.inject('/health')
  await open!.inject({ method: 'POST', url: '/v1/health', payload: '12345' })
  await open!.inject('/nowhere/to/be/found')
  await main.inject({ method: 'PUT', url: '/health' })
  const metrics = await core.metrics.expose()
  const lines = [
    'server="main",plugin="admin",path="/health",method="GET",code="200"} 1',
    'server="public",plugin="core",path="/v1/health",method="POST",code="200"} 1',
    'server="public",plugin="core",path="unknown",method="GET",code="404"} 1',
    'server="main",plugin="admin",path="/health",method="PUT",code="405"} 1'
  ]
  for (const line of lines) t.ok(metrics.includes(`svc_servers_http_requests_total{${line}`), line)
  t.ok(metrics.includes('svc_servers_http_received_bytes_total{server="public",plugin="core",path="/v1/health"} 5'))
  t.match(metrics, 'svc_servers_http_requests_elapsed_bucket')
})

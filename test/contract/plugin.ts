// The contract of plugins, whatever their protocol: both servers, users, limits, errors, metrics, stored rows.
import { gzipSync } from 'node:zlib'
import type { FastifyInstance, InjectOptions } from 'fastify'
import { isPlugin } from '../../core/plugin.ts'
import { routeTable } from '../../core/server.ts'
import { lookEverywhere, type RowsFound } from './kept.ts'
import { type ContractListener, listenerContract } from './listener.ts'
import { type AnyPlugin, bootServer, type TestServer } from './server.ts'

/** The part of a test framework the kit uses; the `t` of tap has it, and that of `node:test` has the same in other places. */
export interface ContractTest {
  test(name: string, run: (t: ContractTest) => Promise<void>): unknown
  ok(value: unknown, message: string): unknown
  equal(found: unknown, wanted: unknown, message: string): unknown
}

/** The `t` of `node:test`. */
export interface NodeTest {
  test(name: string, run: (t: NodeTest) => Promise<void>): unknown
  readonly assert: {
    ok(value: unknown, message: string): unknown
    equal(found: unknown, wanted: unknown, message: string): unknown
  }
}

export interface ContractRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly payload?: string | Buffer
}

export interface PluginContract {
  /** The plugin's default export. */
  readonly plugin: AnyPlugin
  /** Its table in TOML, without the heading: `column = "text"`. */
  readonly options?: string
  /** Plugins of third parties that it needs or uses. */
  readonly others?: readonly AnyPlugin[]
  /** TOML for the rest of the server, below the top-level keys: tables of other plugins, for example. */
  readonly toml?: string
  /** A request that succeeds on an empty server; absent for a plugin without routes, one with `servers: []` for example. */
  readonly good?: ContractRequest
  /** A request that is refused with a 4xx status. Absent: there is none. */
  readonly bad?: ContractRequest
  /** What the good request needs permission for. Default `write`; `none` for one that needs a user and no permission, `public` for one that needs no user. */
  readonly action?: 'read' | 'write' | 'none' | 'public'
  /** Whether the good request stores rows. Default: where it needs permission to write. */
  readonly stores?: boolean
  /** What its listeners take. Those that are not named are not tried. */
  readonly listeners?: readonly ContractListener[]
}

const users = 'user_provider = "static_user_provider:cmd:all=a,reader:ro=r,writer:wo=w"\n'
const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`

/** Runs the contract as subtests of `t`; resolves when they are done, and leaves nothing running whether they hold or not. */
export async function pluginContract(framework: ContractTest | NodeTest, contract: PluginContract): Promise<void> {
  const t = 'assert' in framework ? ofNode(framework) : framework
  const { plugin, options = '', others = [], toml = '', good, bad, action = 'write' } = contract
  const { stores = good !== undefined && action === 'write' } = contract
  if (!isPlugin(plugin)) throw new Error('the plugin is not made by definePlugin')
  if (good === undefined && plugin.routes !== undefined && plugin.servers.length > 0)
    throw new Error(`a good request is missing: ${plugin.name} has routes`)
  const table = `\n[plugins.${plugin.name}]\n${options}\n`
  const onServer = async (top: string, http: string, check: (server: TestServer) => Promise<void>) => {
    const text = `${top}\n[http]\nenable_api_server = true\n${http}${table}${toml}`
    const server = await bootServer(text, { plugins: [...others, plugin] })
    try {
      await check(server)
    } finally {
      await server.discard()
    }
  }

  await t.test(`${plugin.name} on an open server`, t =>
    onServer('', 'body_limit = "64KiB"', async ({ main, public: open, core }) => {
      const app = plugin.servers.includes('main') ? main : open!
      const routes = routeTable(app).filter(route => route.plugin === plugin.name)
      const outside = routes.filter(({ path }) => !isUnder(path, plugin.prefix))
      t.equal(outside.map(({ path }) => path).join(), '', 'every route is under the prefix')
      checkDescriptions(t, routes)
      if (bad !== undefined) await checkRefusal(t, app, bad)
      if (good === undefined) return
      for (const [kind, app] of [['main', main] as const, ['public', open!] as const]) {
        const status = await send(app, good)
        if (plugin.servers.includes(kind)) t.ok(isSuccess(status), `the good request succeeds on ${kind}: ${status}`)
        else t.equal(status, 404, `nothing is there on ${kind}`)
      }
      if (good.payload !== undefined) await checkBodies(t, app, good)
      const metrics = await core.metrics.expose()
      t.ok(metrics.includes(`plugin="${plugin.name}"`), 'its requests are counted under its name')
    })
  )

  await t.test(`${plugin.name} on a server with users`, t =>
    onServer(users, '', async ({ main, public: open }) => {
      t.ok(true, 'it starts')
      if (good === undefined) return
      const app = plugin.servers.includes('main') ? main : open!
      const as = (user: string) => send(app, { ...good, headers: { ...good.headers, authorization: basic(user) } })
      const stranger = await send(app, good)
      if (action === 'public') t.ok(isSuccess(stranger), `strangers are let in: ${stranger}`)
      else t.equal(stranger, 401, 'strangers are refused')
      const allowed = { read: ['reader:r'], write: ['writer:w'] }[action as string] ?? ['reader:r', 'writer:w']
      for (const user of ['all:a', 'reader:r', 'writer:w']) {
        const status = await as(user)
        const name = user.split(':')[0]!
        if (user === 'all:a' || allowed.includes(user)) t.ok(isSuccess(status), `${name} is let in: ${status}`)
        else t.equal(status, 403, `permission to ${action} is needed`)
      }
    })
  )

  for (const listener of contract.listeners ?? []) {
    await listenerContract(t, plugin.name, listener, (tcp, folder) =>
      bootServer(`[http]\nenable_api_server = true\n${table}${tcp}${toml}`, {
        plugins: [...others, plugin],
        ...(folder !== undefined && { folder })
      })
    )
  }

  if (!stores || good === undefined) return
  await t.test(`${plugin.name} and the rows it stores`, async t => {
    let first: RowsFound | undefined
    await lookEverywhere({
      boot: folder =>
        bootServer(`[http]\nenable_api_server = true\n${table}${toml}`, { plugins: [...others, plugin], folder }),
      async write({ main, public: open }) {
        const status = await send(plugin.servers.includes('main') ? main : open!, good)
        t.ok(isSuccess(status), `the good request succeeds: ${status}`)
      },
      look(when, rows) {
        if (first === undefined) t.ok(Object.values(rows).join('') !== '', 'the good request stored rows')
        else t.equal(print(rows), print(first), `the same rows ${when}`)
        first ??= rows
      }
    })
  })
}

/** Its functions are methods of `t`. */
function ofNode(t: NodeTest): ContractTest {
  return {
    test: (name, run) => t.test(name, inner => run(ofNode(inner))),
    ok: (value, message) => t.assert.ok(value, message),
    equal: (found, wanted, message) => t.assert.equal(found, wanted, message)
  }
}

function print(rows: RowsFound): string {
  return Object.entries(rows)
    .map(([table, lines]) => `${table}\n${lines}\n`)
    .sort()
    .join('')
}

/** Members of a route's schema that `/v1/openapi.json` needs and cannot derive. */
function checkDescriptions(t: ContractTest, routes: ReturnType<typeof routeTable>): void {
  for (const { method, path, schema } of routes) {
    t.ok(schema?.summary, `the schema of ${method} ${path} has a summary`)
    t.ok(schema?.produces ?? schema?.response, `the schema of ${method} ${path} has produces or response: its answers`)
  }
}

async function checkRefusal(t: ContractTest, app: FastifyInstance, bad: ContractRequest): Promise<void> {
  const response = await app.inject(toInject(bad))
  t.ok(response.statusCode >= 400 && response.statusCode < 500, `the bad request is refused: ${response.statusCode}`)
  t.ok(response.headers['x-svc-err-code'], 'the error carries its code in a header')
  t.ok(response.body.length > 0, 'the error has a body')
}

async function checkBodies(t: ContractTest, app: FastifyInstance, good: ContractRequest): Promise<void> {
  const packed = gzipSync(good.payload!)
  const headers = { ...good.headers, 'content-encoding': 'gzip' }
  t.ok(isSuccess(await send(app, { ...good, headers, payload: packed })), 'a gzip body is taken')
  const tooLarge = Buffer.alloc(64 * 1024 + 1, 32)
  t.equal(await send(app, { ...good, payload: tooLarge }), 413, 'a body over the limit is refused')
  const bomb = gzipSync(Buffer.alloc(1 << 20, 32))
  t.equal(await send(app, { ...good, headers, payload: bomb }), 413, 'one that inflates over the limit is too')
}

async function send(app: FastifyInstance, request: ContractRequest): Promise<number> {
  return (await app.inject(toInject(request))).statusCode
}

function toInject({ method, url, headers = {}, payload }: ContractRequest): InjectOptions {
  return { method, url, headers: { ...headers }, ...(payload !== undefined && { payload }) }
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300
}

function isUnder(path: string, prefix: string): boolean {
  return prefix === '' || path === prefix || path.startsWith(`${prefix}/`)
}

// What every plugin can be held to, whatever its protocol: both servers, users, limits, errors and metrics.
import { gzipSync } from 'node:zlib'
import type { FastifyInstance, InjectOptions } from 'fastify'
import { isPlugin } from '../../core/plugin.ts'
import { routeTable } from '../../core/server.ts'
import { type AnyPlugin, bootServer } from './server.ts'

/** The part of a test framework the kit uses; the `t` of tap has it. */
export interface ContractTest {
  test(name: string, run: (t: ContractTest) => Promise<void>): unknown
  ok(value: unknown, message: string): unknown
  equal(found: unknown, wanted: unknown, message: string): unknown
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
  /** A request that succeeds on an empty server. */
  readonly good: ContractRequest
  /** A request that is refused with a 4xx status. */
  readonly bad: ContractRequest
  /** What the good request needs permission for. Default `write`. */
  readonly action?: 'read' | 'write'
}

const users = 'user_provider = "static_user_provider:cmd:all=a,reader:ro=r,writer:wo=w"\n'
const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`

/** Runs the contract as subtests of `t`; resolves when they are done. */
export async function pluginContract(t: ContractTest, contract: PluginContract): Promise<void> {
  const { plugin, options = '', good, bad, action = 'write' } = contract
  if (!isPlugin(plugin)) throw new Error('the plugin is not made by definePlugin')
  const table = `\n[plugins.${plugin.name}]\n${options}\n`
  const boot = (top: string, http: string) =>
    bootServer(`${top}\n[http]\nenable_api_server = true\n${http}${table}`, { plugins: [plugin] })

  await t.test(`${plugin.name} on an open server`, async t => {
    const { main, public: open, core, discard } = await boot('', 'body_limit = "64KiB"')
    const outside = routeTable(main).filter(
      route => route.plugin === plugin.name && !isUnder(route.path, plugin.prefix)
    )
    t.equal(outside.map(({ path }) => path).join(), '', 'every route is under the prefix')
    for (const [kind, app] of [['main', main] as const, ['public', open!] as const]) {
      const status = await send(app, good)
      if (plugin.servers.includes(kind)) t.ok(isSuccess(status), `the good request succeeds on ${kind}: ${status}`)
      else t.equal(status, 404, `nothing is there on ${kind}`)
    }
    await checkRefusal(t, main, bad)
    if (good.payload !== undefined) await checkBodies(t, main, good)
    const metrics = await core.metrics.expose()
    t.ok(metrics.includes(`plugin="${plugin.name}"`), 'its requests are counted under its name')
    await discard()
  })

  await t.test(`${plugin.name} on a server with users`, async t => {
    const { main, discard } = await boot(users, '')
    const as = (user: string) => send(main, { ...good, headers: { ...good.headers, authorization: basic(user) } })
    t.equal(await send(main, good), 401, 'strangers are refused')
    t.ok(isSuccess(await as('all:a')), 'a user is let in')
    t.equal(await as(action === 'write' ? 'reader:r' : 'writer:w'), 403, `permission to ${action} is needed`)
    t.ok(isSuccess(await as(action === 'write' ? 'writer:w' : 'reader:r')), `permission to ${action} is enough`)
    await discard()
  })
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

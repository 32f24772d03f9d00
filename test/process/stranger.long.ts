// An author outside the project writes a plugin of each kind: scaffolds it, checks its types and tests it beside the published server, publishes it, installs both
// elsewhere, starts them with a configuration, writes and queries.

import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import t from 'tap'
import { eventually } from '../eventually.ts'
import { typeErrors } from '../examples/types.ts'
import { temporaryFolder } from '../helpers.ts'
import { buildPackage, env, npm, packageFolder, root, run } from '../packed/package.ts'
import { startRegistry } from '../packed/registry.ts'
import { startProcess } from './server.ts'

await buildPackage()
const registry = await startRegistry(t)
await registry.publish('./dist/package')
await registry.publish(join(packageFolder, 'examples/create-weir-plugin'))
const { kinds } = await import(join(packageFolder, 'examples/create-weir-plugin/create.js'))
const names: readonly string[] = Object.keys(kinds)

/** A port that is free at the moment. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  await new Promise(resolve => server.close(resolve))
  return port
}

/** A folder for developing plugins: with the server and the `devDependencies` of their manifests. */
const workshop = temporaryFolder(t)
writeFileSync(join(workshop, 'package.json'), '{ "name": "workshop", "private": true, "type": "module" }')
await npm(workshop, 'install', ...registry.options, 'weir-server')
mkdirSync(join(workshop, 'node_modules/@types'), { recursive: true })
for (const name of ['@types/node', 'fastify'])
  if (!existsSync(join(workshop, 'node_modules', name)))
    symlinkSync(join(root, 'node_modules', name), join(workshop, 'node_modules', name))
const weir = join(workshop, 'node_modules/weir-server/bin/weir.js')
const node = (cwd: string, ...args: readonly string[]) => run(cwd, process.execPath, ...args)

t.test('written, with the right types, published', async t => {
  for (const kind of names) await node(workshop, weir, 'plugins', 'new', kind, `my${kind}`)
  // One run for all: the types of the server are read once.
  const { compilerOptions } = JSON.parse(readFileSync(join(workshop, 'weir-plugin-myingest/tsconfig.json'), 'utf8'))
  const include = ['weir-plugin-*/*.js', 'weir-plugin-*/test/*.js']
  writeFileSync(join(workshop, 'tsconfig.json'), JSON.stringify({ compilerOptions, include }))
  t.equal(typeErrors(workshop), '')
  for (const kind of names) await registry.publish(join(workshop, `weir-plugin-my${kind}`))
})

t.test('all of them beside an installed server', async t => {
  const home = temporaryFolder(t)
  writeFileSync(join(home, 'package.json'), '{ "name": "home", "private": true }')
  const extra = ['weir-plugin-otlp-grpc', 'weir-plugin-elastic-bulk', 'weir-plugin-syslog']
  for (const name of extra) await registry.publish(join(packageFolder, 'plugins-extra', name))
  const packages = names.map(kind => `weir-plugin-my${kind}`)
  await npm(home, 'install', ...registry.options, 'weir-server', ...packages, ...extra)

  const received: unknown[] = []
  const receiver = createHttpServer(async (request, response) => {
    received.push(...((await json(request)) as unknown[]))
    response.end()
  }).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  t.teardown(() => receiver.close())
  const [lines, grpc] = [await freePort(), await freePort()]
  const options: Readonly<Record<string, string>> = {
    listener: `tcp.addr = "127.0.0.1:${lines}"`,
    exporter: `table = "readings"\nurl = "http://127.0.0.1:${(receiver.address() as { port: number }).port}/"\ninterval = "50ms"`,
    users: `[[plugins.myusers.keys]]\nname = "me"\nmode = "rw"\nsha256 = "${createHash('sha256').update('key').digest('hex')}"`
  }
  const tables = names.map(kind => `[plugins.my${kind}]\nmodule = "weir-plugin-my${kind}"\n${options[kind] ?? ''}\n`)
  const others = [
    `[plugins.otlpgrpc]\nmodule = "weir-plugin-otlp-grpc"\ngrpc.addr = "127.0.0.1:${grpc}"\n`,
    '[plugins.elastic]\nmodule = "weir-plugin-elastic-bulk"\n',
    '[plugins.syslog]\nmodule = "weir-plugin-syslog"\n'
  ]
  const top = 'user_provider = "plugin:myusers"\n[http]\naddr = "127.0.0.1:0"\n[logging]\nlog_format = "json"\n'
  writeFileSync(join(home, 'weir.toml'), `${top}${tables.join('')}${others.join('')}`)
  const command = join(home, 'node_modules/weir-server/bin/weir.js')
  const doctor = await node(home, command, 'plugins', 'doctor', '--config', 'weir.toml')
  for (const kind of names) t.match(doctor.stdout, `my${kind}: ok`)
  const server = await startProcess(t, home, { command, env })
  const headers = { authorization: 'Bearer key' }
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(server.url + path, { ...init, headers: { ...headers, ...init.headers } })
  const rows = async (text: string) =>
    (await (await ask(`/v1/sql?${new URLSearchParams({ sql: text })}`)).json()).output

  t.equal((await fetch(`${server.url}/v1/sql?sql=SELECT 1`)).status, 401, 'users: nobody without a key')
  t.equal((await ask('/v1/sql?sql=SELECT 1')).status, 200, 'users: whoever has one')

  const stored = await ask('/v1/myingest?table=readings', { method: 'POST', body: 'door 1 1700000000\n' })
  t.strictSame(await stored.json(), { rows: 1 }, 'ingest')
  const socket = connect(lines, '127.0.0.1')
  socket.end('window 2\n')
  await once(socket.resume(), 'close')
  const answer = await rows('SELECT path, value FROM readings ORDER BY path')
  t.strictSame(
    answer[0].records.rows,
    [
      ['door', 1],
      ['window', 2]
    ],
    'listener'
  )

  const pipeline = 'processors:\n  - myprocessor: { field: card }\ntransform: [{ field: card, type: string }]'
  t.equal(
    (await ask('/v1/pipelines/hide', { method: 'POST', body: pipeline, headers: { 'content-type': 'text/yaml' } }))
      .status,
    200
  )
  const item = { method: 'POST', body: '[{"card":"123456"}]', headers: { 'content-type': 'application/json' } }
  await ask('/v1/ingest?table=cards&pipeline_name=hide', item)
  t.strictSame((await rows('SELECT card FROM cards'))[0].records.rows, [['****56']], 'processor')

  t.match(await (await ask('/v1/myquery?table=readings&format=csv')).text(), /window/, 'query')
  const markdown = await ask(
    `/v1/sql?format=myformat&sql=${encodeURIComponent('SELECT path FROM readings ORDER BY path')}`
  )
  t.equal(await markdown.text(), '| path |\n| --- |\n| door |\n| window |\n\n', 'format')
  const pages = await (await ask('/dashboard/pages.json')).json()
  t.ok(
    pages.some((page: { name: string }) => page.name === 'mypage'),
    'page'
  )
  const handed = await eventually(
    async () => received,
    seen => seen.length >= 2
  )
  t.match(handed, [{ path: 'door' }, { path: 'window' }], 'exporter')

  const bulk = '{"index":{"_index":"shop"}}\n{"message":"open"}\n'
  t.match(await (await ask('/v1/elastic/_bulk', { method: 'POST', body: bulk })).json(), { errors: false })
  t.strictSame((await rows('SELECT message FROM shop'))[0].records.rows, [['open']])
  const calling = connect(grpc, '127.0.0.1')
  await once(calling, 'connect')
  calling.destroy()
  const status = await (await ask('/status')).json()
  for (const plugin of status.plugins) t.equal(plugin.state, 'ok', `${plugin.name} is well`)
  t.equal(await server.kill('SIGTERM'), 0)
})

t.test('npm create weir-plugin, then what it says comes next', async t => {
  const folder = temporaryFolder(t)
  // A cache of its own: what npm ran there once, it would run again without asking the registry.
  const cache = `--cache=${join(folder, 'cache')}`
  const said = await npm(folder, 'create', 'weir-plugin', 'ingest', 'corner-shop', ...registry.options, cache, '--yes')
  t.match(said, /weir-plugin-corner-shop\/index\.js[\s\S]*npm install\nnpm test\nnpm start\n/)
  const home = join(folder, 'weir-plugin-corner-shop')
  t.match(readFileSync(join(home, 'LICENSE'), 'utf8'), /Apache License/)
  await npm(home, 'install', ...registry.options)
  const tested = await npm(home, 'test')
  t.match(tested, /tsc && node --test/, 'the types are checked with the compiler it installed')
  t.match(tested, /pass [1-9]\d*\n[\s\S]*fail 0\n/)
})

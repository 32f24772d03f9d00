// The code of the plugin guide: each piece is a file of examples/guide, its types are right, and it does what the guide says.
import { spawnSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { connect as openHttp2 } from 'node:http2'
import { createServer, connect as openSocket } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Test } from 'tap'
import t from 'tap'
import type { AnyPlugin } from '../contract/server.ts'
import { eventually } from '../eventually.ts'
import { askSql, startServer, temporaryFolder } from '../helpers.ts'
import { typeErrors } from './types.ts'

const root = join(import.meta.dirname, '../..')
const folder = join(root, 'examples/guide')
const guide = readFileSync(join(root, 'docs/plugin-guide.md'), 'utf8')

/** The files beside an installed server. */
function install(t: Test): string {
  const home = temporaryFolder(t)
  mkdirSync(join(home, 'node_modules/@types'), { recursive: true })
  symlinkSync(root, join(home, 'node_modules/weir-server'))
  for (const name of ['fastify', '@types/node'])
    symlinkSync(join(root, 'node_modules', name), join(home, 'node_modules', name))
  cpSync(folder, home, { recursive: true })
  writeFileSync(join(home, 'package.json'), '{"type":"module"}')
  return home
}

async function load(home: string, file: string): Promise<AnyPlugin> {
  return (await import(pathToFileURL(join(home, file)).href)).default
}

t.test('each piece of code is a file, and each file is in the guide', async t => {
  const shown = new Set<string>()
  for (const [, file, code] of guide.matchAll(/(?:<!-- examples\/guide\/(\S+) -->\n)?```[jt]s\n([\s\S]*?)```/g)) {
    t.ok(file, `where ${code!.split('\n')[0]} stands`)
    if (file === undefined) continue
    shown.add(file)
    t.equal(code, readFileSync(join(folder, file), 'utf8'), file)
  }
  t.strictSame([...shown].sort(), readdirSync(folder).sort())
})

t.test('the types are right', async t => {
  const home = install(t)
  const compilerOptions = {
    ...{ target: 'es2024', module: 'nodenext', lib: ['es2024', 'dom', 'esnext.iterator'], types: ['node'] },
    ...{
      allowJs: true,
      checkJs: true,
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      allowImportingTsExtensions: true
    }
  }
  writeFileSync(
    join(home, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, include: ['*.js', 'copy.ts', 'parts.ts'] })
  )
  t.equal(typeErrors(home), '')
  // A program of its own: it adds to the service map.
  writeFileSync(join(home, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['service.ts'] }))
  t.equal(typeErrors(home), '')
  const wrong = readFileSync(join(home, 'service.ts'), 'utf8').replace('key => names[key]', '() => 7')
  writeFileSync(join(home, 'service.ts'), wrong)
  t.match(typeErrors(home), /service\.ts.*error/, 'a wrong service is an error of the compiler')
})

t.test('the first plugin, and its test', async t => {
  const home = install(t)
  const { main } = await startServer(t, '[plugins.mine]\ncolumn = "reading"\n', {
    plugins: [await load(home, 'first.js')]
  })
  const post = (url: string, payload: string) => main.inject({ method: 'POST', url, payload })
  t.strictSame((await post('/v1/mine?table=t', '1.5\n2\n')).json(), { rows: 2 })
  t.match((await post('/v1/mine', '1')).json(), { error: 'parameter table is missing' })
  t.match((await post('/v1/mine?table=t', 'x')).json(), { error: /a number in each line/ })
  t.strictSame(await askSql({ main }, 'SELECT sum(reading) FROM t'), [[3.5]])
  const run = spawnSync(process.execPath, ['--test', 'test.js'], {
    cwd: home,
    env: { ...process.env, NODE_OPTIONS: '' },
    encoding: 'utf8'
  })
  t.equal(run.status, 0, run.stdout)
})

t.test('columns of each kind', async t => {
  const server = await startServer(t, '', { plugins: [await load(install(t), 'ask.js')] })
  const { weather } = await import(join(folder, 'columns.js'))
  const { internalContext } = await import('../../core/index.ts')
  await server.core.store.write(internalContext(server.core, 'mine'), [weather])
  t.strictSame(
    await askSql(
      server,
      'SELECT CAST(time AS STRING), site, note, sky, degrees, price, raw FROM weather ORDER BY time'
    ),
    [
      ['2026-01-02 03:04:05.678', 'north', 'föhn', 'clear', 3.5, '12.50', { a: [1, 2] }],
      ['2026-01-02 03:04:06.678', 'south', null, 'clear', null, '-0.07', null]
    ]
  )
  const asked = await server.main.inject({
    method: 'POST',
    url: '/v1/mine/most',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: 'site=north'
  })
  t.strictSame(asked.json(), { föhn: 3.5 })
})

t.test('every type of column takes the array that the guide names', async t => {
  const server = await startServer(t)
  const { internalContext } = await import('../../core/index.ts')
  const rows = [...guide.matchAll(/^\| `([^|]+)` \| `(fixed|bytes)` \| (?:`(\w+)`)?[^|]*\|/gm)]
  const typed: Readonly<Record<string, { of(...values: never[]): unknown }>> = {
    ...{ Int8Array, Int16Array, Int32Array, BigInt64Array, Uint8Array, Uint16Array, Uint32Array, BigUint64Array },
    ...{ Float32Array, Float64Array }
  }
  const named = rows.flatMap(([, types, kind, array]) =>
    types!.split('`, `').map(type => ({ type, kind, array: array as string | undefined }))
  )
  t.ok(named.length >= 19, `${named.length} types`)
  const columns = named.map(({ type, kind, array }) => {
    const one = array?.startsWith('Big') ? 1n : 1
    const wide = type === 'Decimal(38, 2)' ? [1n, 0n] : [one]
    const data =
      kind === 'bytes'
        ? { kind, offsets: Uint32Array.of(0, 1), bytes: Buffer.from('1') }
        : { kind, values: typed[array!]!.of(...(wide as never[])) }
    return { name: type, type, semantic: 'field', data }
  })
  const time = { kind: 'fixed', values: BigInt64Array.of(1n) }
  const write = {
    table: 'every',
    rows: 1,
    columns: [{ name: 'time', type: 'TimestampSecond', semantic: 'timestamp', data: time }, ...columns]
  }
  await server.core.store.write(internalContext(server.core, 'mine'), [write as never])
  const [row] = await askSql(server, `SELECT ${named.map(({ type }) => `"${type}"`).join()} FROM every`)
  t.strictSame(
    row.map((value: unknown) => (Array.isArray(value) ? value[0] : Number(value))),
    named.map(({ type }) => (type === 'Binary' ? 49 : type.startsWith('Decimal') ? 0.01 : 1)),
    named.map(({ type }) => type).join()
  )
})

t.test('sockets, of the server and of its own', async t => {
  const home = install(t)
  const server = await startServer(t, '[plugins.mine.tcp]\naddr = "127.0.0.1:0"\n', {
    plugins: [await load(home, 'listener.js')]
  })
  const socket = openSocket(server.listeners.get('mine.tcp')!.port, '127.0.0.1')
  socket.write('7\n')
  t.equal(String((await new Promise(resolve => socket.once('data', resolve))) as Buffer), 'stored\n')
  socket.end()
  t.strictSame(await askSql(server, 'SELECT value FROM numbers'), [[7]])

  const source = createServer(connection => connection.end('8\n')).listen(0, '127.0.0.1')
  t.teardown(() => source.close())
  await new Promise(resolve => source.once('listening', resolve))
  const { port } = source.address() as { port: number }
  const other = await startServer(t, `[plugins.mine]\nport = ${port}\n`, { plugins: [await load(home, 'port.js')] })
  await eventually(() => other.core.store.table('public', 'numbers') !== undefined)
  t.strictSame((await askSql(other, 'SELECT value FROM numbers'))[0], [8])
  await new Promise(resolve => source.close(resolve))
  const state = () => other.core.components.list().find(each => each.component === 'source')?.state
  await eventually(state, each => each === 'degraded')
  await other.close()
})

t.test('the types: a copy of a table', async t => {
  const home = install(t)
  const server = await startServer(t)
  const { copy } = await import(pathToFileURL(join(home, 'copy.ts')).href)
  const { internalContext } = await import('../../core/index.ts')
  const ctx = internalContext(server.core, 'mine')
  const { weather } = await import(pathToFileURL(join(home, 'columns.js')).href)
  await server.core.store.write(ctx, [weather])
  t.equal(await copy(server.core.store, ctx, 'weather', 'again'), 2)
  t.equal(await copy(server.core.store, ctx, 'missing', 'again'), 0)
  t.strictSame(await askSql(server, 'SELECT CAST(time AS STRING), site, origin FROM again ORDER BY time'), [
    ['2026-01-02 03:04:05.678', 'north', 'copied'],
    ['2026-01-02 03:04:06.678', 'south', 'copied']
  ])
})

t.test('the types: a plugin in parts', async t => {
  const listener = (name: string) => `[plugins.mine.${name}]\naddr = "127.0.0.1:0"\n`
  const toml = `user_provider = "plugin:mine"\n${listener('tcp')}${listener('udp')}${listener('grpc')}`
  const server = await startServer(t, toml, { plugins: [await load(install(t), 'parts.ts')] })
  const ask = (url: string, token = 'secret') =>
    server.main.inject({ url, headers: { authorization: `Bearer ${token}` } })
  const port = (name: string) => server.listeners.get(`mine.${name}`)!.port
  const socket = openSocket(port('tcp'), '127.0.0.1')
  socket.end('1234')
  t.equal(String((await new Promise(resolve => socket.once('data', resolve))) as Buffer), '4\n')
  const sender = createSocket('udp4')
  sender.send('12', port('udp'), '127.0.0.1', () => sender.close())
  const bytes = async () => (await ask('/v1/mine')).json().bytes
  await eventually(bytes, each => each === 6)
  const session = openHttp2(`http://127.0.0.1:${port('grpc')}`)
  t.teardown(() => session.destroy())
  const call = session.request({
    ':method': 'POST',
    ':path': '/mine.v1.Bytes/Add',
    'content-type': 'application/grpc',
    te: 'trailers',
    authorization: 'Bearer secret'
  })
  call.end(Buffer.from([0, 0, 0, 0, 1, 7]))
  const reply = await new Promise<Readonly<Record<string, unknown>>>(resolve => call.once('response', resolve))
  t.match(reply, { 'grpc-status': '7' }, 'a reader may not send')
  t.equal((await ask('/v1/mine', 'other')).statusCode, 401)
  const wrong = await ask('/v1/mine/wrong')
  t.strictSame([wrong.statusCode, wrong.body], [400, 'nothing is right here\n'])
  t.match((await ask('/v1/sql?format=rows&sql=SELECT 1 UNION ALL SELECT 2')).body, /^2 rows after \d+/)
})

t.test('items through a pipeline', async t => {
  const server = await startServer(t, '', { plugins: [await load(install(t), 'items.js')] })
  const answer = await server.main.inject({ method: 'POST', url: '/v1/mine/lines', payload: 'a\nbcd\n' })
  t.strictSame(answer.json(), { rows: 2, skipped: 0 })
  t.strictSame(await askSql(server, 'SELECT line, length FROM lines ORDER BY line'), [
    ['a', 1],
    ['bcd', 3]
  ])
})

t.test('a result format', async t => {
  const { main } = await startServer(t, '', { plugins: [await load(install(t), 'format.js')] })
  const answer = await main.inject("/v1/sql?format=lines&sql=SELECT 1, 'a' UNION ALL SELECT 2, 'b' ORDER BY 1")
  t.equal(answer.body, '1 "a"\n2 "b"\n')
})

t.test('bodies: with a schema, JSON, text, Protocol Buffers', async t => {
  const top = '[http]\nmax_form_size = "2KiB"\nmax_body_values = 1000\n'
  const { main } = await startServer(t, top, { plugins: [await load(install(t), 'body.js')] })
  const post = async (path: string, payload: string | Buffer, type = 'application/json') => {
    const answer = await main.inject({
      method: 'POST',
      url: `/v1/mine/${path}`,
      headers: { 'content-type': type },
      payload
    })
    return answer
  }
  t.strictSame((await post('one', '{"site":"north","degrees":10}')).json(), { site: 'north', fahrenheit: 50 })
  t.strictSame((await post('one', '{"site":"north","degrees":"10"}', 'text/plain')).json().fahrenheit, 50)
  for (const [payload, status, error] of [
    ['{"site":"north"}', 400, /degrees/],
    ['{"site":7,"degrees":"x"}', 400, /degrees must be number/],
    ['{"site"', 400, /the body is not valid JSON/],
    ['', 400, /body must be object/],
    [`{"site":"${'x'.repeat(3000)}","degrees":1}`, 413, /http\.max_form_size/]
  ] as const) {
    const answer = await post('one', payload)
    t.equal(answer.statusCode, status, payload.slice(0, 40))
    t.match(answer.json().error, error)
  }
  t.strictSame((await post('json', '[1,2]')).json(), { count: 2 })
  t.match((await post('json', '[1,"x"]')).json(), { error: 'item 1: expected a number, got string' })
  t.equal((await post('json', `[${'1,'.repeat(2000)}1]`)).statusCode, 413)
  t.match((await post('text', 'abc\nd5\n')).json(), { error: 'expected a letter at line 2, column 2' })
  const answer = await post('proto', Buffer.from([0x0a, 1, 0x61, 0x10, 5, 0x10, 6]))
  t.strictSame([...answer.rawPayload], [0x08, 11])
  t.match((await post('proto', Buffer.from([0x0a, 9]))).json().error, /it ends inside field 1/)
})

// The commands for plugins, configuration and queries.
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { startServer, temporaryFolder } from '../helpers.ts'

const root = join(import.meta.dirname, '../..')

function weir(cwd: string, args: readonly string[], more: Record<string, string> = {}) {
  return new Promise<{ code: number | null; out: string; err: string }>(resolve => {
    const { PATH, NODE_COMPILE_CACHE } = process.env
    const env = { PATH, NODE_COMPILE_CACHE, ...more }
    const child = execFile(process.execPath, [join(root, 'bin/weir.js'), ...args], { cwd, env }, (_, out, err) =>
      resolve({ code: child.exitCode, out, err })
    )
  })
}

t.test('plugins are listed and checked', async t => {
  const cwd = temporaryFolder(t)
  mkdirSync(join(cwd, 'node_modules'))
  symlinkSync(root, join(cwd, 'node_modules/weir-server'))
  cpSync(join(root, 'examples/plugin-plaintext'), join(cwd, 'plain'), { recursive: true })
  const good =
    '[plugins.plaintext]\nmodule = "./plain"\n[plugins."plaintext/b"]\nmodule = "./plain"\n[plugins.jaeger]\nenabled = false\n'
  writeFileSync(join(cwd, 'good.toml'), good)
  writeFileSync(join(cwd, 'bad.toml'), `${good}[plugins.other]\nmodule = "no-such"\n[plugins.sql]\ndelet_limit = 1\n`)
  const listed = await weir(cwd, ['plugins', 'list', '--config', 'good.toml'])
  t.match(listed, { code: 0, err: '' })
  t.match(listed.out, /^PLUGIN +STATE +SERVERS +PREFIX +LISTENERS +MODULE +VERSION$/m)
  t.match(listed.out, /^plaintext +on +main, public +\/v1\/plaintext +\.\/plain +1\.0\.0$/m)
  t.match(listed.out, /^plaintext\/b +on +main, public +\/v1\/plaintext\/b +\.\/plain +1\.0\.0$/m)
  t.match(listed.out, /^sql +on +main, public +\/v1\/sql +built-in$/m)
  t.match(listed.out, /^jaeger +off +built-in$/m)
  t.match(await weir(cwd, ['plugins', 'doctor', '-c', 'good.toml']), { code: 0, out: /^plaintext: ok$/m })
  const sick = await weir(cwd, ['plugins', 'doctor', '-c', 'bad.toml'])
  t.match(sick, {
    code: 2,
    out: /^jaeger: off[\s\S]*^other: module: cannot load no-such[\s\S]*^sql: delet_limit: unknown key, did you mean delete_limit/m
  })
})

t.test(
  'listeners are listed with the addresses of the configuration, and no prefix where there are no routes',
  async t => {
    const cwd = temporaryFolder(t)
    mkdirSync(join(cwd, 'node_modules'))
    symlinkSync(root, join(cwd, 'node_modules/weir-server'))
    const code = `import { definePlugin, tcpOptions, Type, udpOptions } from 'weir-server'
const config = Type.Object({ tcp: tcpOptions('', 'a'), udp: udpOptions('127.0.0.1:514', 'b'), other: tcpOptions('', 'c') })
export default definePlugin({ name: 'wires', prefix: '/v1/wires', servers: [], config, listeners: () => [] })`
    writeFileSync(join(cwd, 'wires.mjs'), code)
    writeFileSync(join(cwd, 'weir.toml'), '[plugins.wires]\nmodule = "./wires.mjs"\ntcp.addr = "127.0.0.1:515"\n')
    const { out } = await weir(cwd, ['plugins', 'list', '--config', 'weir.toml'])
    t.match(out, /^wires +on +tcp 127\.0\.0\.1:515, udp 127\.0\.0\.1:514 +\.\/wires\.mjs$/m)
  }
)

t.test('a plugin under the name of a built-in one is told so', async t => {
  const cwd = temporaryFolder(t)
  mkdirSync(join(cwd, 'node_modules'))
  symlinkSync(root, join(cwd, 'node_modules/weir-server'))
  const module = (members: string) =>
    `import { definePlugin } from 'weir-server'
export default definePlugin({ name: 'sql', prefix: '', servers: [], config: { type: 'object', properties: {} }, ${members} })`
  writeFileSync(join(cwd, 'sql.mjs'), module("needs: ['sql']"))
  writeFileSync(join(cwd, 'weir.toml'), '[plugins.sql]\nmodule = "./sql.mjs"\n')
  const doctor = () => weir(cwd, ['plugins', 'doctor', '--config', 'weir.toml'])
  const sick = await doctor()
  t.match(sick, {
    code: 2,
    out: /^sql: module: cannot load .*sql depends on itself: a plugin that builds on the built-in plugin sql needs another name$/m
  })
  const taken =
    /^sql: \.\/sql\.mjs takes the place of the built-in plugin sql; if it is to run beside it, give it another name$/m
  t.match(sick.out, taken)
  writeFileSync(join(cwd, 'sql.mjs'), module('setup: () => ({})'))
  t.match((await doctor()).out, taken, 'also where nothing else is wrong')
})

t.test('a reader that has seen enough is not a failure', async t => {
  const cwd = temporaryFolder(t)
  const command = `set -o pipefail; "${process.execPath}" "${join(root, 'bin/weir.js')}" config schema | head -c 9`
  const { code, err } = await new Promise<{ code: number | null; err: string }>(resolve => {
    const child = execFile('bash', ['-c', command], { cwd }, (_, __, err) => resolve({ code: child.exitCode, err }))
  })
  t.strictSame([code, err], [0, ''])
})

t.test('keys are explained, and the schema has them all', async t => {
  const cwd = temporaryFolder(t)
  writeFileSync(join(cwd, 'weir.toml'), '[http]\nbody_limit = "1MiB"\n')
  const { out } = await weir(cwd, ['config', 'explain', '--config', 'weir.toml', 'http.body_limit'])
  t.match(
    out,
    /^http\.body_limit\n.+\nType: size\nDefault: "64MiB"\nNow: "1MiB"\nChanges: .+\nEnvironment: WEIR__HTTP__BODY_LIMIT\n$/
  )
  const instance = `[plugins."plaintext/edge"]\nmodule = ${JSON.stringify(join(root, 'examples/plugin-plaintext'))}\n`
  writeFileSync(join(cwd, 'instance.toml'), instance)
  const key = 'plugins."plaintext/edge".column'
  t.match(
    (await weir(cwd, ['config', 'explain', '--config', 'instance.toml', key])).out,
    /^Environment: none, .*TOML only\n$/m
  )
  const variable = /^Environment: (WEIR__PLUGINS__SQL__DELETE_LIMIT)$/m.exec(
    (await weir(cwd, ['config', 'explain', 'plugins.sql.delete_limit'])).out
  )?.[1]
  t.match(
    (await weir(cwd, ['config', 'explain', 'plugins.sql.delete_limit'], { [variable!]: '7' })).out,
    /^Now: 7$/m,
    'the variable it names sets the key'
  )
  t.match(await weir(cwd, ['config', 'explain', 'plugins.sql']), {
    code: 0,
    out: /plugins\.sql\.delete_limit: Rows one DELETE/
  })
  t.match(await weir(cwd, ['config', 'explain', 'http.bodylimit']), { code: 2, err: /did you mean http\.body_limit/ })
  // A database may have any name, one that every object knows as well.
  for (const database of ['tenant', 'constructor']) {
    t.match(await weir(cwd, ['config', 'explain', `limits.databases.${database}.max_series`]), {
      code: 0,
      out: /Series of one of its tables.*live, a running server takes them over/s
    })
  }
  const far = await weir(cwd, ['config', 'explain', 'plugins.nothing'])
  t.equal(far.code, 2)
  t.match(far.err, /unknown key/)
  t.notMatch(far.err, /did you mean/, 'no name is near')
  const schema = JSON.parse((await weir(cwd, ['config', 'schema'])).out)
  t.match(schema.properties.http.properties.body_limit, {
    type: ['string', 'integer'],
    default: '64MiB',
    description: /./
  })
  t.match(schema.properties.plugins.properties.sql.properties, {
    enabled: { type: 'boolean' },
    delete_limit: { minimum: 1 }
  })
  t.equal(schema.properties.plugins.properties.sql.additionalProperties, false)
})

t.test('a server is asked', async t => {
  const toml = 'user_provider = "static_user_provider:cmd:mia=p"'
  const { addresses, main } = await startServer(t, toml)
  const authorization = `Basic ${Buffer.from('mia:p').toString('base64')}`
  const payload = `m,host=a value=1.5 ${Date.now()}000000\n`
  await main.inject({ method: 'POST', url: '/v1/lineproto/write', headers: { authorization }, payload })
  const cwd = temporaryFolder(t)
  const ask = (...args: string[]) =>
    weir(cwd, ['query', '--url', addresses.main, '--user', 'mia', ...args], { WEIR_PASSWORD: 'p' })
  t.match(await ask('SELECT host, value FROM m'), { code: 0, out: /│ "a" +│ 1\.5 +│/ })
  t.match(await ask('--format', 'csvWithNames', 'SELECT host FROM m'), { code: 0, out: /^"?host"?\r?\n"?a"?\r?\n$/ })
  t.match(await ask('--promql', 'm'), { code: 0, out: /│ \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z +│ 1\.5/ })
  const times = `SELECT CAST('2026-01-02 03:04:05.678' AS TIMESTAMP(3)) AS t, CAST(NULL AS TIMESTAMP) AS n, 9007199254740993 AS i, 1.0 AS f, 'ö"' AS s`
  t.strictSame(await ask(times), {
    code: 0,
    out: `┌─t────────────────────────┬─n────┬─i────────────────┬─f───┬─s─────┐
│ 2026-01-02T03:04:05.678Z │ null │ 9007199254740993 │ 1.0 │ "ö\\"" │
└──────────────────────────┴──────┴──────────────────┴─────┴───────┘
`,
    err: ''
  })
  t.match(await ask('--raw', times), { code: 0, out: /│ 1767323045678 +│/ }, 'as integers')
  t.match(await ask('CREATE TABLE c (ts TIMESTAMP TIME INDEX); SELECT 1'), { code: 0, out: /^0\n┌.*│ 1 +│/s })
  t.match(await ask('SELEC'), { code: 1, err: /^weir: .+\n/ })
  t.match(await weir(cwd, ['query', '--url', addresses.main, 'SELECT 1']), { code: 1, err: /Authorization|auth/i })
  t.match(await weir(cwd, ['query', '--url', 'http://127.0.0.1:1', 'SELECT 1']), {
    code: 1,
    err: /cannot reach http:\/\/127\.0\.0\.1:1/
  })
  t.match(await weir(cwd, ['query', '--step', '1s', 'SELECT 1']), { code: 2, err: /are for --promql/ })
})

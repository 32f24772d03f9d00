// What is refused at the start is refused by a reload with the same message, and then nothing has changed.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { Type } from 'typebox'
import { loadConfig } from '../../core/config/load.ts'
import { definePlugin } from '../../core/plugin.ts'
import { start } from '../../core/start.ts'
import { overrides, startServer, temporaryFolder, withPlugins } from '../helpers.ts'

const mine = definePlugin({
  name: 'mine',
  prefix: '',
  servers: ['main'],
  config: Type.Object({ most: Type.Integer({ default: 1, live: true }) })
})

/** Changes that would count at once if the rest of the file were right. */
const changes = `[plugins.mine]
most = 7
[slow_query]
threshold = "3s"
[logging]
level = "error"
`
const certificate = '-----BEGIN CERTIFICATE-----\nnone\n-----END CERTIFICATE-----\n'
const plugin = (members: string) =>
  `import { definePlugin } from 'weir-server'\nexport default definePlugin({ prefix: '', servers: ['main'], config: { type: 'object', properties: {} }, ${members} })\n`

t.test('every broken configuration', async t => {
  const folder = temporaryFolder(t)
  const write = (name: string, text: string) => {
    mkdirSync(join(folder, name, '..'), { recursive: true })
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  const pem = write('some.pem', certificate)
  const users = (text: string) => `user_provider = "watch_file_user_provider:${write(`users${text.length}`, text)}"`
  const module = (name: string, text: string) =>
    `[plugins.far]\nmodule = "./${write(name, text).slice(folder.length + 1)}"`
  write(
    'node_modules/weir-old/package.json',
    '{"name":"weir-old","main":"x.mjs","peerDependencies":{"weir-server":"^9"}}'
  )
  write('node_modules/weir-old/x.mjs', plugin(`name: 'far'`))
  const taken = createServer()
  await new Promise<void>(resolve => taken.listen(0, '127.0.0.1', resolve))
  t.teardown(() => taken.close())
  const { port } = taken.address() as { port: number }
  const top: Record<string, [string, RegExp]> = {
    'no TOML': ['= 1', /not valid TOML/],
    'an unknown key': ['nope = 1', /nope: unknown key/],
    'an unknown user provider': ['user_provider = "ldap:x"', /user_provider: expected static/],
    'a users file that is not there': [
      'user_provider = "static_user_provider:file:/no/such"',
      /user_provider: .*no such file/
    ],
    'a users file without users': [users('# nobody\n'), /user_provider: .*no line holds/],
    'a list with a bad user': ['user_provider = "static_user_provider:cmd:a"', /user_provider: .*entry 1/],
    'an unknown time zone': ['default_timezone = "Mars"', /default_timezone/],
    'an unknown policy': ['write_bytes_exhausted_policy = "hope"', /write_bytes_exhausted_policy/]
  }
  const tables: Record<string, [string, RegExp]> = {
    'an unknown plugin': ['[plugins.nope]', /plugins\.nope: unknown plugin/],
    'an unknown option': ['[plugins.sql]\nnope = 1', /plugins\.sql\.nope: unknown key/],
    'a server a plugin may not run on': ['[plugins.admin]\nservers = ["public"]', /plugins\.admin\.servers/],
    'a need that is off': ['[plugins.pipelines]\nenabled = false', /plugins\.ingest: .*needs plugin pipelines/],
    'a module that is not there': ['[plugins.far]\nmodule = "./far.js"', /plugins\.far\.module: cannot load/],
    'a module with a syntax error': [
      module('syntax.mjs', 'export default {\n  a: = 3\n}\n'),
      /plugins\.far\.module: .*syntax\.mjs:2: Unexpected token '='/
    ],
    'a module that imports one with a syntax error': [
      module('outer.mjs', `import './inner.mjs'\n${write('inner.mjs', '\n\nlet 7\n') && ''}`),
      /plugins\.far\.module: .*inner\.mjs:3: /
    ],
    'a module in TypeScript with a syntax error': [
      module('syntax.ts', 'const a: number = 1\nenum X { A }\n'),
      /plugins\.far\.module: .*syntax\.ts:2: /
    ],
    'a module that throws a text': [module('text.mjs', `throw 'a text'`), /plugins\.far\.module: .*a text/],
    'a module that throws nothing': [
      module('none.mjs', 'throw undefined'),
      /plugins\.far\.module: .*undefined was thrown/
    ],
    'a module that throws an error': [
      module('error.mjs', '\nnope()'),
      /plugins\.far\.module: .*error\.mjs:2:1: nope is not defined/
    ],
    'a plugin with an unknown member': [
      module('member.mjs', plugin(`name: 'far', route() {}`)),
      /plugins\.far\.module: .*far has an unknown member route, did you mean routes\?/
    ],
    'a plugin for another version': [
      '[plugins.far]\nmodule = "weir-old"',
      /plugins\.far\.module: .*weir-old needs weir-server \^9 .*this is \d/
    ],
    'an unknown engine': ['[storage]\nengine = "weir-no-engine"', /storage\.engine: cannot load/],
    'an engine that is none': [`[storage]\nengine = "./${'none.json'}"`, /storage\.engine/],
    'a file as data folder': [`[storage]\ndata_home = "${pem}"`, /storage\.data_home: expected a folder: .*some\.pem/],
    'a file above the log': [`[wal]\ndir = "${pem}/a/b"`, /wal\.dir: expected a folder: .*some\.pem is a file/],
    'a certificate that is not there': [
      '[http.tls]\ncert_path = "/no/such"\nkey_path = "/no/such"',
      /http\.tls\.cert_path: cannot read \/no\/such/
    ],
    'a certificate that is none': [
      `[http.tls]\ncert_path = "${pem}"\nkey_path = "${pem}"`,
      /http\.tls\.cert_path: .*holds no certificate/
    ],
    'an address that is taken': [`[http]\naddr = "127.0.0.1:${port}"`, /http\.addr.*the address is already in use/]
  }
  const cases = [
    ...Object.entries(top).map(([name, [text, message]]) => ({ name, toml: `${text}\n${changes}`, message })),
    ...Object.entries(tables).map(([name, [text, message]]) => ({ name, toml: `${changes}\n${text}\n`, message }))
  ]
  const kit = overrides(folder)
  const fresh = join(temporaryFolder(t), 'data')
  /** As the test's servers are started, but for what the file says itself. */
  const load = (toml: string) => {
    const file = write('weir.toml', toml)
    return loadConfig({
      file,
      overrides: {
        http: toml.includes('\naddr') ? { shutdown_grace: '1s' } : kit.http,
        storage: toml.includes('data_home') ? {} : { data_home: fresh },
        logging: kit.logging
      }
    }).config
  }
  const server = await startServer(t, '', { folder, plugins: [mine] })
  const before = (await server.main.inject('/config')).body
  for (const { name, toml, message } of cases) {
    const starting = async () => start(load(toml), withPlugins([mine]), { folder })
    await t.rejects(starting(), { message }, `a start refuses ${name}`)
    // That an address is taken shows when everything else is open.
    if (!toml.includes('\naddr')) t.notOk(existsSync(fresh), 'and has made nothing')
    await t.rejects(
      server.reload(() => load(toml)),
      { message },
      `a reload refuses ${name}`
    )
    t.equal((await server.main.inject('/config')).body, before, 'nothing has changed')
    t.equal(server.core.log.level, 'info')
  }
  const report = await server.reload(() => load(changes))
  t.strictSame(
    report.applied.toSorted(),
    ['logging.level', 'plugins.mine.most', 'slow_query.threshold'],
    'the same changes without a mistake count'
  )
})

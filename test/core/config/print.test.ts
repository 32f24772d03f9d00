import { globSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { Type } from 'typebox'
import { loadConfig } from '../../../core/config/load.ts'
import { printConfig } from '../../../core/config/print.ts'
import { readTable } from '../../../core/config/read.ts'
import { count, duration, size } from '../../../core/config/schema.ts'

const root = join(import.meta.dirname, '../../..')

t.test('a printed configuration reads back as the same one', async t => {
  const overrides = { http: { timeout: '90s', body_limit: 100 }, plugins: { sql: { enabled: false, n: 1.5 } } }
  const { config } = loadConfig({ overrides })
  const text = printConfig(config)
  const file = join(t.testdir({ 'weir.toml': text }), 'weir.toml')
  t.strictSame(loadConfig({ file }).config, config)
  t.match(text, /^user_provider = ""\nenable_telemetry = false\n/)
  t.match(text, /\[http\][^[]*timeout = "1m 30s"\nbody_limit = "100B"/)
})

t.test('passwords of an inline list of users and secrets of plugins are hidden', async t => {
  const { config } = loadConfig({
    overrides: {
      user_provider: 'static_user_provider:cmd:mia=plum-88,dash:ro=se=cret',
      plugins: { push: { token: 'abc123', key: 'def456', password: 'ghi789' }, other: { api_token: 'jkl' } }
    }
  })
  const push = Type.Object({ token: Type.String(), key: Type.String({ secret: true }), password: Type.String() })
  const text = printConfig(config, { plugins: { push } })
  t.match(text, 'user_provider = "static_user_provider:cmd:mia=******,dash:ro=******"')
  t.notMatch(text, /plum|se=cret|abc123|def456|ghi789|jkl/)
  t.match(
    printConfig(loadConfig({ overrides: { user_provider: 'static_user_provider:file:/etc/users' } }).config),
    'static_user_provider:file:/etc/users'
  )
})

t.test('secrets of tracing are hidden, and what is printed can be used all the same', async t => {
  const tracing = {
    otlp_endpoint: 'https://mia:plum-88@traces.example/v1/traces',
    otlp_headers: 'x-team=blue-1, authorization=Basic abc='
  }
  const text = printConfig(loadConfig({ overrides: { tracing } }).config)
  t.match(text, 'otlp_endpoint = "https://mia:******@traces.example/v1/traces"')
  t.match(text, 'otlp_headers = "x-team=******, authorization=******"')
  const file = join(t.testdir({ 'weir.toml': text }), 'weir.toml')
  t.equal(loadConfig({ file }).config.tracing.otlp_headers, 'x-team=******, authorization=******')
})

t.test("a plugin's options are printed with their defaults and units", async t => {
  const schema = Type.Object({ every: duration(5000, 'x'), most: size(2048, 'y'), parts: count(3, 'z') })
  const text = printConfig(loadConfig().config, { plugins: { tick: schema } })
  t.match(text, '[plugins.tick]\nenabled = true\nevery = "5s"\nmost = "2KiB"\nparts = 3\n')
})

t.test('a schema reads units, fills in defaults and names what is wrong', async t => {
  const schema = Type.Object({
    every: duration(5000, 'x', { minimum: 10 }),
    parts: count(2, 'y'),
    none: count(0, 'z', { minimum: 0 }),
    kind: Type.Union([Type.Literal('a'), Type.Literal('b')], { default: 'a' }),
    either: Type.Optional(Type.Union([Type.Boolean(), Type.Array(Type.Integer({ minimum: 1 }))])),
    inner: Type.Object({ deep: Type.String({ default: 'd' }) }),
    name: Type.String()
  })
  const good = readTable(schema, { every: '1m', name: 'n', either: [1] })
  t.strictSame(good.problems, [])
  t.strictSame(good.value, {
    every: 60_000,
    parts: 2,
    none: 0,
    kind: 'a',
    either: [1],
    inner: { deep: 'd' },
    name: 'n'
  })
  const bad = readTable(schema, { every: '5ms', parts: 0, kind: 'c', either: [0], inner: { depe: 1 } }, [
    'plugins',
    'x'
  ])
  t.strictSame(
    bad.problems.map(({ path, message }) => `${path.join('.')}: ${message}`),
    [
      'plugins.x.every: expected at least 10ms, got "5ms"',
      'plugins.x.parts: expected at least 1, got 0',
      'plugins.x.kind: expected "a" or "b", got "c"',
      'plugins.x.either: expected true or false, got a list, or expected at least 1, got 0',
      'plugins.x.inner.depe: unknown key, did you mean deep?',
      'plugins.x.name: this key is required'
    ]
  )
})

t.test('the example configurations are valid', async t => {
  const files = globSync('examples/config/*.toml', { cwd: root })
  t.ok(files.length > 0)
  for (const file of files) t.doesNotThrow(() => loadConfig({ file: join(root, file) }), file)
})

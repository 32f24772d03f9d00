import { join } from 'node:path'
import t, { type Test } from 'tap'
import { ConfigError, locateProblems } from '../../../core/config/error.ts'
import { keyLines } from '../../../core/config/lines.ts'
import { loadConfig } from '../../../core/config/load.ts'

function write(t: Test, text: string): string {
  return join(t.testdir({ 'weir.toml': text }), 'weir.toml')
}

function problems(load: () => unknown): string[] {
  try {
    load()
    return []
  } catch (error) {
    if (error instanceof ConfigError)
      return error.message.split('\n').map(line => line.replace(/^.*weir\.toml/, 'weir.toml'))
    throw error
  }
}

t.test('without a file every key has its default, in numbers', async t => {
  const { config } = loadConfig()
  t.equal(config.http.addr, '127.0.0.1:4000')
  t.equal(config.http.timeout, 30_000)
  t.equal(config.http.body_limit, 64 * 1024 ** 2)
  t.equal(config.init_regions_parallelism, 16)
  t.equal(config.enable_telemetry, false)
  t.strictSame(config.plugins, {})
})

t.test('folders are absolute, and lie below data_home unless they are named', async t => {
  const { config } = loadConfig({ overrides: { storage: { data_home: './here' }, wal: { dir: '/logs/wal' } } })
  t.equal(config.storage.data_home, join(process.cwd(), 'here'))
  t.equal(config.logging.dir, join(process.cwd(), 'here', 'logs'))
  t.equal(config.wal.dir, '/logs/wal')
})

t.test('the environment wins over the file, overrides over both', async t => {
  const file = write(t, '[http]\naddr = "a:1"\napi_server_addr = "b:2"\ntimeout = "1s"\nbody_limit = 0\n')
  const env = { WEIR__HTTP__ADDR: 'a:3', WEIR__HTTP__TIMEOUT: '2s', WEIR_OTHER: 'x', PATH: '/bin' }
  const { config } = loadConfig({ file, env, overrides: { http: { addr: 'a:4', timeout: undefined } } })
  t.match(config.http, { addr: 'a:4', api_server_addr: 'b:2', timeout: 2000, body_limit: 0 })
})

t.test('environment variables are read as the type of their key', async t => {
  const env = {
    WEIR__HTTP__CORS_ALLOWED_ORIGINS: 'https://a, https://b',
    WEIR__HTTP__ENABLE_API_SERVER: 'true',
    WEIR__INIT_REGIONS_PARALLELISM: '4',
    WEIR__PLUGINS__SQL__ENABLED: 'false',
    WEIR__PLUGINS__SQL__SERVERS: 'main',
    WEIR__PLUGINS__SQL__LIMIT: '12',
    WEIR__PLUGINS__SQL__NAME: 'twelve of them'
  }
  const { config } = loadConfig({ env })
  t.strictSame(config.http.cors_allowed_origins, ['https://a', 'https://b'])
  t.equal(config.http.enable_api_server, true)
  t.equal(config.init_regions_parallelism, 4)
  t.strictSame(config.plugins, { sql: { enabled: false, servers: ['main'], limit: 12, name: 'twelve of them' } })
})

t.test('all problems are reported at once, with file, line, key and a likely intention', async t => {
  const file = write(
    t,
    [
      'defualt_timezone = "UTC"',
      '[http]',
      'timeout = 30',
      'cors_allowed_origins = [',
      '  "https://a", # ]',
      ']',
      'tiemout = "3s"',
      '[storage]',
      'addr = "x"',
      '[wal]',
      'sync = "alway"',
      '[plugins.sql]',
      'enabled = "yes"'
    ].join('\n')
  )
  t.strictSame(
    problems(() => loadConfig({ file, env: { WEIR__HTTP__BODY_LIMIT: '12x', WEIR__HTPP__ADDR: 'a:1' } })),
    [
      'weir.toml:1: defualt_timezone: unknown key, did you mean default_timezone?',
      'weir.toml:3: http.timeout: expected a duration such as "30s" or "1h 30m", got 30',
      'weir.toml:7: http.tiemout: unknown key, did you mean timeout?',
      'weir.toml:9: storage.addr: unknown key, did you mean http.addr?',
      'weir.toml:11: wal.sync: expected "always", "interval" or "none", got "alway", did you mean always?',
      'weir.toml:13: plugins.sql.enabled: expected true or false, got "yes"',
      'environment WEIR__HTTP__BODY_LIMIT: http.body_limit: expected a size such as "64MiB", got "12x"',
      'environment WEIR__HTPP__ADDR: htpp: unknown key, did you mean http?'
    ]
  )
})

t.test('values that contradict each other or mean nothing are refused', async t => {
  const load = (overrides: Record<string, unknown>) => problems(() => loadConfig({ overrides }))
  t.match(load({ http: { addr: 'localhost' } }), [/http\.addr: expected host:port/])
  t.match(load({ http: { addr: 'localhost:70000' } }), [/expected a port of at most 65535, got 70000/])
  t.match(load({ http: { enable_api_server: true, api_server_addr: '127.0.0.1:4000' } }), [/has this address already/])
  t.match(load({ default_timezone: 'Mars/Base' }), [/expected an IANA time zone or \+hh:mm, got "Mars\/Base"/])
  t.match(load({ write_bytes_exhausted_policy: 'hope' }), [/expected wait, wait\(10s\) or fail/])
  t.match(load({ storage: { memtable_limit: '1MiB' } }), [/memtable_limit: expected at least storage\.memtable_size/])
  t.match(load({ http: 'x' }), [/http: expected a table/])
})

t.test('headers and address of tracing are checked before they are used, without telling a secret', async t => {
  for (const otlp_headers of ['', 'a=b', 'x-a=1,x-b=Basic abc=', ' a = b , c='])
    loadConfig({ overrides: { tracing: { otlp_headers } } })
  for (const otlp_headers of ['secret-1', 'a=b,', 'bad name=secret-1', 'a=secret-1\nb=c', '=secret-1', 'a=é']) {
    const wrong = t.throws(() => loadConfig({ overrides: { tracing: { otlp_headers } } })) as Error
    t.match(wrong.message, /^given by the caller: tracing.otlp_headers: expected name=value,other=value/)
    t.notMatch(wrong.message, 'secret-1')
  }
  t.throws(() => loadConfig({ overrides: { tracing: { otlp_endpoint: 'http://' } } }), {
    message: /tracing.otlp_endpoint: expected a URL, got http:\/\//
  })
})

t.test('a file that is missing or no TOML is named with the place', async t => {
  t.match(
    problems(() => loadConfig({ file: '/nowhere/weir.toml' })),
    [/no such file/]
  )
  t.strictSame(
    problems(() => loadConfig({ file: write(t, '[http]\naddr = = 1\n') })),
    ['weir.toml:2:8: not valid TOML: invalid value']
  )
  t.match(
    problems(() => loadConfig({ file: write(t, '[__proto__]\nx = 1\n') })),
    [/weir\.toml:\d/]
  )
})

t.test('others that find problems later get the place too', async t => {
  const file = write(t, '[plugins.sql]\nlimit = 1\n')
  const { locate } = loadConfig({ file })
  const later = new ConfigError([{ path: ['plugins', 'sql', 'limit'], message: 'too low' }])
  t.equal(locateProblems(later, locate).message, `${file}:2: plugins.sql.limit: too low`)
  t.equal(locate(['plugins', 'sql', 'other']), `${file}:1`)
  t.equal(locate(['http', 'addr']), undefined)
})

t.test('keys are found in TOML of every shape', async t => {
  const text = [
    '# x = 1',
    'a.b."c d" = """',
    '[not.a.table]',
    '""" # end',
    "'lit' = [ 1, [",
    ' "]", # ]',
    '], { k = "}" } ]',
    '[[list]]',
    'x = "\\"#"',
    '[ t . "u.v" ]',
    'last = 1'
  ].join('\n')
  const line = (...path: string[]) => keyLines(text).get(JSON.stringify(path))
  t.equal(line('x'), undefined)
  t.equal(line('a', 'b', 'c d'), 2)
  t.equal(line('not'), undefined)
  t.equal(line('lit'), 5)
  t.equal(line('list'), 8)
  t.equal(line('list', 'x'), 9)
  t.equal(line('t', 'u.v', 'last'), 11)
})

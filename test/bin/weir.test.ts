import { execFile, spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import t, { type Test } from 'tap'
import { fits, parseSecret } from '../../core/auth/password.ts'
import { needingClickHouse } from '../clickhouse/server.ts'

const { PATH, NODE_COMPILE_CACHE } = process.env
const entry = join(import.meta.dirname, '../../bin/weir.js')

interface Outcome {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** Runs the command in a folder that is not the repository. */
function weir(args: readonly string[], input = '', env: Record<string, string> = {}): Promise<Outcome> {
  return new Promise(resolve => {
    const options = { cwd: tmpdir(), env: { PATH, NODE_COMPILE_CACHE, ...env } }
    const child = execFile(process.execPath, [entry, ...args], options, (_error, out, err) =>
      resolve({ code: child.exitCode, out, err })
    )
    child.stdin!.end(input)
  })
}

t.test('--help works on every level and --version says the version', async t => {
  const cases: [string[], RegExp][] = [
    [[], /Usage: weir COMMAND/],
    [['--help'], /Usage: weir COMMAND/],
    [['start', '--help'], /--config FILE.*\n.*--data-home DIR.*\n.*--http-addr HOST:PORT/],
    [['config', '-h'], /check FILE/],
    [['config', 'print', '--help'], /Usage: weir config print/],
    [['user', 'hash-password', '--help'], /--password-stdin/],
    [['--version'], /^\d+\.\d+\.\d+\n$/]
  ]
  const outcomes = await Promise.all(cases.map(([args]) => weir(args)))
  for (const [index, [args, text]] of cases.entries()) {
    t.match(outcomes[index], { code: 0, err: '' }, args.join(' '))
    t.match(outcomes[index]!.out, text, args.join(' '))
  }
})

t.test('a wrong command line ends with one clear line and exit code 2', async t => {
  const cases: [string[], string][] = [
    [['config'], 'weir: a command is missing: check, print, schema, explain'],
    [['strat'], 'weir: unknown command "strat", did you mean start?'],
    [['start', '--confg', 'x'], 'weir: unknown option --confg, did you mean --config?'],
    [['start', '--config'], "weir: option '-c, --config <value>' argument missing"],
    [['start', 'weir.toml'], 'weir: unexpected argument "weir.toml"'],
    [['start', '--config', '/none.toml'], 'weir: cannot read the configuration file /none.toml: no such file'],
    [['start', '--http-addr', 'x'], 'weir: command line: http.addr: expected host:port'],
    [['config', 'check'], 'weir: FILE is missing'],
    [['user', 'hash-password'], 'weir: the standard input is not a terminal: give --password-stdin']
  ]
  const outcomes = await Promise.all(cases.map(([args]) => weir(args)))
  for (const [index, [args, text]] of cases.entries()) {
    const { code, out, err } = outcomes[index]!
    t.strictSame({ code, out, lines: err.split('\n').length }, { code: 2, out: '', lines: 2 }, args.join(' '))
    t.equal(err.slice(0, text.length), text)
  }
})

t.test('config check names every problem of a file, its plugins and its users', async t => {
  const dir = t.testdir({
    'good.toml':
      '[http]\naddr = "127.0.0.1:0"\ntimeout = "9s"\n[plugins.admin]\nenabled = true\n[plugins.sql]\ndelete_limit = 9\n',
    'bad.toml': '[http]\naddr = 1\ntimeout = "soon"\n',
    'plugin.toml': '[plugins.admni]\nenabled = true\n',
    'engine.toml': '[storage]\nengine = "nowhere"\n',
    'users.toml': 'user_provider = "static_user_provider:file:/none"\n',
    'tls.toml': '[http.tls]\ncert_path = "/none.pem"\nkey_path = "/none.key"\n'
  })
  const check = (name: string) => weir(['config', 'check', join(dir, name)])
  const [good, bad, plugin, engine, users, tls] = await Promise.all(
    ['good.toml', 'bad.toml', 'plugin.toml', 'engine.toml', 'users.toml', 'tls.toml'].map(name => check(name))
  )
  t.match(good, { code: 0, err: '' })
  t.match(
    good!.out,
    /good\.toml: ok\nlive, a running server takes them over: http\.timeout, plugins\.sql\.delete_limit\ncount after a restart: http\.addr\n$/
  )
  t.match(bad, { code: 2, err: /bad\.toml:2: http\.addr: [^\n]*\n[^\n]*bad\.toml:3: http\.timeout: / })
  t.match(tls, { code: 2, err: /tls\.toml:2: http\.tls\.cert_path: cannot read \/none\.pem/ })
  t.match(plugin, { code: 2, err: /plugin\.toml:1: plugins\.admni: unknown plugin, did you mean admin\?/ })
  const unknown =
    /^[^\n]*engine\.toml:2: storage\.engine: cannot load nowhere, expected embedded, clickhouse or a module: [^\n]*\n$/
  t.match(engine, { code: 2, err: unknown })
  t.match(await weir(['start', '--config', join(dir, 'engine.toml')]), { code: 2, err: unknown })
  const inFile = await weir(['start', '--data-home', join(dir, 'good.toml'), '--http-addr', '127.0.0.1:0'])
  t.match(inFile, {
    code: 2,
    err: /^weir: command line: storage\.data_home: expected a folder: [^\n]*good\.toml is a file\n$/
  })
  t.match(users, { code: 2, err: /users\.toml:1: user_provider: [^\n]*no such file\n$/ })
})

t.test('config print shows the effective configuration and hides passwords', async t => {
  const { code, out } = await weir(['config', 'print'], '', {
    WEIR__USER_PROVIDER: 'static_user_provider:cmd:mia=plum-88',
    WEIR__HTTP__TIMEOUT: '90s'
  })
  t.equal(code, 0)
  t.match(out, 'timeout = "1m 30s"')
  t.match(out, /\[plugins\.admin\]\nenabled = true/)
  t.match(out, 'mia=******')
  t.notMatch(out, 'plum-88')
})

t.test('user make-token prints a token and the line that lets it in', async t => {
  const { code, out } = await weir(['user', 'make-token', 'bot', '--rights', 'ro@a+b', '--expires', '2999-01-31'])
  t.equal(code, 0)
  const [, token, line] = /^token: (weir_\S{43})\nline: {2}(\S+)\n$/.exec(out) ?? []
  t.match(line, /^bot:ro@a\+b=token_sha256:[0-9a-f]{64}:2999-01-31$/)
  t.ok(token)
  for (const wrong of [
    ['--rights', 'all'],
    ['--expires', 'soon']
  ]) {
    t.not((await weir(['user', 'make-token', 'bot', ...wrong])).code, 0, wrong.join(' '))
  }
})

t.test('user hash-password prints a hash of what comes in', async t => {
  const { code, out } = await weir(['user', 'hash-password', '--password-stdin'], 'drop only\n')
  t.equal(code, 0)
  t.ok(await fits(parseSecret(out.trim()), 'drop only'))
  t.match(await weir(['user', 'hash-password', '--password-stdin'], '\n'), { code: 2, err: /password is empty/ })
})

t.test('start serves with flags over the environment, and a signal ends it with exit code 0', async t => {
  const home = join(t.testdir({}), 'home')
  const args = [entry, 'start', '--data-home', home, '--http-addr', '127.0.0.1:0']
  const env = { ...process.env, WEIR__HTTP__ADDR: '127.0.0.1:1', WEIR__LOGGING__LOG_FORMAT: 'json' }
  const child = spawn(process.execPath, args, { cwd: tmpdir(), env, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = new Promise<number | null>(resolve => child.once('exit', resolve))
  let url = ''
  for await (const line of createInterface({ input: child.stdout })) {
    const { msg, main } = JSON.parse(line)
    if (msg !== 'started') continue
    url = main
    break
  }
  t.equal((await fetch(`${url}/health`)).status, 200)

  const second = await weir(['start', '--data-home', home, '--http-addr', '127.0.0.1:0'])
  t.match(second, { code: 1, err: /^weir: [^\n]*\n$/ })
  t.match(second.err, home)

  child.kill('SIGTERM')
  setTimeout(() => child.kill('SIGTERM'), 5)
  t.equal(await ended, 0, 'also when npm passes the signal on once more')
})

t.test('demo --once answers its questions and leaves nothing behind', async t => {
  await showsDemo(t)
  t.match(await weir(['demo', '--engine', 'other']), { code: 2, err: /^weir: --engine is embedded or clickhouse/ })
})

t.test('demo --once answers them over ClickHouse, too', needingClickHouse(), t =>
  showsDemo(t, '--engine', 'clickhouse')
)

async function showsDemo(t: Test, ...args: string[]): Promise<void> {
  const TMPDIR = t.testdir({})
  const env = { TMPDIR, WEIR__USER_PROVIDER: 'not asked' }
  const { code, out, err } = await weir(['demo', '--once', ...args], '', env)
  t.strictSame({ code, err }, { code: 0, err: '' })
  t.match(out, /ingested 1200 lines of an access log/)
  for (const found of ['"/checkout"', '"/v1/ingest"']) t.ok(out.includes(found), found)
  t.match(out, /"\d\d:\d\d"/, 'minutes in which the checkout failed')
  t.strictSame(readdirSync(TMPDIR), [])
}

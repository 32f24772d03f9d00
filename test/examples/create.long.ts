// The package that npm create weir-plugin writes: of every kind, its types are right and its own tests pass.
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import satisfies from 'semver/functions/satisfies.js'
import t from 'tap'
import { version } from '../../core/version.ts'
import { catalogue } from '../../plugins/index.ts'
import { startServer, temporaryFolder } from '../helpers.ts'
import { needing } from '../programs.ts'
import { typeErrors } from './types.ts'

const root = join(import.meta.dirname, '../..')
const { createPlugin, kinds, takenNames } = await import(join(root, 'examples/create-weir-plugin/create.js'))
/** Options tap gives to every Node of a test are nothing for others. */
const env = { ...process.env, NODE_OPTIONS: '' }

const license = readFileSync(join(root, 'LICENSE'), 'utf8')

t.test('every kind', async t => {
  const folder = temporaryFolder(t)
  const modules = join(folder, 'node_modules')
  mkdirSync(join(modules, '@types'), { recursive: true })
  symlinkSync(root, join(modules, 'weir-server'))
  for (const name of ['fastify', '@types/node']) symlinkSync(join(root, 'node_modules', name), join(modules, name))
  const nameOf = (kind: string) => `my-own_${kind}`
  for (const kind of Object.keys(kinds)) createPlugin(kind, nameOf(kind), folder)

  // One run for all: the types of the server are read once. They are its sources here, which import each other as such.
  const { compilerOptions } = JSON.parse(
    readFileSync(join(folder, `weir-plugin-${nameOf('ingest')}/tsconfig.json`), 'utf8')
  )
  const include = ['*/*.js', '*/test/*.js']
  const config = { compilerOptions: { ...compilerOptions, allowImportingTsExtensions: true }, include }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  const right = readFileSync(join(folder, `weir-plugin-${nameOf('ingest')}/decode.js`), 'utf8')
  mkdirSync(join(folder, 'wrong'))
  writeFileSync(join(folder, 'wrong/decode.js'), right.replace("'timestamp'", "'times'"))
  const [found, ...more] = typeErrors(folder).split(/\n(?! )/)
  t.match(found, /^wrong\/decode\.js.*error/, 'wrong types are found')
  t.same(more, [], 'the types are right')

  for (const kind of Object.keys(kinds)) {
    const cwd = join(folder, `weir-plugin-${nameOf(kind)}`)
    const { status, stdout } = spawnSync(process.execPath, ['--test'], { cwd, env, encoding: 'utf8' })
    t.equal(status, 0, `the tests of ${kind} pass`)
    if (status !== 0) t.comment(stdout)
    const text = readdirSync(cwd, { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(entry => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
      .join('\n')
    t.notMatch(text, /\bmine\b|svc_mine/i, 'the name is everywhere')
    t.match(text, /^ {2}api: 1,$/m)
    t.equal(readFileSync(join(cwd, 'LICENSE'), 'utf8'), license)
    const toml = readFileSync(join(cwd, 'weir.toml'), 'utf8').replace(
      '"./index.js"',
      JSON.stringify(join(cwd, 'index.js'))
    )
    const server = await startServer(t, toml.replace(':2003', ':0'))
    t.match(server.core.plugins, [
      ...server.core.plugins.filter(({ name }) => name !== nameOf(kind)),
      { name: nameOf(kind) }
    ])
    await server.discard()
  }
})

t.test('names of packages and plugins are made of the name given', async t => {
  const folder = temporaryFolder(t)
  createPlugin('page', 'weir-plugin-slow_queries-2', folder)
  const page = (file: string) => readFileSync(join(folder, 'weir-plugin-slow_queries-2', file), 'utf8')
  t.match(page('index.js'), "{ name: 'slow_queries-2', title: 'Slow queries 2',")
  t.match(page('page.js'), "heading.textContent = 'Slow queries 2'")
  createPlugin('exporter', 'to-kafka', folder)
  t.match(readFileSync(join(folder, 'weir-plugin-to-kafka/index.js'), 'utf8'), "'svc_to_kafka_rows_total'")
})

t.test('names that a plugin cannot have', async t => {
  const folder = temporaryFolder(t)
  t.strictSame([...takenNames].sort(), [...Object.keys(catalogue), 'core'].sort(), 'all built-in plugins are known')
  for (const name of takenNames)
    t.throws(() => createPlugin('ingest', name, folder), {
      message: `${name} is the name of a built-in plugin, and yours would take its place: choose another name`
    })
  t.throws(() => createPlugin('ingest', 'weir-plugin-sql', folder), {
    message: /^sql is the name of a built-in plugin/
  })
  for (const name of ['Shop', '9lives', '-a', '_a', 'a.b', '', 'a b'])
    t.throws(() => createPlugin('ingest', name, folder), { message: /is not a name: expected a lower case letter/ })
  t.strictSame(readdirSync(folder), [])
})

t.test('the made package has its license, and asks for this server', async t => {
  const folder = join(root, 'examples/create-weir-plugin')
  t.equal(readFileSync(join(folder, 'LICENSE'), 'utf8'), license)
  const { folder: made } = createPlugin('users', 'keys', temporaryFolder(t))
  const { peerDependencies, devDependencies } = JSON.parse(readFileSync(join(made, 'package.json'), 'utf8'))
  for (const wanted of [peerDependencies['weir-server'], devDependencies['weir-server']])
    t.ok(satisfies(version, wanted, { includePrerelease: true }), `${wanted} has ${version}`)
})

t.test('asked on a terminal', needing('script'), async t => {
  const program = `${process.execPath} ${join(root, 'examples/create-weir-plugin/index.js')}`
  const talk = (cwd: string, args: string, ...answers: readonly (readonly [RegExp, string])[]) =>
    new Promise<{ code: number | null; out: string }>(resolve => {
      // Of its own session: what is typed goes to the terminal that it makes.
      const child = spawn('script', ['-qec', `${program} ${args}`, '/dev/null'], { cwd, env })
      const left = [...answers]
      let [out, seen] = ['', 0]
      child.stdout.setEncoding('utf8').on('data', text => {
        out += text
        while (left[0]?.[0].test(out.slice(seen))) {
          seen = out.length
          child.stdin.write(left.shift()![1])
        }
      })
      child.on('close', code => resolve({ code, out }))
    })
  const folder = temporaryFolder(t)
  const asked = await talk(
    folder,
    '',
    [/Kind: /, 'ingress\n'],
    [/unknown kind ingress: expected ingest[\s\S]*Kind: /, 'users\n'],
    [/Name: /, 'sql\n'],
    [/sql is the name of a built-in plugin[\s\S]*Name: /, 'door-keys\n']
  )
  t.match(asked, { code: 0, out: /exporter +hands on[\s\S]*weir-plugin-door-keys\/index\.js[\s\S]*npm test/ })
  t.match(readFileSync(join(folder, 'weir-plugin-door-keys/index.js'), 'utf8'), /authenticate/)
  const pasted = await talk(folder, '', [/Kind: /, 'page\nnews\n'])
  t.match(pasted, { code: 0, out: /weir-plugin-news\/page\.js/ }, 'several lines at once')
  const half = await talk(folder, 'query', [/Name: /, 'other\n'])
  t.match(half, { code: 0, out: /weir-plugin-other\/index\.js/ }, 'only what is missing')
  t.match(await talk(folder, '', [/Kind: /, '\x04']), { code: 1, out: /no answer, nothing was written/ })
  t.strictSame(readdirSync(folder).sort(), ['weir-plugin-door-keys', 'weir-plugin-news', 'weir-plugin-other'])
})

t.test('on the command line', async t => {
  const cwd = temporaryFolder(t)
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [join(root, 'examples/create-weir-plugin/index.js'), ...args], {
      cwd,
      env,
      encoding: 'utf8'
    })
  t.match(run('ingest', 'shop'), { status: 0, stdout: /weir-plugin-shop\/index\.js[\s\S]*npm test/ })
  t.match(run('ingest', 'shop'), { status: 1, stderr: /weir-plugin-shop is there already/ })
  t.match(run('ingress', 'other'), { status: 1, stderr: /unknown kind ingress: expected ingest, listener/ })
  t.match(run('ingest', '../x'), { status: 1, stderr: /is not a name/ })
  t.match(run('ingest', 'promql'), { status: 1, stderr: /promql is the name of a built-in plugin/ })
  t.match(run('ingest'), { status: 1, stderr: /KIND and NAME are missing[\s\S]*exporter/ })
  t.match(run('--help'), { status: 0, stdout: /processor +is a step of log pipelines/ })
  const weir = join(root, 'bin/weir.js')
  execFileSync(process.execPath, [weir, 'plugins', 'new', 'query', 'other'], { cwd, env })
  const refused = spawnSync(process.execPath, [weir, 'plugins', 'new', 'query', 'sql'], { cwd, env, encoding: 'utf8' })
  t.match(refused, { status: 1, stderr: /^weir: sql is the name of a built-in plugin/ })
  t.match(readFileSync(join(cwd, 'weir-plugin-other/package.json'), 'utf8'), /"name": "weir-plugin-other"/)
})

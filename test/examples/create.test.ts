// The package that npm create weir-plugin writes: of every kind, its types are right and its own tests pass.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { startServer, temporaryFolder } from '../helpers.ts'
import { typeErrors } from './types.ts'

const root = join(import.meta.dirname, '../..')
const { createPlugin, kinds } = await import(join(root, 'examples/create-weir-plugin/create.js'))
/** Options tap gives to every Node of a test are nothing for others. */
const env = { ...process.env, NODE_OPTIONS: '' }

t.test('every kind', async t => {
  const folder = temporaryFolder(t)
  const modules = join(folder, 'node_modules')
  mkdirSync(join(modules, '@types'), { recursive: true })
  symlinkSync(root, join(modules, 'weir-server'))
  for (const name of ['typebox', 'fastify', '@types/node'])
    symlinkSync(join(root, 'node_modules', name), join(modules, name))
  for (const kind of Object.keys(kinds)) createPlugin(kind, `my${kind}`, folder)

  // One run for all: the types of the server are read once. They are its sources here, which import each other as such.
  const { compilerOptions } = JSON.parse(readFileSync(join(folder, 'weir-plugin-myingest/tsconfig.json'), 'utf8'))
  const include = ['*/*.js', '*/test/*.js']
  const config = { compilerOptions: { ...compilerOptions, allowImportingTsExtensions: true }, include }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  const right = readFileSync(join(folder, 'weir-plugin-myingest/decode.js'), 'utf8')
  mkdirSync(join(folder, 'wrong'))
  writeFileSync(join(folder, 'wrong/decode.js'), right.replace("semantic: 'timestamp'", "semantic: 'time'"))
  const [found, ...more] = typeErrors(folder).split(/\n(?! )/)
  t.match(found, /^wrong\/decode\.js.*error/, 'wrong types are found')
  t.same(more, [], 'the types are right')

  for (const kind of Object.keys(kinds)) {
    const cwd = join(folder, `weir-plugin-my${kind}`)
    const { status, stdout } = spawnSync(process.execPath, ['--test'], { cwd, env, encoding: 'utf8' })
    t.equal(status, 0, `the tests of ${kind} pass`)
    if (status !== 0) t.comment(stdout)
    const text = readdirSync(cwd, { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(entry => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
      .join('\n')
    t.notMatch(text, /\bmine\b/, 'the name is everywhere')
    const toml = readFileSync(join(cwd, 'weir.toml'), 'utf8').replace(
      '"./index.js"',
      JSON.stringify(join(cwd, 'index.js'))
    )
    const server = await startServer(t, toml.replace(':2003', ':0'))
    t.match(server.core.plugins, [
      ...server.core.plugins.filter(({ name }) => name !== `my${kind}`),
      { name: `my${kind}` }
    ])
    await server.discard()
  }
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
  t.match(run('ingest', '../x'), { status: 1, stderr: /is no name/ })
  t.match(run('ingest'), { status: 1, stderr: /KIND and NAME are missing[\s\S]*exporter/ })
  t.match(run('--help'), { status: 0, stdout: /processor +is a step of log pipelines/ })
  const weir = join(root, 'bin/weir.js')
  execFileSync(process.execPath, [weir, 'plugins', 'new', 'query', 'other'], { cwd, env })
  t.match(readFileSync(join(cwd, 'weir-plugin-other/package.json'), 'utf8'), /"name": "weir-plugin-other"/)
})

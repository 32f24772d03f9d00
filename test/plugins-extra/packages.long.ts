// The packages beside the server, and the examples, as their authors have them: their types are right, and their own tests pass.
import { execFile } from 'node:child_process'
import { cpSync, globSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { typeErrors } from '../examples/types.ts'
import { temporaryFolder } from '../helpers.ts'

const root = join(import.meta.dirname, '../..')
const extra = globSync('plugins-extra/weir-plugin-*', { cwd: root }).sort()
const examples = globSync('examples/plugin-*', { cwd: root }).sort()
const run = promisify(execFile)

const { createPlugin } = await import(join(root, 'examples/create-weir-plugin/create.js'))
const scaffold: string = createPlugin('ingest', 'scaffold', temporaryFolder(t)).folder
const read = (folder: string, file: string) => readFileSync(join(root, folder, file), 'utf8')
const readJson = (...path: readonly string[]) => JSON.parse(readFileSync(join(...path), 'utf8'))

/** The packages beside each other, with what `npm install` gives them. */
const home = temporaryFolder(t)
mkdirSync(join(home, 'node_modules/@types'), { recursive: true })
symlinkSync(root, join(home, 'node_modules/weir-server'))
for (const name of ['fastify', '@types/node'])
  symlinkSync(join(root, 'node_modules', name), join(home, 'node_modules', name))
for (const folder of [...extra, ...examples])
  cpSync(join(root, folder), join(home, basename(folder)), { recursive: true })

/** Their own tests, which go on while types are checked; options tap gives to every Node of a test are nothing for others. */
const env = { ...process.env, NODE_OPTIONS: '' }
const running = [...extra, ...examples].map(path => {
  const cwd = join(home, basename(path))
  return {
    path,
    failure: run(process.execPath, ['--test', '--test-reporter=tap'], { cwd, env }).then(failIfNone, error => error)
  }
})

/** A run that finds no test is not a success. */
function failIfNone({ stdout }: { readonly stdout: string }) {
  return /^# tests [1-9]/m.test(stdout) ? undefined : { stdout: 'there are none' }
}

t.test('their types are right', async t => {
  // One run for all: the types of the server are read once. They are its sources here, which import each other as such.
  const { compilerOptions } = readJson(scaffold, 'tsconfig.json')
  const config = {
    compilerOptions: { ...compilerOptions, allowImportingTsExtensions: true },
    include: ['*/*.js', '*/test/*.js']
  }
  writeFileSync(join(home, 'tsconfig.json'), JSON.stringify(config))
  const right = readFileSync(join(home, 'plugin-plaintext/index.js'), 'utf8')
  writeFileSync(join(home, 'plugin-plaintext/wrong.js'), right.replace("'timestamp'", "'times'"))
  const [found, ...more] = typeErrors(home).split(/\n(?! )/)
  t.match(found, /^plugin-plaintext\/wrong\.js.*error/, 'wrong types are found')
  t.same(more, [], 'the types are right')
})

t.test('their own tests pass', async t => {
  for (const { path, failure } of running) {
    const failed = await failure
    t.equal(failed, undefined, path)
    if (failed !== undefined) t.comment(failed.stdout)
  }
})

t.test('packages are laid out as the scaffold lays one out', async t => {
  const { name: _, version, description: __, keywords, files: ___, ...same } = readJson(scaffold, 'package.json')
  for (const folder of extra) {
    const manifest = readJson(root, folder, 'package.json')
    const sources = readdirSync(join(root, folder)).filter(file => file.endsWith('.js'))
    const repository = { directory: folder, url: 'git+https://github.com/weir-server/weir.git' }
    t.match(manifest, { ...same, name: basename(folder), version, repository, bugs: Object, homepage: String })
    t.ok(manifest.keywords.includes(keywords[0]), `${folder} is found by its keyword`)
    t.strictSame(manifest.files, sources.sort(), `${folder} is published whole`)
    t.strictSame(readJson(root, folder, 'tsconfig.json'), readJson(scaffold, 'tsconfig.json'))
    t.equal(read(folder, 'LICENSE'), read('.', 'LICENSE'))
  }
})

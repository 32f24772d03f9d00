// The published package and plugins, installed in an empty folder or globally, started and used.
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  globSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  writeFileSync
} from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, join } from 'node:path'
import type { Test } from 'tap'
import t from 'tap'
import { createClient } from '../../client/index.ts'
import { temporaryFolder } from '../helpers.ts'
import { buildPackage, env, npm, packageFolder, root, run } from '../packed/package.ts'
import { startRegistry } from '../packed/registry.ts'
import { type ServerProcess, sql, startProcess } from './server.ts'

const node = (cwd: string, ...args: readonly string[]) => run(cwd, process.execPath, ...args)

await buildPackage()
const registry = await startRegistry(t)
await registry.publish('./dist/package')
for (const name of ['plaintext', 'pseudonym', 'jwt']) await registry.publish(`./examples/plugin-${name}`)

const manifest = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8'))

t.test('the published package equals the packed one, and the repository itself cannot be published', async t => {
  const published = registry.published('weir-server') as Record<string, unknown> & { dist: unknown }
  const folder = temporaryFolder(t)
  const [packed] = JSON.parse(await npm(root, 'pack', './dist/package', '--json', '--pack-destination', folder))
  t.match(published.dist, { shasum: packed.shasum, integrity: packed.integrity })
  for (const key of ['dependencies', 'exports', 'bin', 'engines', 'repository', 'keywords', 'bugs'])
    t.strictSame(published[key], manifest[key], key)
  t.notOk(published['devDependencies'] ?? published['optionalDependencies'] ?? published['scripts'])
  t.match(await stderrOf(npm(root, 'pack', '--dry-run')), /npm run build makes dist\/package/)
  t.match(await stderrOf(npm(root, 'publish', ...registry.options)), /private|npm run build makes dist\/package/)
})

async function stderrOf(running: Promise<string>): Promise<string> {
  return running.catch(error => error.stderr)
}

t.test('the files of the package', async t => {
  const files = globSync('**', { cwd: packageFolder }).filter(file => statSync(join(packageFolder, file)).isFile())
  t.strictSame(
    files.filter(file => file.endsWith('.map') || /(?<!\.d)\.tsx?$/.test(file.replace(/^examples\/.*/, ''))),
    [],
    'no maps without sources, no sources of ours'
  )
  const allowed = [...Object.keys(manifest.dependencies), 'weir-server', '@types/node']
  const code = files.filter(file => /^(bin|bundled|client|core|plugins|test)\/.*\.(js|d\.ts)$/.test(file))
  const foreign = code.flatMap(file => {
    if (file.includes('dashboard/assets')) return []
    const text = readFileSync(join(packageFolder, file), 'utf8')
    return [...text.matchAll(/^(?:import|export)\b[^'"`;]*?from ['"]([^'".][^'"]*)['"];?$/gm)]
      .map(([, specifier]) => specifier!)
      .filter(name => !isBuiltin(name) && !allowed.some(each => name === each || name.startsWith(`${each}/`)))
      .map(name => `${file} imports ${name}`)
  })
  t.strictSame(foreign, [], 'all that is imported is installed')

  const broken = files
    .filter(file => file.endsWith('.md') && !file.endsWith('NOTICES.md'))
    .flatMap(file => brokenLinks(file).map(link => `${file}: ${link}`))
  t.strictSame(broken, [], 'all that is linked is there')

  const notices = readFileSync(join(packageFolder, 'THIRD-PARTY-NOTICES.md'), 'utf8')
  for (const name of ['preact', '@codemirror/view', '@lezer/lr', 'uplot', 'apache-arrow', 'flatbuffers', 'prom-client'])
    t.match(notices, `## ${name} `)
})

/** Links of a page to files that are not in the package, or to headings that are not in the file. */
function brokenLinks(page: string): string[] {
  const text = readFileSync(join(packageFolder, page), 'utf8').replaceAll(/^(`{3,})[\s\S]*?^\1/gm, '')
  const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link!)
  return links.filter(link => {
    if (/^[a-z]+:/.test(link)) return false
    const [path = '', heading] = link.split('#')
    const file = path === '' ? join(packageFolder, page) : join(packageFolder, dirname(page), path)
    if (!existsSync(file)) return true
    return heading !== undefined && !headings(file).has(heading)
  })
}

function headings(file: string): ReadonlySet<string> {
  const titles = [...readFileSync(file, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, title]) => title!)
  return new Set(
    titles.map(title =>
      title
        .toLowerCase()
        .replaceAll(/[^\w\- ]/g, '')
        .replaceAll(' ', '-')
    )
  )
}

t.test('in a folder that has nothing else', async t => {
  const home = temporaryFolder(t)
  writeFileSync(join(home, 'package.json'), '{ "name": "home", "private": true }')
  await npm(home, 'install', ...registry.options, 'weir-server', 'weir-plugin-plaintext')
  const { packages, megabytes } = weigh(join(home, 'node_modules'))
  t.comment(`${packages} packages, ${megabytes} MB`)
  t.ok(packages <= 90 && megabytes <= 120, `${packages} packages, ${megabytes} MB on disk`)

  const command = join(home, 'node_modules/weir-server/bin/weir.js')
  writeFileSync(join(home, 'weir.toml'), `${toml}[plugins.plaintext]\nmodule = "weir-plugin-plaintext"\n`)
  const server = await startProcess(t, home, { command, env })
  await writeLines(t, server)
  const index = await (await fetch(`${server.url}/dashboard`)).text()
  const [script] = /\/dashboard\/assets\/[\w-]+\.js/.exec(index) ?? []
  const asset = await fetch(server.url + script, { headers: { 'accept-encoding': 'br' } })
  t.equal(asset.headers.get('content-encoding'), 'br', 'the dashboard is in the package')
  const page = await fetch(`${server.url}/dashboard/pages/profiles.js`)
  t.match(await page.text(), /^export default function mount\(element, host\)/m, 'and pages of plugins')
  t.match(await sql(server, "SELECT 'grün' AS a, 1.5 AS b"), [['grün', 1.5]])
  t.equal(await server.kill('SIGTERM'), 0)

  const { kinds } = await import(join(packageFolder, 'examples/create-weir-plugin/create.js'))
  for (const kind of Object.keys(kinds)) await node(home, command, 'plugins', 'new', kind, `my${kind}`)
  const tested = await node(home, '--test', '--test-isolation=none', 'weir-plugin-my*/test/*').catch(error => error)
  t.equal(tested.code ?? 0, 0, 'a new plugin of each kind passes its tests beside the package')
  t.match(tested.stdout, /pass [1-9]\d/)
  if (tested.code) t.comment(tested.stdout)

  const embedding = `import { loadConfig } from 'weir-server'
import { catalogue } from 'weir-server/plugins'
import { createClient } from 'weir-server/client'
import { start } from 'weir-server/start'
const { config } = loadConfig({ overrides: { http: { addr: '127.0.0.1:0' }, logging: { append_stdout: false } } })
const server = await start(config, catalogue)
const client = createClient({ url: server.addresses.main })
await client.ingest([{ a: 'written' }], { table: 'by_client' })
const { rows } = await client.query('SELECT a FROM by_client')
process.stdout.write(rows[0].a)
await server.close()`
  writeFileSync(join(home, 'embed.mjs'), embedding)
  t.equal((await node(home, 'embed.mjs')).stdout, 'written', 'embedded, too, with the client')
})

t.test('installed globally, with plugins beside it, from npm, from the package and from a path', async t => {
  const prefix = temporaryFolder(t)
  const plugins = ['weir-plugin-plaintext', 'weir-plugin-pseudonym', 'weir-plugin-jwt']
  const options = [...registry.options, '--omit=peer']
  await npm(prefix, 'install', '--global', '--prefix', prefix, ...options, 'weir-server', ...plugins)
  const modules = join(prefix, 'lib/node_modules')
  t.strictSame(readdirSync(modules).sort(), [...plugins, 'weir-server'].sort(), 'nothing stands beside them')

  const home = temporaryFolder(t)
  const own = join(home, 'plugins/shout')
  mkdirSync(own, { recursive: true })
  // As its author has it in a folder: it imports the server, its schemas, and another plugin.
  writeFileSync(
    join(own, 'index.js'),
    `import { definePlugin } from 'weir-server'
import { Type } from 'typebox'
import plaintext from 'weir-plugin-plaintext'
export default definePlugin({
  name: 'shout', prefix: '/v1/shout', servers: ['main'], config: Type.Object({ by: Type.String({ default: 'x' }) }),
  routes: (app, { by }) => void app.get('/', async () => by + ' ' + plaintext.name)
})`
  )
  writeFileSync(join(own, 'package.json'), '{ "type": "module" }')
  const tables = [
    '[plugins.plaintext]\nmodule = "weir-plugin-plaintext"',
    '[plugins.pseudonym]\nmodule = "weir-plugin-pseudonym"\nsecret = "salt"',
    '[plugins.shout]\nmodule = "./plugins/shout/index.js"\nby = "me"'
  ]
  writeFileSync(join(home, 'weir.toml'), `${toml}${tables.join('\n')}\n`)
  const command = join(modules, 'weir-server/bin/weir.js')
  const server = await startProcess(t, home, { command, env })
  await writeLines(t, server)
  t.equal(await (await fetch(`${server.url}/v1/shout`)).text(), 'me plaintext')
  t.equal(await server.kill('SIGTERM'), 0)

  const examples = join(modules, 'weir-server/examples')
  const keys = join(home, 'keys.json')
  writeFileSync(keys, '{"keys":[]}')
  const shipped = [
    `[plugins.plaintext]\nmodule = "${examples}/plugin-plaintext"`,
    `[plugins.pseudonym]\nmodule = "${examples}/plugin-pseudonym"\nsecret = "salt"`,
    `[plugins.jwt]\nmodule = "${examples}/plugin-jwt"\naudience = "weir"\nkeys = ${JSON.stringify(keys)}`
  ]
  writeFileSync(join(home, 'weir.toml'), `${toml}${shipped.join('\n')}\n`)
  const { stdout } = await node(home, command, 'plugins', 'doctor', '--config', 'weir.toml')
  for (const name of ['plaintext', 'pseudonym', 'jwt']) t.match(stdout, `${name}: ok`, 'the shipped example loads')
  for (const file of ['minimal.toml', 'ingest.toml'])
    t.ok(await node(home, command, 'config', 'check', join(examples, 'config', file)), file)
})

/** Not every machine lets its root mount. */
const mayMount = spawnSync('unshare', ['--mount', 'true']).status === 0

t.test(
  'in a root of the files the image has, as its user',
  { skip: !mayMount && 'unshare --mount is not allowed here' },
  async t => {
    const image = temporaryFolder(t)
    const prefix = join(image, 'opt/weir')
    await npm(root, 'install', '--global', '--prefix', prefix, ...registry.options, '--omit=peer', 'weir-server')
    for (const folder of ['etc/weir', 'usr/local/bin', 'var/lib/weir', 'tmp', 'proc', 'dev'])
      mkdirSync(join(image, folder), { recursive: true })
    for (const folder of ['var/lib/weir', 'tmp']) chownSync(join(image, folder), 999, 999)
    chmodSync(image, 0o755)
    const program = '/usr/local/bin/node'
    cpSync(realpathSync(process.execPath), join(image, program))
    // The libraries that the base image brings.
    const native = globSync('**/*.{node,so}', { cwd: prefix }).map(file => join(prefix, file))
    const needed = await Promise.all([process.execPath, ...native].map(file => run(image, 'ldd', file)))
    for (const [library] of needed.flatMap(({ stdout }) => [...stdout.matchAll(/\/\S+/g)]))
      if (!library.startsWith(image)) cpSync(realpathSync(library), join(image, library))
    const text = readFileSync(join(root, 'packaging/docker/weir.toml'), 'utf8').replaceAll(
      /0\.0\.0\.0:\d+/g,
      '127.0.0.1:0'
    )
    writeFileSync(join(image, 'weir.toml'), text)

    const enter = 'mount --rbind /proc proc && mount --rbind /dev dev && exec chroot --userspec=999:999 . "$@"'
    const through = ['unshare', '--mount', 'env', '-u', 'NODE_OPTIONS', '-C', image, 'sh', '-c', enter, 'sh']
    const command = '/opt/weir/lib/node_modules/weir-server/bin/weir.js'
    const server = await startProcess(t, '/', {
      command,
      through,
      node: program,
      env: { ...env, NODE_EXTRA_CA_CERTS: '' }
    })
    const client = createClient({ url: server.url })
    await client.ingest([{ a: 1 }], { table: 'x' })
    t.same((await client.query('SELECT a FROM x')).rows, [{ a: 1n }])
    t.equal((await fetch(`${server.url}/ready`)).status, 200)
    t.equal(await server.kill('SIGTERM'), 0)
  }
)

const toml = '[http]\naddr = "127.0.0.1:0"\n[logging]\nlog_format = "json"\n'

async function writeLines(t: Test, server: ServerProcess): Promise<void> {
  const body = 'first line\nsecond line\n'
  const response = await fetch(`${server.url}/v1/plaintext?table=lines`, { method: 'POST', body })
  t.equal(response.status, 200, await response.text())
  t.same(await sql(server, 'SELECT count(*) FROM lines'), [[2]])
}

/** What an installation takes, in blocks of the disk. */
function weigh(modules: string): { readonly packages: number; readonly megabytes: number } {
  const entries = readdirSync(modules, { recursive: true, withFileTypes: true })
  const blocks = entries.reduce((sum, entry) => sum + lstatSync(join(entry.parentPath, entry.name)).blocks, 0)
  const { packages } = JSON.parse(readFileSync(join(modules, '.package-lock.json'), 'utf8'))
  return { packages: Object.keys(packages).length, megabytes: Math.round((blocks * 512) / 2 ** 20) }
}

// What a stranger gets: the packed package and a plugin, installed in an empty folder, started, used.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { sql, startProcess } from './server.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** What runs in a folder that is gone soon leaves no compiled code behind. */
const fresh = { NODE_DISABLE_COMPILE_CACHE: '1' }
/** npm must find the Node of this process, not the machine's. */
const env = { ...process.env, ...fresh, PATH: `${join(process.execPath, '..')}:${process.env.PATH}` }
/** A stranger's shell: the options tap gives to every Node of a test make the compiler fail. */
const npm = (cwd: string, ...args: string[]) =>
  execFileSync('env', ['-u', 'NODE_OPTIONS', 'npm', ...args], { cwd, env, encoding: 'utf8', stdio: 'pipe' })

t.setTimeout(240_000)

t.test('the packed package serves with a plugin from npm, in a folder that has nothing else', async t => {
  const dir = mkdtempSync(join(tmpdir(), 'weir-package-'))
  t.teardown(() => rmSync(dir, { recursive: true, force: true }))
  // Packed from a copy: packing changes package.json for a moment, and other tests read it.
  const copy = join(dir, 'source')
  const skipped = new Set(['.git', '.tap', 'node_modules', 'dist'])
  for (const name of readdirSync(root).filter(name => !skipped.has(name))) {
    cpSync(join(root, name), join(copy, name), { recursive: true })
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  npm(copy, 'pack', '--pack-destination', dir)
  const [tarball] = readdirSync(dir).filter(name => name.endsWith('.tgz'))

  const home = join(dir, 'home')
  cpSync(join(root, 'examples/plugin-plaintext'), join(dir, 'plugin'), { recursive: true })
  mkdirSync(home)
  writeFileSync(join(home, 'package.json'), '{ "name": "home", "private": true }')
  npm(
    home,
    'install',
    '--no-audit',
    '--no-fund',
    '--prefer-offline',
    '--install-links',
    join(dir, tarball!),
    join(dir, 'plugin')
  )
  const toml = `[http]\naddr = "127.0.0.1:0"\n[logging]\nlog_format = "json"\n[plugins.plaintext]\nmodule = "weir-plugin-plaintext"\n`
  writeFileSync(join(home, 'weir.toml'), toml)

  const command = join(home, 'node_modules/weir-server/bin/weir.js')
  const server = await startProcess(t, home, { command, env: fresh })
  const body = 'first line\nsecond line\n'
  const response = await fetch(`${server.url}/v1/plaintext?table=lines`, { method: 'POST', body })
  t.equal(response.status, 200, await response.text())
  t.same(await sql(server, 'SELECT count(*) FROM lines'), [[2]])
  const index = await (await fetch(`${server.url}/dashboard`)).text()
  const [script] = /\/dashboard\/assets\/[\w-]+\.js/.exec(index) ?? []
  const asset = await fetch(server.url + script, { headers: { 'accept-encoding': 'br' } })
  t.equal(asset.headers.get('content-encoding'), 'br', 'the dashboard is in the package')
  const page = await fetch(`${server.url}/dashboard/pages/profiles.js`)
  t.match(await page.text(), /^export default function mount\(element, host\)/m, 'and pages of plugins')
  t.equal(await server.kill('SIGTERM'), 0)

  const embedding = `import { loadConfig } from 'weir-server'
import { catalogue } from 'weir-server/plugins'
import { start } from 'weir-server/start'
const { config } = loadConfig({ overrides: { http: { addr: '127.0.0.1:0' }, logging: { append_stdout: false } } })
const server = await start(config, catalogue)
process.stdout.write(String((await fetch(server.addresses.main + '/health')).status))
await server.close()`
  writeFileSync(join(home, 'embed.mjs'), embedding)
  t.equal(execFileSync(process.execPath, ['embed.mjs'], { cwd: home, env, encoding: 'utf8' }), '200', 'embedded, too')
})

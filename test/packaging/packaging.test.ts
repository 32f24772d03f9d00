// The files for containers and systemd, as far as a machine without Docker can check them.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { validate } from 'dockerfile-utils'
import t from 'tap'
import { parse } from 'yaml'
import { loadConfig } from '../../core/config/load.ts'
import { temporaryFolder } from '../helpers.ts'
import { serverFolder, startProcess } from '../process/server.ts'
import { findProgram, needing } from '../programs.ts'

const root = join(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(join(root, 'packaging', file), 'utf8')

t.test('the Dockerfile has no problems, runs as nobody special, and says how the server is', async t => {
  const text = read('docker/Dockerfile')
  t.strictSame(
    validate(text).map(({ message, range }) => `${range.start.line + 1}: ${message}`),
    []
  )
  const last = text.split(/^FROM /m).at(-1)!
  t.match(last, /^USER weir$/m)
  t.match(last, /^HEALTHCHECK /m)
  t.notMatch(last, /npm ci/, 'the tools of the build stay there')
  for (const [, file] of text.matchAll(/^COPY (packaging\S+)/gm)) t.ok(existsSync(join(root, file!)), String(file))
  const [, check] = /CMD \["node", "-e", "(.*)"\]/.exec(text)!
  t.equal(spawnSync(process.execPath, ['-e', check!.replace(':4000', ':1')]).status, 1, 'no answer is no health')
})

t.test('the compose file starts a server, Prometheus and Grafana with files there are', async t => {
  const { services, volumes } = parse(read('docker/compose.yml'))
  t.strictSame(Object.keys(services), ['weir', 'prometheus', 'grafana'])
  for (const { image, volumes: mounts = [] } of Object.values<{ image: string; volumes?: string[] }>(services)) {
    t.match(image, /^weir$|:v?\d+\.\d+\.\d+$/, 'images are named by version')
    for (const mount of mounts) {
      const [source = ''] = mount.split(':')
      t.ok(source in volumes || existsSync(join(root, 'packaging/docker', source)), mount)
    }
  }
  t.equal(parse(read('docker/grafana/datasources/weir.yml')).datasources.length, 2)
  t.match(parse(read('docker/prometheus.yml')).scrape_configs[0].static_configs[0].targets, ['weir:4000'])
})

t.test("the compose file has the specification's shape and no problems", async t => {
  // What is built here has no version, and an order of ours.
  const off = [
    'no-build-and-image',
    'service-image-require-explicit-tag',
    'service-keys-order',
    'services-alphabetical-order'
  ].flatMap(rule => ['--disable-rule', rule])
  const lint = (file: string) => {
    const command = join(root, 'node_modules/dclint/bin/dclint.cjs')
    const args = [command, ...off, '--max-warnings', '0', '--no-color', file]
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
    return { status, text: stdout + stderr }
  }
  t.match(lint(join(root, 'packaging/docker/compose.yml')), { status: 0 })
  const bent = join(temporaryFolder(t), 'compose.yml')
  writeFileSync(bent, read('docker/compose.yml').replace('restart:', 'restarts:'))
  t.match(lint(bent), { status: 1, text: /invalid-schema/ }, 'a key that there is not')
})

t.test('promtool takes the scrape configuration', needing('promtool'), async t => {
  const text = read('docker/prometheus.yml').replace('alerts.yml', join(root, 'examples/prometheus/alerts.yml'))
  const file = join(temporaryFolder(t), 'prometheus.yml')
  writeFileSync(file, text)
  t.match(execFileSync(findProgram('promtool')!, ['check', 'config', file], { encoding: 'utf8' }), /SUCCESS/)
})

t.test('the configurations are ones', async t => {
  for (const file of ['docker/weir.toml', 'systemd/weir.toml']) {
    const { config } = loadConfig({ file: join(root, 'packaging', file), env: {} })
    t.equal(config.storage.data_home, '/var/lib/weir')
  }
})

t.test(
  'systemd takes the unit and finds little it may do',
  { skip: findProgram('systemd-analyze') === undefined && 'systemd-analyze comes with systemd' },
  async t => {
    const file = join(temporaryFolder(t), 'weir.service')
    // The program is there where the package is installed.
    writeFileSync(file, read('systemd/weir.service').replace('/usr/bin/weir', process.execPath))
    const analyze = (...args: readonly string[]) =>
      spawnSync(findProgram('systemd-analyze')!, [...args, file], { cwd: dirname(file), encoding: 'utf8' })
    t.match(analyze('verify'), { status: 0, stderr: '' })
    const { stdout } = analyze('security', '--offline=true', '--no-pager')
    t.ok(Number(/exposure level for \S+ ([\d.]+)/.exec(stdout)?.[1]) < 2.5, String(stdout.split('\n').at(-2)))
  }
)

const python = findProgram('python3')
t.test(
  'the server listens everywhere with the sockets that the unit allows',
  { skip: python === undefined && 'the filter of system calls is set by python3' },
  async t => {
    const [, families] = /^RestrictAddressFamilies=(.*)$/m.exec(read('systemd/weir.service'))!
    const through = [python!, join(import.meta.dirname, 'families.py'), ...families!.split(' '), '--']
    const env = { WEIR__HTTP__ADDR: '0.0.0.0:0', WEIR__HTTP__API_SERVER_ADDR: '127.0.0.1:0' }
    const server = await startProcess(t, serverFolder(t), { through, env })
    t.equal((await fetch(`http://127.0.0.1:${new URL(server.url).port}/health`)).status, 200)
    t.equal(await server.kill('SIGTERM'), 0)
  }
)

// How the process ends: by a signal while it starts, also as process 1, and by what nobody catches.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { compileCache } from '../compile-cache.ts'
import { serverFolder, sql, startProcess } from './server.ts'

const command = fileURLToPath(new URL('../../bin/weir.js', import.meta.url))
const env = { ...process.env, NODE_OPTIONS: '', NODE_COMPILE_CACHE: compileCache }

/** A server with a plugin of these members that says `here` once it is imported. */
function withPlugin(t: Test, members: string): string {
  const dir = serverFolder(t, '[plugins.mine]\nmodule = "./mine.mjs"\n')
  const code = `import { existsSync } from 'node:fs'
    import { definePlugin } from 'weir-server'
    const boom = why => { throw why }
    export default definePlugin({ name: 'mine', prefix: '/v1/mine', servers: ['main'], config: { type: 'object', properties: {} }, ${members} })`
  writeFileSync(join(dir, 'mine.mjs'), code)
  return dir
}

const waiting = `setup() { console.log('here'); return new Promise(() => {}) }`

/** Starts the command and waits until the plugin is in its setup. */
async function startUntilSetup(t: Test, dir: string, through: readonly string[] = []) {
  const [program, ...args] = [...through, process.execPath, command, 'start', '--config', join(dir, 'weir.toml')]
  const child = spawn(program!, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  t.teardown(() => child.kill('SIGKILL'))
  let output = ''
  await new Promise<void>((resolve, reject) => {
    child.stdout!.on('data', data => {
      output += data
      if (output.includes('here')) resolve()
    })
    child.once('exit', () => reject(new Error(`it ended: ${output}`)))
  })
  return child
}

for (const signal of ['SIGTERM', 'SIGINT'] as const)
  t.test(`${signal} ends a start`, async t => {
    const child = await startUntilSetup(t, withPlugin(t, waiting))
    child.kill(signal)
    const [code, by] = await once(child, 'exit')
    t.strictSame([code, by], [0, null])
  })

t.test('SIGHUP does not end a start', async t => {
  const dir = withPlugin(t, `setup() { console.log('here'); return new Promise(go => setTimeout(go, 500)) }`)
  const child = await startUntilSetup(t, dir)
  child.kill('SIGHUP')
  await sleep(1000)
  t.equal(child.exitCode, null)
  t.equal(child.signalCode, null)
  child.stdout!.resume()
  child.kill('SIGTERM')
  t.strictSame(await once(child, 'exit'), [0, null])
})

const space = ['unshare', '-Urpf', '--mount-proc', '--kill-child']
const skip = spawnSync(space[0]!, [...space.slice(1), 'true']).status === 0 ? false : 'needs unshare -Urpf'

t.test('SIGTERM ends a start of process 1', { skip }, async t => {
  const dir = withPlugin(
    t,
    `setup() { console.log('here'); setTimeout(() => process.kill(1, 'SIGTERM'), 100); return new Promise(() => {}) }`
  )
  const child = await startUntilSetup(t, dir, space)
  const [code] = await once(child, 'exit')
  t.equal(code, 0)
})

t.test('what nobody catches is told with its plugin, and the process ends with code 70', async t => {
  const handler = (body: string) => `routes(app) { app.get('', async () => { ${body}; return {} }) }`
  const cases: Record<string, string> = {
    'a rejection of a request': handler(`void Promise.reject(new Error('lost'))`),
    'a rejection some time after a request': handler(
      `void new Promise(go => setTimeout(go, 20)).then(() => boom(new Error('lost')))`
    ),
    'a rejection with a text': handler(`void Promise.reject('lost')`),
    'an exception in a timer': handler(`setTimeout(() => boom(new Error('lost')), 20)`),
    'an exception of an event': handler(`setImmediate(() => process.emit('SIGWINCH', boom('lost')))`),
    'a rejection of setup': `setup() { setInterval(() => existsSync('go') && Promise.reject(new Error('lost')), 20) }`
  }
  await Promise.all(
    Object.entries(cases).map(async ([name, members]) => {
      const dir = withPlugin(t, members)
      const lines: string[] = []
      const server = await startProcess(t, dir, { onLine: line => lines.push(line) })
      await sql(server, 'CREATE TABLE IF NOT EXISTS a (ts TIMESTAMP TIME INDEX, v DOUBLE)')
      await sql(server, 'INSERT INTO a VALUES (1, 2)')
      if (members.startsWith('routes')) await fetch(`${server.url}/v1/mine`).catch(() => {})
      else writeFileSync(join(dir, 'go'), '')
      t.equal(await server.exitCode(), 70, name)
      const fatal = lines.map(line => JSON.parse(line)).find(({ level }) => level === 'fatal')
      t.match(fatal, { plugin: 'mine', msg: /ends the process: lost$/ }, name)
      if (name !== 'a rejection of a request') return
      const again = await startProcess(t, dir)
      t.strictSame(await sql(again, 'SELECT v FROM a'), [[2]], 'nothing is lost')
      await again.kill('SIGKILL')
    })
  )
})

t.test('SIGUSR1 opens no debugger', async t => {
  for (const options of ['', '--max-semi-space-size=8']) {
    const lines: string[] = []
    const server = await startProcess(t, serverFolder(t), {
      env: { NODE_OPTIONS: options },
      onStderr: text => lines.push(text)
    })
    process.kill(server.pid, 'SIGUSR1')
    await sleep(500)
    t.notMatch(lines.join(''), /Debugger/)
    t.equal(await server.kill('SIGTERM'), 0)
  }
})

// How the process ends: by a signal during the start, as process 1, by an uncaught error.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { compileCache } from '../compile-cache.ts'
import { slowness } from '../time.ts'
import { killWithTest, serverFolder, sql, startProcess } from './server.ts'

const command = fileURLToPath(new URL('../../bin/weir.js', import.meta.url))
const env = { ...process.env, NODE_OPTIONS: '', NODE_COMPILE_CACHE: compileCache }

/** A server with a plugin of these members that says `here` once it is imported. */
function withPlugin(t: Test, members: string): string {
  const dir = serverFolder(t, '[plugins.mine]\nmodule = "./mine.mjs"\n')
  const code = `import { existsSync, open } from 'node:fs'
    import { Worker } from 'node:worker_threads'
    import { definePlugin } from 'weir-server'
    const boom = why => { throw why }
    export default definePlugin({ name: 'mine', prefix: '/v1/mine', servers: ['main'], config: { type: 'object', properties: {} }, ${members} })`
  writeFileSync(join(dir, 'mine.mjs'), code)
  return dir
}

/** A route that runs this. */
const route = (body: string) => `routes(app) { app.get('', async () => { ${body}; return {} }) }`

const waiting = `setup() { console.log('here'); return new Promise(() => {}) }`

/** Starts the command and waits until the plugin is in its setup. */
async function startUntilSetup(t: Test, dir: string, through: readonly string[] = []) {
  const { child } = await startUntil(t, 'here', [
    ...through,
    process.execPath,
    command,
    'start',
    '--config',
    join(dir, 'weir.toml')
  ])
  return child
}

/** Starts a program and waits until it says this; what it says goes on to be collected. */
async function startUntil(t: Test, text: string, [program, ...args]: readonly string[]) {
  const child = spawn(program!, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  killWithTest(t, child)
  const said = { out: '', err: '' }
  child.stderr.on('data', data => {
    said.err += data
  })
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', data => {
      said.out += data
      if (said.out.includes(text)) resolve()
    })
    child.once('exit', () => reject(new Error(`it ended: ${said.out}${said.err}`)))
  })
  return { child, said }
}

/** The demo of which the server listens, while it loads its data. */
const startDemo = (t: Test) =>
  startUntil(t, 'Weir runs at', [process.execPath, command, 'demo', '--http-addr', '127.0.0.1:0'])

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

t.test('an uncaught error is logged with its plugin, and the process ends with code 70', async t => {
  const cases: Record<string, string> = {
    'a rejection of a request': route(`void Promise.reject(new Error('lost'))`),
    'a rejection some time after a request': route(
      `void new Promise(go => setTimeout(go, 20)).then(() => boom(new Error('lost')))`
    ),
    'a rejection with a text': route(`void Promise.reject('lost')`),
    'an exception in a timer': route(`setTimeout(() => boom(new Error('lost')), 20)`),
    'an exception of an event': route(`setImmediate(() => process.emit('SIGWINCH', boom('lost')))`),
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

t.test('SIGTERM ends the server whatever its threads wait for', async t => {
  const cases: Record<string, readonly [members: string, code: number | null]> = {
    'a file operation nobody answers': [route(`open('pipe', 'r', () => {})`), 0],
    'one in a thread': [route(`new Worker("require('fs').open('pipe', 'r', () => {})", { eval: true })`), 0],
    'a main thread that stands still': [`setup() { return { close() { for (;;); } } }`, null]
  }
  await Promise.all(
    Object.entries(cases).map(async ([name, [members, code]]) => {
      const dir = withPlugin(t, members)
      spawnSync('mkfifo', [join(dir, 'pipe')])
      const server = await startProcess(t, dir, { env: { WEIR__HTTP__SHUTDOWN_GRACE: '1s' } })
      await sql(server, 'CREATE TABLE IF NOT EXISTS a (ts TIMESTAMP TIME INDEX, v DOUBLE)')
      await sql(server, 'INSERT INTO a VALUES (1, 2)')
      if (members.startsWith('routes')) await (await fetch(`${server.url}/v1/mine`)).text()
      t.equal(await server.kill('SIGTERM'), code, name)
      const again = await startProcess(t, dir)
      t.strictSame(await sql(again, 'SELECT v FROM a'), [[2]], `${name}: nothing is lost`)
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

t.test('SIGUSR1 opens no debugger in a demo', async t => {
  const { child, said } = await startDemo(t)
  child.kill('SIGUSR1')
  await sleep(500)
  t.notMatch(said.err, /Debugger/)
})

t.test('SIGTERM ends a demo that still loads its data', async t => {
  const { child, said } = await startDemo(t)
  child.kill('SIGTERM')
  t.strictSame(await once(child, 'exit'), [0, null])
  t.equal(said.err, '')
})

t.test('a stop without time leaves rows to the log, and writes those that are in none to files', async t => {
  const dir = serverFolder(t)
  const lines: string[] = []
  const server = await startProcess(t, dir, {
    env: { WEIR__HTTP__SHUTDOWN_GRACE: '0s' },
    onLine: line => lines.push(line)
  })
  for (const [table, options] of [
    ['a', ''],
    ['b', "WITH (skip_wal = 'true')"]
  ]) {
    await sql(server, `CREATE TABLE ${table} (ts TIMESTAMP TIME INDEX, v DOUBLE) ${options}`)
    await sql(server, `INSERT INTO ${table} VALUES (1, 2)`)
  }
  t.equal(await server.kill('SIGTERM'), 0)
  const said = lines.map(line => JSON.parse(line)).find(({ msg }) => msg.includes('stay in the log'))
  t.match(said, { tables: 1 })
  const again = await startProcess(t, dir)
  for (const table of ['a', 'b']) t.strictSame(await sql(again, `SELECT v FROM ${table}`), [[2]], table)
  t.equal(await again.kill('SIGTERM'), 0)
})

t.test('thousands of small tables are neither long in stopping nor in starting, and nothing is lost', async t => {
  const dir = serverFolder(t)
  const tables = 5_000
  const server = await startProcess(t, dir)
  await sql(server, "CREATE TABLE outside (ts TIMESTAMP TIME INDEX, v DOUBLE) WITH (skip_wal = 'true')")
  await sql(server, 'INSERT INTO outside VALUES (1, 2)')
  const body = Array.from({ length: 3 * tables }, (_, i) => `t${i % tables},a=b v=${i} ${1_000 + i}\n`).join('')
  const url = `${server.url}/v1/lineproto/write?precision=ms`
  t.equal((await fetch(url, { method: 'POST', body })).status, 204)
  let began = performance.now()
  t.equal(await server.kill('SIGTERM'), 0)
  const stopped = performance.now() - began
  t.ok(stopped < 4_000 * slowness(), `stopped within ${stopped.toFixed(0)} ms`)
  began = performance.now()
  const again = await startProcess(t, dir)
  const started = performance.now() - began
  t.ok(started < 10_000 * slowness(), `started within ${started.toFixed(0)} ms`)
  t.strictSame(await sql(again, 'SELECT v FROM outside'), [[2]])
  const sum = Array.from({ length: 50 }, (_, i) => `SELECT count(*) AS n FROM t${i * 100}`).join(' UNION ALL ')
  t.strictSame(await sql(again, `SELECT sum(n)::BIGINT FROM (${sum})`), [[150]])
  t.equal(await again.kill('SIGTERM'), 0)
})

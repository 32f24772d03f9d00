// Programs that a small process starts for the server.
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { performance } from 'node:perf_hooks'
import t from 'tap'
import { Launcher } from '../../../core/storage/embedded/sql/launcher.ts'
import { startProcess, until } from './sql-process-fixtures.ts'

const echo = `const s = new (require('net').Socket)({ fd: 3 }); s.on('data', d => { process.stderr.write('heard ' + d); s.write(d); }); s.on('end', () => process.exit(7))`
const order = (code: string) => ({
  path: process.execPath,
  arguments: ['-e', code],
  environment: { ONLY: 'this' }
})
const parentOf = (pid: number) => Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')[1])

t.test('the first program is the server’s own child, others have another parent and behave the same', async t => {
  const launcher = new Launcher()
  t.teardown(() => launcher.close())
  for (const isFirst of [true, false, false]) {
    const program = await launcher.start(order(echo))
    if (process.platform === 'linux') t.equal(parentOf(program.pid) === process.pid, isFirst)
    let said = ''
    program.stderr.on('data', piece => {
      said += piece
    })
    program.socket.write('a word')
    const [answer] = await once(program.socket, 'data')
    t.equal(String(answer), 'a word')
    program.socket.end()
    t.strictSame(await program.ended, { code: 7, signal: null })
    t.equal(said, 'heard a word', 'all it said has come before its end')
  }
  const endless = await launcher.start(order('setInterval(() => {}, 1000)'))
  endless.stderr.resume()
  endless.kill()
  t.strictSame(await endless.ended, { code: null, signal: 'SIGKILL' })
  endless.kill()
  await t.rejects(launcher.start({ ...order(''), path: '/nowhere/node' }), { message: /nowhere.node cannot be run/ })
})

t.test('a launcher that is ended is replaced', async t => {
  const launcher = new Launcher()
  t.teardown(() => launcher.close())
  const first = await launcher.start(order(echo))
  const second = await launcher.start(order(echo))
  second.stderr.resume()
  process.kill(parentOf(second.pid), 'SIGKILL')
  t.strictSame(await second.ended, { code: null, signal: 'SIGKILL' })
  await until(() => !existsSync(`/proc/${second.pid}`), 'end of what it started')
  const third = await launcher.start(order(echo))
  t.not(parentOf(third.pid), process.pid)
  for (const program of [first, third]) {
    program.stderr.resume()
    program.socket.end()
    t.equal((await program.ended).code, 7)
  }
})

t.test('a query process that comes anew holds nobody up, however much memory the server has', async t => {
  const { process: mine, ask } = startProcess(t)
  await ask('SELECT 1')
  // 60 ms of copying page tables for each start by this process itself.
  const held = Array.from({ length: 1_500 }, () => Buffer.alloc(1 << 20, 1))
  let longest = 0
  let restarts = 0
  for (; restarts < 4; restarts++) {
    const { pid } = mine.statistics()
    // The process that starts the others is itself started once.
    const isKnown = restarts > 0
    process.kill(pid!, 'SIGKILL')
    let last = performance.eventLoopUtilization()
    await until(() => {
      const now = performance.eventLoopUtilization()
      if (isKnown) longest = Math.max(longest, now.active - last.active)
      last = now
      return mine.statistics().alive && mine.statistics().pid !== pid
    }, 'new process')
  }
  t.strictSame(await ask('SELECT 1'), [[1]])
  t.equal(mine.statistics().restarts.died, restarts)
  t.ok(longest < 30, `at most ${longest.toFixed(1)} ms of work at a time with ${held.length} MiB`)
})

t.test('statements that are sent before the process is there, and its end before that', async t => {
  const { process: mine, ask } = startProcess(t)
  const answers = await Promise.all([ask('SELECT 1'), ask('SELECT 2')])
  t.strictSame(answers, [[[1]], [[2]]])
  process.kill(mine.statistics().pid!, 'SIGKILL')
  await until(() => mine.statistics().restarts.died === 1, 'end')
  const late = t.rejects(ask('SELECT 3'), { code: 'Cancelled' })
  await mine.close()
  await late
})

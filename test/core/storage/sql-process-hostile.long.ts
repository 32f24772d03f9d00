// Statements that cannot be cancelled: their query process is killed, others are not affected.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { findProgram } from '../../programs.ts'
import { slowness } from '../../time.ts'
import { temporaryFolder } from './fixtures.ts'
import { startProcess, type TestProcess, until } from './sql-process-fixtures.ts'

/** Statements that take more memory than DuckDB may, in ways it does not count. */
const growing: Readonly<Record<string, string>> = {
  'a text that doubles': `SELECT length(list_reduce(range(40)::VARCHAR[], lambda a, b: a || a, repeat('y', 100)))`,
  'repetitions by a column': `SELECT length(repeat('0123456789', n)) FROM (SELECT 200000000 + (random() * 2)::INT AS n)`,
  'a distance of long texts': `SELECT damerau_levenshtein(repeat('a', n), repeat('b', n)) FROM (SELECT 40000 + (random() * 2)::INT AS n)`,
  'a range from a subquery': 'SELECT len(range((SELECT 2000000000 + (random() * 2)::BIGINT)))'
}

/** Goes on for minutes without a look at its interruption. */
const stubborn = "SELECT levenshtein(repeat('a', n), repeat('b', n)) FROM (SELECT 400000 + (random() * 2)::INT AS n)"
/** Goes on for a while. */
const slow = 'SELECT count(*) FROM range(10000) a(i), range(10000) b(j) WHERE (i * j) % 7 = 11'

const canPin = findProgram('taskset') !== undefined && findProgram('chrt') !== undefined

async function worksAgain(t: Test, { ask }: TestProcess) {
  const start = performance.now()
  t.strictSame(await ask('SELECT 1'), [[1]])
  const took = performance.now() - start
  t.ok(took < 3_000 * slowness(), `the next statement is answered after ${Math.round(took)} ms`)
}
t.test('statements beyond all limits end their process, and the next one works', async t => {
  const mine = startProcess(t, { hardLimit: 700 << 20 })
  const other = startProcess(t, { name: 'internal' })
  await Promise.all([mine.ask('SELECT 1'), other.ask('SELECT 1')])
  const { pid } = other.process.statistics()
  for (const [name, text] of Object.entries(growing)) {
    await t.rejects(mine.ask(text), { code: 'RuntimeResourcesExhausted' }, name)
    await worksAgain(t, mine)
  }
  const { memory, died } = mine.process.statistics().restarts
  t.equal(died, 0)
  t.equal(memory, Object.keys(growing).length)
  const { statements } = mine.logged.at(-1) as { statements: string[] }
  t.strictSame(statements, [Object.values(growing).at(-1)], 'the log names what ran')
  t.strictSame(await other.ask('SELECT 1'), [[1]])
  t.equal(other.process.statistics().pid, pid, 'the other process has noticed nothing')
})

t.test('a statement that ignores its cancellation is answered at once, and ended with its process', async t => {
  const mine = startProcess(t)
  await mine.ask('SELECT 1')
  const { pid } = mine.process.statistics()
  const controller = new AbortController()
  const failed = t.rejects(mine.ask(stubborn, {}, controller.signal), { code: 'Cancelled' })
  const beside = mine.ask(slow)
  await new Promise(resolve => setTimeout(resolve, 300))
  const start = performance.now()
  controller.abort()
  await failed
  t.ok(performance.now() - start < 500 * slowness())
  t.equal(mine.process.statistics().running, 2, 'it holds its slot')
  t.strictSame(await mine.ask('SELECT 1'), [[1]])
  await until(() => mine.process.statistics().restarts.stuck === 1, 'end of the process')
  t.ok(performance.now() - start > 4_900)
  t.strictSame(await beside, [[0n]])
  t.strictSame(mine.process.statistics().restarts, { memory: 0, stuck: 1, died: 0 })
  await until(() => !existsSync(`/proc/${pid}`), 'end of the process')
  await worksAgain(t, mine)
})

t.test('signals of a terminal do not end it; other ends are repaired', async t => {
  const { process: mine, ask } = startProcess(t)
  await ask('SELECT 1')
  const pid = mine.statistics().pid!
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGUSR1'] as const) process.kill(pid, signal)
  t.strictSame(await ask('SELECT 1'), [[1]])
  t.equal(mine.statistics().pid, pid)
  process.kill(pid, 'SIGKILL')
  await until(() => mine.statistics().alive && mine.statistics().pid !== pid, 'new process')
  t.strictSame(mine.statistics().restarts, { memory: 0, stuck: 0, died: 1 })
  process.kill(mine.statistics().pid!, 'SIGSTOP')
  await t.rejects(ask('SELECT 1'), { code: 'StorageUnavailable', message: /did not answer for 10 s; try again$/ })
  t.strictSame(await ask('SELECT 1'), [[1]])
  t.strictSame(mine.statistics().restarts, { memory: 0, stuck: 1, died: 1 })
})

t.test(
  'a process that gets no processor is not ended: it answers when it gets one',
  { skip: !canPin && 'no taskset or chrt' },
  async t => {
    const { process: mine, ask } = startProcess(t)
    t.strictSame(await ask('SELECT 1'), [[1]])
    const pid = String(mine.statistics().pid!)
    const rest = starve(t, pid)
    const answer = ask('SELECT count(*) FROM range(1000000)')
    await new Promise(resolve => setTimeout(resolve, 14_000))
    rest()
    t.strictSame(await answer, [[1_000_000n]])
    t.strictSame(mine.statistics().restarts, { memory: 0, stuck: 0, died: 0 })
  }
)

t.test(
  'nor is one ended that gets no processor to end a cancelled statement with',
  { skip: !canPin && 'no taskset or chrt' },
  async t => {
    const { process: mine, ask } = startProcess(t)
    const controller = new AbortController()
    const failed = t.rejects(ask(slow, {}, controller.signal), { code: 'Cancelled' })
    await until(() => mine.statistics().running === 1 && mine.statistics().alive, 'the statement')
    const pid = String(mine.statistics().pid!)
    const rest = starve(t, pid)
    await new Promise(resolve => setTimeout(resolve, 500))
    controller.abort()
    await failed
    await new Promise(resolve => setTimeout(resolve, 8_000))
    rest()
    t.strictSame(await ask('SELECT 1'), [[1]])
    t.strictSame(mine.statistics().restarts, { memory: 0, stuck: 0, died: 0 })
  }
)

/** Keeps a processor busy, and has all threads of the process behind everything else there until the result is called. */
function starve(t: Test, pid: string): () => void {
  const busy = Array.from({ length: 8 }, () => spawn('taskset', ['-c', '0', process.execPath, '-e', 'for (;;);']))
  const rest = () => {
    for (const each of busy) each.kill('SIGKILL')
  }
  t.teardown(rest)
  spawnSync('taskset', ['-a', '-p', '-c', '0', pid])
  spawnSync('chrt', ['-a', '-i', '-p', '0', pid])
  return rest
}

t.test('the reason why the process does not start is told, and the next statement tries again', async t => {
  const wrong = startProcess(t, { threads: 1e30 })
  await t.rejects(wrong.ask('SELECT 1'), {
    code: 'StorageUnavailable',
    message: /cannot be started: Failed to set config/
  })
  const { process: mine, home, ask } = startProcess(t)
  writeFileSync(join(home, 'tmp'), 'in the way')
  await t.rejects(ask('SELECT 1'), { code: 'StorageUnavailable', message: /cannot be started: .*(ENOTDIR|EEXIST)/ })
  t.equal(mine.statistics().alive, false)
  rmSync(join(home, 'tmp'))
  const { execPath } = process
  process.execPath = '/nowhere/node'
  await t.rejects(ask('SELECT 1'), { code: 'StorageUnavailable', message: /nowhere.node cannot be run/ })
  process.execPath = execPath
  t.strictSame(await ask('SELECT 1'), [[1]])
})

t.test('it ends with its server, however that ends', async t => {
  const program = fileURLToPath(new URL('sql-process-parent.ts', import.meta.url))
  const parent = spawn(process.execPath, [program, temporaryFolder(t)], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.teardown(() => parent.kill('SIGKILL'))
  const [line] = await once(parent.stdout, 'data')
  const pid = Number(String(line))
  t.ok(existsSync(`/proc/${pid}`))
  parent.kill('SIGKILL')
  await until(() => !existsSync(`/proc/${pid}`), 'end of the query process')
})

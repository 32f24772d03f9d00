// Statements whose query process was killed because of another statement run again.
import { join } from 'node:path'
import t from 'tap'
import { never } from './fixtures.ts'
import { startProcess, until } from './sql-process-fixtures.ts'

/** More than DuckDB may have, in a way it does not count. */
const growing = "SELECT length(list_reduce(range(40)::VARCHAR[], lambda a, b: a || a, repeat('y', 100)))"
/** Goes on for a while. */
const slow = 'SELECT count(*) FROM range(10000) a(i), range(10000) b(j) WHERE (i * j) % 7 = 11'
/** Goes on until it is interrupted. */
const endless = 'SELECT sum(a.i * b.i) FROM range(100000) a(i), range(100000000) b(i)'

t.test('those who ran beside it run again, and those who wait notice nothing', async t => {
  const mine = startProcess(t, { slots: () => 3, hardLimit: 600 << 20 })
  await mine.ask('SELECT 1')
  const beside = [mine.ask(slow), mine.ask(slow)]
  const ended = mine.ask(growing).catch(error => error)
  const waiting = mine.ask('SELECT 2')
  t.equal(mine.process.statistics().waiting, 1)
  t.strictSame(await waiting, [[2]])
  t.match(await ended, { name: 'DbError', message: /held \d+ bytes of memory/ })
  t.strictSame(await Promise.all(beside), [[[0n]], [[0n]]])
  t.ok(mine.process.statistics().restarts.memory > 1, 'what ends it has run again')
})

t.test('a statement that ended two processes, was read in part, or writes a file does not run again', async t => {
  const mine = startProcess(t, { slots: () => 4 })
  await mine.ask('SELECT 1')
  const retry = { code: 'StorageUnavailable', status: 503, retryAfter: 1, message: /try again$/ }
  const end = async (running: number) => {
    await until(() => mine.process.statistics().alive && mine.process.statistics().running === running, 'statements')
    const { pid } = mine.process.statistics()
    process.kill(pid!, 'SIGKILL')
    await until(() => mine.process.statistics().pid !== pid, 'new process')
  }
  const read = await mine.process.run({ text: 'SELECT i FROM range(1000000000) r(i)', timezone: 'UTC' }, never)
  const batches = read.batches()[Symbol.asyncIterator]()
  await batches.next()
  await until(() => mine.process.statistics().stalled === 1, 'reader that waits')
  const target = { path: join(mine.data, 'copy.csv'), options: 'FORMAT csv' }
  const copied = t.rejects(mine.ask(endless, { target }), retry)
  const alone = { code: 'EngineExecuteQuery', message: /only statement/ }
  const lost = t.rejects(mine.ask(endless), alone)
  await end(2)
  await copied
  await t.rejects(async () => {
    for (let more = true; more; ) more = !(await batches.next()).done
  }, retry)
  await end(1)
  await lost
  t.strictSame(await mine.ask('SELECT 1'), [[1]])
})

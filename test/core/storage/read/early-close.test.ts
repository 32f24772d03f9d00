// Readers that are closed while threads read rows in memory for them.
import t, { type Test } from 'tap'
import { createMetrics } from '../../../../core/metrics/metrics.ts'
import { ReadThreads } from '../../../../core/storage/embedded/read/read-threads.ts'
import type { QueryResult } from '../../../../core/storage/engine.ts'
import { eventually } from '../../../eventually.ts'
import { createTable, fixed, never, onlyWhenTold, openEngine, temporaryFolder, text, times } from '../fixtures.ts'

/** Answers of the reading threads wait until they are let through. */
function holdAnswers(t: Test) {
  const { read } = ReadThreads.prototype
  const asked = Promise.withResolvers<void>()
  const through = Promise.withResolvers<void>()
  let questions = 0
  ReadThreads.prototype.read = async function (tsids, ask, signal) {
    questions++
    const asking = async (own: Uint32Array) => {
      const question = await ask(own)
      // The thread has it by then.
      setImmediate(asked.resolve)
      return question
    }
    return read.call(this, tsids, asking, signal).finally(() => through.promise)
  }
  t.teardown(() => {
    ReadThreads.prototype.read = read
  })
  return { asked: asked.promise, letThrough: through.resolve, questions: () => questions }
}

/** More than one piece of memory of rows holds. */
const rows = 300_000

async function openLoaded(t: Test) {
  const metrics = createMetrics()
  const engine = await openEngine(t, temporaryFolder(t), { metrics, sync: 'none', ...onlyWhenTold })
  const table = await createTable(engine, 'samples')
  const numbers = Array.from({ length: rows }, (_, i) => i)
  const host = text('host', new Array(rows).fill('a'), 'tag')
  const columns = [host, times('at', numbers), fixed('n', 'Int64', BigInt64Array.from(numbers, BigInt))]
  await engine.write([{ table, rows, columns, op: 'put' }], never)
  const spare = async () => Number(/^svc_memory_bytes\{part="spare"\} (\S+)/m.exec(await metrics.expose())![1])
  const query = () => engine.query({ kind: 'series', table, matches: [], values: ['n'] }, never)
  return { engine, query, spare }
}

function next(result: QueryResult) {
  return result.batches()[Symbol.asyncIterator]().next()
}

t.test('memory of rows is not used again before the threads have answered', async t => {
  const { engine, query, spare } = await openLoaded(t)
  const { asked, letThrough } = holdAnswers(t)
  const result = await query()
  const first = next(result)
  await asked
  const before = await spare()
  result.close()
  await engine.maintain({ kind: 'flush' }, never)
  // What was spare before may have gone to the system.
  const held = await spare()
  t.ok(held <= before, 'the rows are in a file, and a thread still reads where they were')
  letThrough()
  t.match(await first, { done: true })
  // The thread that sorted rows meanwhile answers, too.
  t.ok(await eventually(spare, free => free > held), 'and then it is free')
})

t.test('nothing is read any more once a reader is closed', async t => {
  const { engine, query, spare } = await openLoaded(t)
  const { letThrough, questions } = holdAnswers(t)
  letThrough()
  const result = await query()
  result.close()
  await engine.maintain({ kind: 'flush' }, never)
  t.ok(await eventually(spare, free => free > 0))
  t.match(await next(result), { done: true })
  t.equal(questions(), 0)
})

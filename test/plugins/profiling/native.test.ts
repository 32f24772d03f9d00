import t from 'tap'
import { nativeTime } from '../../../plugins/profiling/cpu/native.ts'
import { type PoolEvent, sumWork } from '../../../plugins/profiling/cpu/pool-work.ts'

const event = (tid: number, ph: string, name: string, milliseconds: number): PoolEvent => {
  return { tid, ph, name, tts: milliseconds * 1000, cat: 'node.threadpoolwork.sync' }
}

function workOf(events: readonly PoolEvent[], kind: string) {
  const work = sumWork(kind)
  for (const each of events) work.add(each)
  return work
}

const cpuOfWork = (events: readonly PoolEvent[], kind: string, spent: number) => workOf(events, kind).cpuOf(7, spent)

t.test('work is counted from its begin to its end in processor time of its thread', async t => {
  const events = [
    event(7, 'B', 'node_api', 100),
    event(7, 'E', 'node_api', 130),
    event(7, 'B', 'zlib', 140),
    event(7, 'E', 'zlib', 150),
    event(7, 'B', 'node_api', 150),
    event(7, 'E', 'node_api', 155)
  ]
  t.equal(cpuOfWork(events, 'node_api', 90), 35)
  t.equal(cpuOfWork(events, 'zlib', 90), 10)
  t.equal(cpuOfWork(events, 'node_api', 20), 20, 'never more than the thread had')
})

t.test('work that is cut by the begin or the end has the rest of the time', async t => {
  const ending = [event(7, 'E', 'node_api', 500), event(7, 'B', 'zlib', 510), event(7, 'E', 'zlib', 530)]
  t.equal(cpuOfWork(ending, 'node_api', 100), 70)
  t.equal(cpuOfWork(ending, 'zlib', 100), 20)
  t.equal(cpuOfWork([event(7, 'B', 'node_api', 500)], 'node_api', 100), 100)
  t.equal(cpuOfWork([], 'node_api', 100), undefined)
})

t.test('threads are told apart by their names, the pool by its age, its work by its kind', async t => {
  const threads = (cpu: readonly number[]) =>
    new Map(
      ['MainThread', 'V8Worker', 'libuv-worker', 'libuv-worker', 'libuv-worker', 'WorkerThread'].map((name, i) => [
        100 + i,
        { name, cpu: cpu[i]! }
      ])
    )
  const before = threads([1000, 10, 0, 0, 0, 0])
  const after = new Map([...threads([1500, 40, 200, 900, 300, 70]), [200, { name: 'MainThread', cpu: 11 }]])
  const events = [event(102, 'B', 'node_api', 20), event(102, 'E', 'node_api', 170)]
  const work = workOf(events, 'node_api')
  const found = nativeTime({ before, after, work, duration: 1000, poolSize: 2, pid: 100 })
  // 150 of the first thread of the pool, all of the second, which was busy without an event, and threads that DuckDB started.
  t.strictSame(found, { duckdb: 150 + 900 + 300 + 11, libuv: 50, v8: 30, node: 0, workers: 70, main: 500 })
})

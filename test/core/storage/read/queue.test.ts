// The queue of one reading thread: reads of many rows take turns, in order, and leave when they are cancelled.
import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { usualLimits } from '../../../../core/storage/embedded/read/limits.ts'
import type { SamplesAsked } from '../../../../core/storage/embedded/read/read.worker.ts'
import { ReadThreads } from '../../../../core/storage/embedded/read/read-threads.ts'

const series = Uint32Array.of(7)

function startThread(t: Test) {
  const threads = new ReadThreads({ folder: '/', threads: 1, cacheBytes: 2 ** 20, looked: () => {}, failed: () => {} })
  t.teardown(() => threads.close())
  const ended = new Int32Array(new SharedArrayBuffer(4 * 16))
  const order: number[] = []
  /** Starts a read that goes on until `end(slot)`. */
  const start = (slot: number, rows: number, signal = new AbortController().signal) => {
    const read = threads.read(series, async tsids => asked(tsids, rows, { ended, slot }), signal)
    return read.then(() => void order.push(slot))
  }
  const end = (slot: number) => void Atomics.store(ended, slot, 1)
  return { start, end, order }
}

/** One sample in memory, said to be `rows`. */
function asked(tsids: Uint32Array, rows: number, options: unknown): SamplesAsked {
  const time = { id: 1, type: 'TimestampMillisecond', physical: 'at' } as const
  const value = { id: 2, type: 'Float64', physical: 'v' } as const
  const columns = new Map([
    [1, { kind: 'fixed', values: Float64Array.of(1_000) }],
    [2, { kind: 'fixed', values: Float64Array.of(1) }]
  ] as const)
  return {
    paths: [],
    query: { time, unit: 'ms', values: [value], from: 0, to: 2_000 },
    tsids,
    owners: undefined,
    options: { versions: true, merges: false },
    memory: [{ rows: 1, seq: 0, op: 'put', tsids: Uint32Array.from(series), columns }],
    rows,
    reduction: { module: new URL('./waiting-reducer.ts', import.meta.url).href, options, width: 1 }
  }
}

const state = (read: Promise<void>) =>
  Promise.race([read.then(() => 'ended').catch(() => 'cancelled'), pause(200).then(() => 'waits')])

t.test('cancelled reads leave the queue of a thread at once, the others go on in order', async t => {
  const { start, end, order } = startThread(t)
  const { turnRows, fewRows } = usualLimits
  const running = new AbortController()
  const first = start(1, turnRows, running.signal)
  const leaving = new AbortController()
  const waiting = [start(2, turnRows, leaving.signal), start(3, turnRows / 2), start(4, turnRows)] as const
  const few = start(5, fewRows)
  for (const slot of [2, 3, 4, 5]) end(slot)
  await few
  t.strictSame(order, [5], 'a read of few rows does not wait')
  t.strictSame(await Promise.all([first, ...waiting].map(state)), ['waits', 'waits', 'waits', 'waits'])
  leaving.abort(new Error('its client left'))
  await t.rejects(waiting[0], { message: /aborted/ }, 'a waiting one leaves while another runs')
  t.equal(await state(first), 'waits')
  running.abort(new Error('its time is over'))
  await t.rejects(first, { message: /aborted/ }, 'the running one ends between two steps')
  await Promise.all(waiting.slice(1))
  t.strictSame(order, [5, 3, 4])
})

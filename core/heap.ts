// What a burst of work leaves on the heap is given back when the server comes to rest: V8 by itself waits for more work.
import { performance } from 'node:perf_hooks'
import { every } from './timer.ts'
import { collect } from './workers/free.ts'

/** Milliseconds between two looks. */
const period = 5_000
/** Share of that time in which a server at rest runs something. */
const restShare = 0.1
/** Bytes the heap may grow by before it is looked through. */
const growth = 16 * 2 ** 20
/** V8 keeps pages that became free until it collects once more. */
const collections = 2

/** How large the heap is, and what looks through all of it: a few ten milliseconds. */
export interface Heap {
  size(): number
  collect(): void
}

const ownHeap: Heap = { size: () => process.memoryUsage().heapTotal, collect: () => collect('major') }

/** Looks after the heap of this thread for as long as the process lives. */
export function watchHeap(): void {
  const tidy = createTidy(ownHeap)
  let before = performance.eventLoopUtilization()
  every(period, () => {
    const now = performance.eventLoopUtilization()
    tidy(performance.eventLoopUtilization(now, before).utilization)
    before = now
  }).unref()
}

/** The function is told, now and then, which share of the time since was used. */
export function createTidy(heap: Heap): (used: number) => void {
  let min = heap.size()
  let due = 0
  return used => {
    const size = heap.size()
    min = Math.min(min, size)
    if (due === 0 && size > min + growth) due = collections
    if (due === 0 || used > restShare) return
    heap.collect()
    due--
    // What is needed may have become more.
    if (due === 0) min = heap.size()
  }
}

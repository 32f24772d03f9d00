// What a burst of work leaves on the heap of a thread is given back when the thread comes to rest: V8 by itself waits for more work.
import { performance } from 'node:perf_hooks'
import { every } from '../timer.ts'
import { collect } from './free.ts'

/** Milliseconds between two looks. */
const period = 5_000
/** Share of that time in which a thread at rest runs something. */
const restShare = 0.1
/** Bytes the heap may grow by before it is looked through: the server's own, and that of a thread beside it, which is a tenth as large. */
const growth = { server: 16 * 2 ** 20, thread: 4 * 2 ** 20 } as const

/** How large the heap is, and what looks through all of it: a few ten milliseconds; `all`, with what V8 keeps for later, twice as long. */
export interface Heap {
  size(): number
  collect(type: 'major' | 'all'): void
}

const ownHeap: Heap = { size: () => process.memoryUsage().heapTotal, collect }

/** Looks after the heap of this thread for as long as it lives. */
export function watchHeap(kind: keyof typeof growth): void {
  const tidy = createTidy(ownHeap, growth[kind])
  let before = performance.eventLoopUtilization()
  every(period, () => {
    const now = performance.eventLoopUtilization()
    tidy(performance.eventLoopUtilization(now, before).utilization)
    before = now
  }).unref()
}

/** The function is told, now and then, which share of the time since was used. */
export function createTidy(heap: Heap, growth: number): (used: number) => void {
  let min = heap.size()
  const due: ('major' | 'all')[] = []
  return used => {
    const size = heap.size()
    min = Math.min(min, size)
    // Pages that became free are kept for what comes next: they go the second time, where it still rests.
    if (due.length === 0 && size > min + growth) due.push('major', 'all')
    if (due.length === 0 || used > restShare) return
    heap.collect(due.shift()!)
    // What is needed may have become more.
    if (due.length === 0) min = heap.size()
  }
}

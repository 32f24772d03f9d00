// Collects garbage when a thread becomes idle after a burst of work; V8 by itself would wait for more work.
import { performance } from 'node:perf_hooks'
import { every } from '../timer.ts'
import { collect } from './free.ts'

/** Milliseconds between two checks. */
const period = 2_000
/**
 * A thread that works for less than `share` of the time may be held up for about `pause` milliseconds: the larger a heap is that is in use, the
 * longer a collection takes. What would take longer V8 collects by itself, in small pieces.
 */
const allowed = [
  { share: 0.02, pause: 250 },
  { share: 0.2, pause: 100 }
] as const
/** Bytes the heap may grow before a collection: on the server's main thread, and on other threads, whose heaps are a tenth as large. */
const growth = { server: 16 * 2 ** 20, thread: 4 * 2 ** 20 } as const

/** Bytes of arrays that became garbage since the last collection. */
let unused = 0

/** Reports that arrays of so many bytes are no longer used. The heap they are collected with does not show their size. */
export function reportUnused(bytes: number): void {
  unused += bytes
}

/** Size of a heap with its arrays that are garbage, and its collection. `major` takes some ten milliseconds; `all` also returns pages V8 keeps, and takes twice as long. */
export interface Heap {
  size(): number
  collect(type: 'major' | 'all'): void
}

/** Of this thread. */
export const threadHeap: Heap = {
  size: () => process.memoryUsage().heapTotal + unused,
  collect: type => {
    unused = 0
    collect(type)
  }
}

/** Watches the heap of this thread for the thread's whole life. */
export function watchHeap(kind: keyof typeof growth): void {
  const tidy = createTidy(threadHeap, growth[kind])
  let before = performance.eventLoopUtilization()
  every(period, () => {
    const now = performance.eventLoopUtilization()
    tidy(performance.eventLoopUtilization(now, before).utilization)
    before = now
  }).unref()
}

/** What a collection costs, in milliseconds for each byte in use, before there was one. */
const firstCost = { major: 1 / 2 ** 20, all: 2.5 / 2 ** 20 } as const

/** The result is called regularly with the share of time that the thread was busy. `now`: milliseconds. */
export function createTidy(heap: Heap, growth: number, now = () => performance.now()): (used: number) => void {
  let min = heap.size()
  const due: ('major' | 'all')[] = []
  const cost = { ...firstCost }
  return used => {
    const size = heap.size()
    min = Math.min(min, size)
    // The first collection keeps free pages for later work; if the thread is still idle at the next check, they are returned, too.
    if (due.length === 0 && size > min + growth) due.push('major', 'all')
    const [type] = due
    const pause = allowed.find(({ share }) => used <= share)?.pause
    if (type === undefined || pause === undefined) return
    // After the first of the two all of it is in use, about.
    const inUse = type === 'major' ? min : size
    if (inUse * cost[type] > pause) {
      // While the thread works a little there may still be an occasion.
      if (pause === allowed[0].pause) {
        due.length = 0
        min = size
      }
      return
    }
    due.shift()
    const started = now()
    heap.collect(type)
    cost[type] = (now() - started) / Math.max(1, heap.size())
    // The live data may have grown.
    if (due.length === 0) min = heap.size()
  }
}

// Collects garbage once the heap of a thread has grown; V8 by itself would wait for more work, and does not see shared memory.
import { performance } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'
import { every } from '../timer.ts'
import { beginCollection, collect } from './free.ts'

/** Milliseconds between two checks. */
const period = 2_000
/** A thread that works for more than this share of the time is left to V8, unless arrays are garbage, whose size V8 may not see. */
const busy = 0.5
/** Returning pages holds a thread up: one that works for less than `share` of the time for about `pause` milliseconds at most. */
const allowed = [
  { share: 0.02, pause: 250 },
  { share: 0.2, pause: 100 }
] as const
/** Bytes the heap may grow before a collection: on the server's main thread, and on other threads, whose heaps are a tenth as large. */
const growth = { server: 8 * 2 ** 20, thread: 4 * 2 ** 20 } as const
/** Bytes arrays may grow before a collection. */
export const arrayGrowth = 64 * 2 ** 20
/** Collections after which arrays that have grown are taken to be in use: one leaves what came while it ran. */
const arrayLooks = 2

/** Bytes of arrays that became garbage since the last collection. */
let unused = 0

/** Reports that arrays of so many bytes are no longer used. V8 does not count shared memory, and collects it with the small objects that refer to it. */
export function reportUnused(bytes: number): void {
  unused += bytes
}

/** Bytes of the arrays of this thread, used or not, without shared memory. */
export function arrayBytes(): number {
  return getHeapStatistics().external_memory
}

/** A heap, and its collection. */
interface Heap {
  /** Bytes, without arrays. */
  size(): number
  /** Bytes of arrays that were reported as unused since the last collection. */
  unused(): number
  /** Bytes of all arrays that V8 counts, used or not. */
  arrays(): number
  /** `begin`: a collection beside the work, with pauses of some milliseconds. `all`: all at once, which also returns pages that V8 keeps. */
  collect(type: 'begin' | 'all'): void
}

/** Of this thread. */
export const threadHeap: Heap = {
  size: () => process.memoryUsage().heapTotal,
  unused: () => unused,
  arrays: arrayBytes,
  collect: type => {
    unused = 0
    if (type === 'begin') beginCollection()
    else collect('all')
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

/** Milliseconds that returning pages takes for each byte in use, as long as it was not measured. */
const firstCost = 2.5 / 2 ** 20

/** The result is called regularly with the share of time that the thread was busy. `now`: milliseconds. */
export function createTidy(heap: Heap, growth: number, now = () => performance.now()): (used: number) => void {
  let min = heap.size()
  let minArrays = heap.arrays()
  let looks = 0
  let hasPages = false
  let cost = firstCost
  return used => {
    const size = heap.size()
    const arrays = heap.arrays()
    min = Math.min(min, size)
    minArrays = looks === arrayLooks ? arrays : Math.min(minArrays, arrays)
    const isLarger = arrays > minArrays + arrayGrowth
    looks = isLarger ? looks + 1 : 0
    const hasGrown = size + heap.unused() > min + growth && (used <= busy || heap.unused() > growth)
    if (hasGrown || isLarger) {
      heap.collect('begin')
      // The next checks find out how much is left.
      min = Number.POSITIVE_INFINITY
      hasPages = true
      return
    }
    const pause = allowed.find(({ share }) => used <= share)?.pause
    if (!hasPages || pause === undefined) return
    if (size * cost > pause) {
      // While the thread works a little there may still be an occasion.
      if (pause === allowed[0].pause) hasPages = false
      return
    }
    hasPages = false
    const started = now()
    heap.collect('all')
    min = heap.size()
    cost = (now() - started) / Math.max(1, min)
  }
}

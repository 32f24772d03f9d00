// Measures the delay of the event loop and finds the work that caused it.
import { closeSync, openSync, readSync } from 'node:fs'
import { PerformanceObserver, performance } from 'node:perf_hooks'
import type { Logger } from './log/log.ts'
import type { Metrics } from './metrics/metrics.ts'
import { every } from './timer.ts'

/** Facts of a piece of work for the log; `plugin` and `path` are also metric labels. */
interface WorkFacts {
  readonly plugin: string
  readonly path: string
  readonly [fact: string]: string
}

/** Work that runs on the event loop, for example a request. */
export interface LoopWork {
  facts(): WorkFacts
}

export interface LoopWatch {
  /** Measures from now on: while a server starts, code is loaded and nobody waits. */
  start(): void
  /**
   * Notes that this work runs from now on, until the callback of the event loop that runs now is over: what runs later, also after an `await`, may be
   * anybody's. Undefined: unknown work.
   */
  note(work: LoopWork | undefined): void
  close(): void
}

/** Milliseconds between two measurements. */
const period = 20

/** Reads `event_loop_threshold` (milliseconds) at each measurement; logs work that held the loop longer, 0 for none. */
export function watchLoop(
  config: { readonly event_loop_threshold: number },
  log: Pick<Logger, 'warn'>,
  metrics: Metrics
): LoopWatch {
  const delays = metrics.histogram(
    'svc_event_loop_delay_seconds',
    `Seconds by which the event loop was late, looked at every ${period} ms.`,
    [],
    [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60]
  )
  const help = 'Times the event loop was late by more than `event_loop_threshold`, by the request that ran the longest.'
  const held = metrics.counter('svc_event_loop_held_total', help, ['plugin', 'path'])
  let current: LoopWork | undefined
  let since = busyTime()
  let longest: LoopWork | undefined
  let maxTime = 0
  let stop = () => {}

  const change = (work: LoopWork | undefined) => {
    const now = busyTime()
    if (current !== undefined && now - since > maxTime) {
      longest = current
      maxTime = now - since
    }
    current = work
    since = now
  }
  const end = (work: LoopWork) => {
    if (current === work) change(undefined)
  }
  const note = (work: LoopWork | undefined) => {
    change(work)
    // A tick that a microtask asks for runs once all microtasks of the callback have run.
    if (work !== undefined) queueMicrotask(() => process.nextTick(end, work))
  }
  const start = () => {
    const queue = watchQueue()
    const collections = watchCollections()
    let looked = performance.now()
    let processor = processorTime()
    const look = () => {
      change(undefined)
      const now = performance.now()
      const from = looked
      const late = Math.max(0, now - from - period)
      const worked = processorTime()
      const queued = queue.take()
      delays.observe(late / 1000)
      const limit = config.event_loop_threshold
      if (limit > 0 && late > limit) {
        const facts = maxTime > limit ? longest?.facts() : undefined
        held.add(1, { plugin: facts?.plugin ?? 'unknown', path: facts?.path ?? 'unknown' })
        const times = { ms: late, processor_ms: worked - processor, work_ms: maxTime, queued_ms: queued }
        // Node tells of a collection in the next round of the loop.
        setImmediate(() => {
          const all = { ...times, gc_ms: collections.between(from, now) }
          const rounded = Object.entries(all).map(([name, time]) => [name, Math.round(time)])
          log.warn({ ...facts, ...Object.fromEntries(rounded) }, 'the event loop was held')
        })
      } else collections.forget(now)
      longest = undefined
      maxTime = 0
      looked = now
      processor = worked
    }
    const timer = every(period, look).unref()
    stop = () => {
      timer.stop()
      queue.close()
      collections.close()
    }
  }
  return { start, note, close: () => stop() }
}

/** Tells how many milliseconds since the last time this thread could have run but had no processor: 0 where the system does not say. */
function watchQueue() {
  let file: number
  try {
    file = openSync('/proc/thread-self/schedstat', 'r')
  } catch {
    return { take: () => 0, close() {} }
  }
  const bytes = Buffer.alloc(64)
  const read = () => {
    const text = bytes.toString('latin1', 0, readSync(file, bytes, 0, bytes.length, 0))
    return Number(text.split(' ')[1]) / 1e6
  }
  let before = read()
  return {
    take(): number {
      const queued = read()
      const since = queued - before
      before = queued
      return since
    },
    close: () => closeSync(file)
  }
}

interface Collection {
  readonly startTime: number
  readonly duration: number
}

/** Knows how long this thread collected garbage; times as `performance.now()`. */
function watchCollections() {
  let recent: Collection[] = []
  const add = (entries: readonly Collection[]) => {
    recent.push(...entries.map(({ startTime, duration }) => ({ startTime, duration })))
  }
  const observer = new PerformanceObserver(list => add(list.getEntries()))
  observer.observe({ entryTypes: ['gc'] })
  const forget = (before: number) => {
    recent = recent.filter(({ startTime }) => startTime >= before)
  }
  return {
    forget,
    between(from: number, to: number): number {
      add(observer.takeRecords())
      const during = recent.filter(({ startTime }) => startTime >= from && startTime < to)
      forget(to)
      return during.reduce((sum, { duration }) => sum + duration, 0)
    },
    close: () => observer.disconnect()
  }
}

/** Milliseconds the loop was busy, without waiting. */
function busyTime(): number {
  return performance.eventLoopUtilization().active
}

/** Processor time of this thread in milliseconds; less than the delay if the machine is busy. */
function processorTime(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

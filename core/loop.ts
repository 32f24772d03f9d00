// Measures the delay of the event loop and finds the work that caused it.
import { performance } from 'node:perf_hooks'
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
  let looked = performance.now()
  let processor = processorTime()

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
  const look = () => {
    change(undefined)
    const now = performance.now()
    const late = Math.max(0, now - looked - period)
    const worked = processorTime()
    delays.observe(late / 1000)
    const limit = config.event_loop_threshold
    if (limit > 0 && late > limit) {
      const facts = maxTime > limit ? longest?.facts() : undefined
      held.add(1, { plugin: facts?.plugin ?? 'unknown', path: facts?.path ?? 'unknown' })
      const times = { ms: Math.round(late), processor_ms: Math.round(worked - processor) }
      log.warn({ ...facts, ...times, work_ms: Math.round(maxTime) }, 'the event loop was held')
    }
    longest = undefined
    maxTime = 0
    looked = now
    processor = worked
  }
  const timer = every(period, look).unref()
  return { note, close: () => timer.stop() }
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

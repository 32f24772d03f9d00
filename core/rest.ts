// Work that waits until the process rests: done in slices, each after a rest, within a budget.
import { performance } from 'node:perf_hooks'
import { setImmediate, setTimeout } from 'node:timers/promises'

export interface RestWork {
  /** Milliseconds the event loop must have rested for before each slice. */
  readonly rest: number
  /** Milliseconds all pieces together may take; a long one counts as a tenth of a second. */
  readonly time: number
  readonly signal: AbortSignal
  /** One piece, a few milliseconds at best; `turn` counts from 0. `false` says that nothing is left. */
  run(turn: number): unknown
}

/** Milliseconds of pieces after one rest. */
const slice = 100
/** Share of its time an event loop that rests is busy at most. */
const mostBusy = 0.1

/**
 * Runs piece after piece; between two of them everything else has its turn. Resolves with how many ran when the time is spent, nothing is
 * left or the signal fires; rejects with what a piece throws before that.
 */
export async function runAtRest({ rest, time, signal, run }: RestWork): Promise<number> {
  let turn = 0
  try {
    for (let spent = 0; spent < time; ) {
      await rested(rest, signal)
      for (const until = Math.min(time, spent + slice); spent < until; turn++) {
        const began = performance.now()
        if ((await run(turn)) === false) return turn
        // What is done once, such as putting what was written last in order, takes no time from the others.
        spent += Math.min(slice, performance.now() - began)
        await setImmediate(undefined, { signal })
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
  return turn
}

async function rested(milliseconds: number, signal: AbortSignal): Promise<void> {
  let utilization = 1
  while (utilization > mostBusy) {
    const before = performance.eventLoopUtilization()
    await setTimeout(milliseconds, undefined, { signal })
    utilization = performance.eventLoopUtilization(before).utilization
  }
}

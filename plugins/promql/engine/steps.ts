// Work on the samples of one window in steps. It also runs in the reading threads, which do not load core, so this file imports only types.
import type { Steps } from '../../../core/index.ts'

/** Samples of a step at most: about half a millisecond of work. */
export const pieceSamples = 16_384
export const pieceHistograms = 256

/** Calls `add` with consecutive ranges of the indices from `from` to below `to`, one a step. */
export function* inPieces(
  from: number,
  to: number,
  add: (from: number, to: number) => void,
  size = pieceSamples
): Steps<void> {
  for (let at = from; at < to; at += size) {
    add(at, Math.min(to, at + size))
    yield
  }
}

/** Runs the steps to their end without pausing and returns their result. */
export function runAtOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

/** Times in milliseconds, rounded down, of times in a unit of which `perMilli` are a millisecond. */
export function* inMillis(times: Float64Array, perMilli: number): Steps<Float64Array> {
  const millis = new Float64Array(times.length)
  yield* inPieces(0, times.length, (from, to) => {
    for (let i = from; i < to; i++) millis[i] = Math.floor(times[i]! / perMilli)
  })
  return millis
}

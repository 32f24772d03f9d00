// How often a value changed, or a counter was reset, within a window.

import { inPieces, pieceHistograms, pieceSamples } from '../engine/steps.ts'
import type { Samples, Window } from '../engine/window.ts'
import { isReset } from '../histogram/arithmetic.ts'
import { equals, type Histogram } from '../histogram/histogram.ts'
import type { RangeFamily, RangeFunction } from './range-function.ts'

type Sample = number | Histogram

function countSteps(differs: (before: Sample, now: Sample) => boolean): RangeFunction {
  return ({ samples }) => ({
    compute(window) {
      const count = begin(window)
      add(count, samples, window, window.f1 + window.h1, differs)
      return count.found
    },
    *inSteps(window) {
      const { f0, f1, h0, h1 } = window
      const count = begin(window)
      const size = h1 > h0 ? pieceHistograms : pieceSamples
      yield* inPieces(f0 + h0, f1 + h1, (_, to) => add(count, samples, window, to, differs), size)
      return count.found
    }
  })
}

/** A count in progress: the next float and the next histogram to look at, and the sample before them. */
interface Count {
  f: number
  h: number
  before: Sample | undefined
  found: number
}

function begin({ f0, h0 }: Window): Count {
  return { f: f0, h: h0, before: undefined, found: 0 }
}

/** Goes over the floats and histograms of a window by time, until the sum of the next indices is `to`. */
function add(
  count: Count,
  { floats, histograms }: Samples,
  { f1, h1 }: Window,
  to: number,
  differs: (before: Sample, now: Sample) => boolean
): void {
  let { f, h, before, found } = count
  while (f + h < to) {
    const isFloat = h >= h1 || (f < f1 && floats.times[f]! <= histograms.times[h]!)
    const now: Sample = isFloat ? floats.values[f++]! : histograms.values[h++]!
    if (before !== undefined && differs(before, now)) found++
    before = now
  }
  count.f = f
  count.h = h
  count.before = before
  count.found = found
}

function changed(before: Sample, now: Sample): boolean {
  if (typeof before === 'number' && typeof now === 'number') {
    return before !== now && !(Number.isNaN(before) && Number.isNaN(now))
  }
  return typeof before === 'number' || typeof now === 'number' || !equals(before, now)
}

function wasReset(before: Sample, now: Sample): boolean {
  if (typeof before === 'number' && typeof now === 'number') return now < before
  return typeof before === 'number' || typeof now === 'number' || isReset(now, before)
}

export const changes: RangeFamily = {
  changes: { make: countSteps(changed) },
  resets: { make: countSteps(wasReset) }
}

// How often a value changed, or a counter was reset, within a window.
import type { Window } from '../engine/window.ts'
import { isReset } from '../histogram/arithmetic.ts'
import { equals, type Histogram } from '../histogram/histogram.ts'
import type { RangeCall, RangeFamily, RangeFunction } from './range-function.ts'

type Sample = number | Histogram

function countSteps(differs: (before: Sample, now: Sample) => boolean): RangeFunction {
  return call => window => {
    let count = 0
    let before: Sample | undefined
    for (const sample of inOrder(call, window)) {
      if (before !== undefined && differs(before, sample)) count++
      before = sample
    }
    return count
  }
}

/** Floats and histograms of a window by time. */
function* inOrder({ samples: { floats, histograms } }: RangeCall, { f0, f1, h0, h1 }: Window): Iterable<Sample> {
  let [f, h] = [f0, h0]
  while (f < f1 || h < h1) {
    const isFloat = h >= h1 || (f < f1 && floats.times[f]! <= histograms.times[h]!)
    yield isFloat ? floats.values[f++]! : histograms.values[h++]!
  }
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

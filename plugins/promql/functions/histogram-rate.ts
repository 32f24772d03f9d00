// Increase of native histograms within a window.
import type { Steps } from '../../../core/index.ts'
import { pieceHistograms } from '../engine/steps.ts'
import type { Window } from '../engine/window.ts'
import { add, isReset, subtract } from '../histogram/arithmetic.ts'
import { compact, type Histogram, isCustom } from '../histogram/histogram.ts'
import { emptyLike, toSchema } from '../histogram/layout.ts'
import { type RangeCall, warnLayouts } from './range-function.ts'

/** Last minus first; for counters plus the values before each reset. Undefined where the histograms cannot be subtracted. */
export function* histogramIncrease(
  call: RangeCall,
  { h0, h1 }: Window,
  counter: boolean
): Steps<Histogram | undefined> {
  const { annotations, where, metric } = call
  const points = call.samples.histograms.values.slice(h0, h1)
  const last = points.at(-1)!
  let first = points[0]!
  if (counter && points.some(({ hint }) => hint === 'gauge')) {
    annotations.warn(where, 'this native histogram metric is not a counter:', metric)
  }
  // If a reset follows the first sample, its value and layout do not matter.
  if (counter && isReset(points[1]!, first)) first = emptyLike(points[1]!)
  const relevant = counter ? [first, ...points.slice(1)] : [first, last]
  if (relevant.some(each => isCustom(each) !== isCustom(last))) {
    warnLayouts(call)
    return undefined
  }
  const schema = relevant.reduce((least, each) => Math.min(least, each.schema), Number.POSITIVE_INFINITY)
  let reconciled = false
  const accept = (combined: ReturnType<typeof add>): Histogram => {
    reconciled ||= combined!.reconciled
    return combined!.result
  }
  let increase = accept(subtract(toSchema(last, schema), first))
  if (reconciled) annotations.info(where, 'mismatched custom buckets were reconciled during subtraction')
  if (counter) {
    reconciled = false
    increase = yield* addLost(points, first, increase, accept)
    if (reconciled) annotations.info(where, 'mismatched custom buckets were reconciled during addition')
  } else if (points[0]!.hint !== 'gauge' || last.hint !== 'gauge') {
    annotations.warn(where, 'this native histogram metric is not a gauge:', metric)
  }
  return compact({ ...increase, hint: 'gauge' })
}

function* addLost(
  points: readonly Histogram[],
  first: Histogram,
  increase: Histogram,
  accept: (combined: ReturnType<typeof add>) => Histogram
): Steps<Histogram> {
  let total = increase
  let previous = first
  for (const [i, current] of points.slice(1).entries()) {
    if (isReset(current, previous)) total = accept(add(total, previous))
    previous = current
    if (i % pieceHistograms === 0) yield
  }
  return total
}

// The reducer module, run in the reading threads of the storage engine: turns the samples of a series into its values at the steps of a query.

import { endsStep } from '../../../core/compute.ts'
import type { Reducer } from '../../../core/index.ts'
import { Annotations } from '../engine/annotation.ts'
import { noLabels } from '../engine/labels.ts'
import { latestIndices } from '../engine/latest.ts'
import { isStale, type Steps, wordsOf } from '../engine/source.ts'
import { inMillis, pieceSamples } from '../engine/steps.ts'
import { moveWindow, newWindow, noHistograms, withoutStaleSteps } from '../engine/window.ts'
import { isLong, type RangeFunction } from '../functions/range-function.ts'
import { rangeFunctions } from '../functions/range-functions.ts'
import type { Call } from '../language/ast.ts'

export interface ReducerOptions {
  readonly steps: Steps
  /** Units of the time index in a millisecond; below 1 for seconds. */
  readonly perMilli: number
}

export function createReducer(options: unknown): Reducer {
  const { steps, perMilli } = options as ReducerOptions
  const reduce = steps.function === 'latest' ? latest(steps) : overWindows(rangeFunctions[steps.function]!.make, steps)
  if (perMilli === 1) return reduce
  return function* (times, values, out, present) {
    yield* reduce(yield* inMillis(times, perMilli), values, out, present)
  }
}

function latest(steps: Steps): Reducer {
  const indicesOf = latestIndices(endsOf(steps), steps.range)
  return function* (times, values, out, present) {
    const words = wordsOf(values)
    const indices = indicesOf(times)
    for (let step = 0; step < indices.length; step++) {
      if (endsStep(step, pieceSamples)) yield
      const index = indices[step]!
      if (index < 0 || isStale(words, index)) continue
      present[step] = 1
      out[step] = values[index]!
    }
  }
}

/** Windows with floats only need no annotations, except those about the whole series. */
const call: Call = { kind: 'call', name: '', args: [], start: 0, end: 0 }
const silent = { metric: '', where: call, annotations: new Annotations(''), scalars: [], call }

function overWindows(make: RangeFunction, steps: Steps): Reducer {
  const ends = endsOf(steps)
  const { range } = steps
  return function* (times, values, out, present) {
    const samples = yield* withoutStaleSteps({ labels: noLabels, floats: { times, values } })
    const work = make({ ...silent, samples: { ...samples, histograms: noHistograms }, range })
    const window = newWindow()
    const put = (step: number, value: unknown) => {
      if (typeof value !== 'number') return
      present[step] = 1
      out[step] = value
    }
    /** Computes the windows from a step on, not a long one, and returns the next step. A loop in a generator would be slower. */
    const computeSome = (from: number): number => {
      let step = from
      for (let visited = 0; step < ends.length && visited < pieceSamples; step++) {
        const end = ends[step]!
        moveWindow(window, samples, end - range, end)
        if (window.f1 === window.f0) continue
        window.time = end
        window.step = step
        if (work.inSteps && isLong(window)) break
        put(step, work.compute(window))
        visited += 1 + window.f1 - window.f0
      }
      return step
    }
    for (let step = computeSome(0); step < ends.length; step = computeSome(step)) {
      if (work.inSteps && window.step === step && isLong(window)) put(step++, yield* work.inSteps(window))
      yield
    }
  }
}

function endsOf({ start, step, count }: Steps): Float64Array {
  return Float64Array.from({ length: count }, (_, i) => start + i * step)
}

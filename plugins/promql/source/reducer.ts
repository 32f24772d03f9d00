// The reducer module, run in the reading threads of the storage engine: turns the samples of a series into its values at the steps of a query.
import type { Reducer } from '../../../core/index.ts'
import { Annotations } from '../engine/annotation.ts'
import { noLabels } from '../engine/labels.ts'
import { latestIndices } from '../engine/latest.ts'
import { isStale, type Steps, wordsOf } from '../engine/source.ts'
import { moveWindow, newWindow, noHistograms, withoutStale } from '../engine/window.ts'
import type { RangeFunction } from '../functions/range-function.ts'
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
  return (times, values, out, present) => {
    const inMillis = (time: number) => Math.floor(time / perMilli)
    reduce(times.map(inMillis), values, out, present)
  }
}

function latest(steps: Steps): Reducer {
  const indicesOf = latestIndices(endsOf(steps), steps.range)
  return (times, values, out, present) => {
    const words = wordsOf(values)
    const indices = indicesOf(times)
    for (let step = 0; step < indices.length; step++) {
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
  return (times, values, out, present) => {
    const samples = withoutStale({ labels: noLabels, floats: { times, values } })
    const work = make({ ...silent, samples: { ...samples, histograms: noHistograms }, range })
    const window = newWindow()
    for (let step = 0; step < ends.length; step++) {
      const end = ends[step]!
      moveWindow(window, samples, end - range, end)
      if (window.f1 === window.f0) continue
      window.time = end
      window.step = step
      const value = work.compute(window)
      if (typeof value !== 'number') continue
      present[step] = 1
      out[step] = value
    }
  }
}

function endsOf({ start, step, count }: Steps): Float64Array {
  return Float64Array.from({ length: count }, (_, i) => start + i * step)
}

// The reducer module, run in the reading threads of the storage engine: turns the samples of a series into its values at the steps of a query.

import type { Steps as ComputeSteps } from '../../../core/compute.ts'
import type { Reducer } from '../../../core/index.ts'
import { Annotations } from '../engine/annotation.ts'
import { noLabels } from '../engine/labels.ts'
import { latestIndices } from '../engine/latest.ts'
import { isStale, type Steps, wordsOf } from '../engine/source.ts'
import { inMillis, pieceSamples, runAtOnce } from '../engine/steps.ts'
import { moveWindow, newWindow, noHistograms, type Samples, withoutStale, withoutStaleSteps } from '../engine/window.ts'
import { isLong, type RangeFunction, type WindowFunction } from '../functions/range-function.ts'
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
    const converted = inMillis(times, perMilli)
    if (times.length <= pieceSamples) return reduce(runAtOnce(converted), values, out, present)
    return (function* () {
      const rest = reduce(yield* converted, values, out, present)
      if (rest !== undefined) yield* rest
    })()
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
    return undefined
  }
}

/** Windows with floats only need no annotations, except those about the whole series. */
const call: Call = { kind: 'call', name: '', args: [], start: 0, end: 0 }
const silent = { metric: '', where: call, annotations: new Annotations(''), scalars: [], call }

function overWindows(make: RangeFunction, steps: Steps): Reducer {
  const ends = endsOf(steps)
  const { range } = steps
  const begin = (samples: Samples, out: Float64Array, present: Uint8Array) => {
    const work = make({ ...silent, samples: { ...samples, histograms: noHistograms }, range })
    return new SeriesWindows(samples, work, { ends, range }, out, present)
  }
  return (times, values, out, present) => {
    const series = { labels: noLabels, floats: { times, values } }
    if (times.length <= pieceSamples) {
      const windows = begin(withoutStale(series), out, present)
      return windows.advance() ? undefined : windows.rest()
    }
    return (function* () {
      const windows = begin(yield* withoutStaleSteps(series), out, present)
      if (!windows.advance()) yield* windows.rest()
    })()
  }
}

/** Computes the windows of one series, some at a time. */
class SeriesWindows {
  readonly #samples: Samples
  readonly #work: WindowFunction
  readonly #ends: Float64Array
  readonly #range: number
  readonly #out: Float64Array
  readonly #present: Uint8Array
  readonly #window = newWindow()
  #step = 0

  constructor(
    samples: Samples,
    work: WindowFunction,
    { ends, range }: { readonly ends: Float64Array; readonly range: number },
    out: Float64Array,
    present: Uint8Array
  ) {
    this.#samples = samples
    this.#work = work
    this.#ends = ends
    this.#range = range
    this.#out = out
    this.#present = present
  }

  /** Computes the next windows, until they had as many samples as a step may. Whether that were all; a long one is left to `rest`. */
  advance(): boolean {
    const [ends, window, work] = [this.#ends, this.#window, this.#work]
    for (let visited = 0; this.#step < ends.length; this.#step++) {
      if (visited >= pieceSamples) return false
      const end = ends[this.#step]!
      moveWindow(window, this.#samples, end - this.#range, end)
      visited += 1 + window.f1 - window.f0
      if (window.f1 === window.f0) continue
      window.time = end
      window.step = this.#step
      if (this.#isLong) return false
      this.#put(work.compute(window))
    }
    return true
  }

  *rest(): ComputeSteps<void> {
    do {
      if (this.#window.step === this.#step && this.#isLong) {
        this.#put(yield* this.#work.inSteps!(this.#window))
        this.#step++
      }
      yield
    } while (!this.advance())
  }

  get #isLong(): boolean {
    return this.#work.inSteps !== undefined && isLong(this.#window)
  }

  #put(value: unknown): void {
    if (typeof value !== 'number') return
    this.#present[this.#step] = 1
    this.#out[this.#step] = value
  }
}

function endsOf({ start, step, count }: Steps): Float64Array {
  return Float64Array.from({ length: count }, (_, i) => start + i * step)
}

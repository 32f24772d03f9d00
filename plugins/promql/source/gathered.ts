// Collects samples from the store, which arrive in runs of a series, series by series.
import {
  endsStep,
  isValid,
  mapPaced,
  orderByTime,
  type Pace,
  type ResultVector,
  runPaced,
  type Steps,
  sortPaced
} from '../../../core/index.ts'
import type { Labels } from '../engine/labels.ts'
import { type Floats, type Histograms, type RawSeries, wordsOf } from '../engine/source.ts'
import { inMillis, pieceSamples } from '../engine/steps.ts'

/** Numbers of one column. */
export class GatheredNumbers {
  /** Runs by series, in order of arrival. */
  readonly #runs = new Map<number, Floats | Floats[]>()

  /** Number of series. */
  get count(): number {
    return this.#runs.size
  }

  /** By series, times ascending and divided by `perMilli`. */
  async series(perMilli: number, pace: Pace): Promise<Map<number, Floats>> {
    const found = new Map<number, Floats>()
    for (const [id, runs] of this.#runs) {
      if (pace.isDue) await pace.pause()
      const all = Array.isArray(runs) ? await runPaced(pace, joined(runs)) : runs
      const isInOrder =
        all.times.length <= pieceSamples ? isSorted(all.times) : await runPaced(pace, isSortedSteps(all))
      const floats = isInOrder ? all : await runPaced(pace, sortSteps(all))
      found.set(
        id,
        perMilli === 1 ? floats : { ...floats, times: await runPaced(pace, inMillis(floats.times, perMilli)) }
      )
    }
    return found
  }

  /** Keeps the batch's memory, which must not change. */
  *add(rows: number, series: Uint32Array, times: Float64Array, { values, valid }: ResultVector): Steps<void> {
    if (valid === undefined) {
      this.#addRuns(rows, series, times, values as Float64Array)
      return
    }
    for (let from = 0; from < rows; from += pieceSamples) {
      const to = Math.min(rows, from + pieceSamples)
      this.#addPresent(from, to, series, times, values as Float64Array, valid)
      yield
    }
  }

  #addRuns(rows: number, series: Uint32Array, times: Float64Array, values: Float64Array): void {
    for (let start = 0; start < rows; ) {
      const id = series[start]!
      let end = start + 1
      while (end < rows && series[end] === id) end++
      this.#put(id, { times: times.subarray(start, end), values: values.subarray(start, end) })
      start = end
    }
  }

  #addPresent(
    from: number,
    to: number,
    series: Uint32Array,
    times: Float64Array,
    values: Float64Array,
    valid: Uint8Array
  ): void {
    const kept = new Uint32Array(to - from)
    let count = 0
    for (let row = from; row < to; row++) if (isValid(valid, row)) kept[count++] = row
    if (count === 0) return
    const present = kept.subarray(0, count)
    const picked = { times: Float64Array.from(present, row => times[row]!), values: new Float64Array(count) }
    const [source, target] = [wordsOf(values), wordsOf(picked.values)]
    for (let i = 0; i < count; i++) {
      target[2 * i] = source[2 * present[i]!]!
      target[2 * i + 1] = source[2 * present[i]! + 1]!
    }
    const ids = Uint32Array.from(present, row => series[row]!)
    this.#addRuns(count, ids, picked.times, picked.values)
  }

  #put(id: number, run: Floats): void {
    const before = this.#runs.get(id)
    if (before === undefined) this.#runs.set(id, run)
    else if (Array.isArray(before)) before.push(run)
    else this.#runs.set(id, [before, run])
  }
}

function* joined(runs: readonly Floats[]): Steps<Floats> {
  const length = runs.reduce((sum, { times }) => sum + times.length, 0)
  const all = { times: new Float64Array(length), values: new Float64Array(length) }
  let at = 0
  for (const { times, values } of runs) {
    all.times.set(times, at)
    all.values.set(values, at)
    at += times.length
    yield
  }
  return all
}

/** Runs of several files may overlap in time. */
function* isSortedSteps({ times }: Floats): Steps<boolean> {
  for (let from = 0; from < times.length; from += pieceSamples) {
    // Each piece begins with the last sample of the one before.
    if (!isSorted(times.subarray(Math.max(0, from - 1), from + pieceSamples))) return false
    yield
  }
  return true
}

function isSorted(times: Float64Array): boolean {
  for (let i = 1; i < times.length; i++) if (times[i]! < times[i - 1]!) return false
  return true
}

/** The samples by time; those of equal times keep their order. */
export function* sortSteps({ times, values }: Floats): Steps<Floats> {
  const order = yield* orderByTime(times)
  const count = times.length
  const sorted = { times: new Float64Array(count), values: new Float64Array(count) }
  const [source, target] = [wordsOf(values), wordsOf(sorted.values)]
  for (let i = 0; i < count; i++) {
    const old = order[i]!
    sorted.times[i] = times[old]!
    target[2 * i] = source[2 * old]!
    target[2 * i + 1] = source[2 * old + 1]!
    if (endsStep(i, pieceSamples)) yield
  }
  return sorted
}

/** Texts read in a step. */
const stepTexts = 64

/** Values of a text column, converted by a function. */
export class GatheredTexts<T> {
  readonly #read: (text: string) => T
  readonly #found = new Map<number, { time: number; value: T }[]>()

  constructor(read: (text: string) => T) {
    this.#read = read
  }

  *add(rows: number, series: Uint32Array, times: Float64Array, { values }: ResultVector): Steps<void> {
    for (let row = 0; row < rows; row++) {
      if (endsStep(row, stepTexts)) yield
      const text = (values as readonly (string | null)[])[row]
      if (text == null) continue
      const sample = { time: times[row]!, value: this.#read(text) }
      const samples = this.#found.get(series[row]!)
      if (samples === undefined) this.#found.set(series[row]!, [sample])
      else samples.push(sample)
    }
  }

  /** By series, times ascending and divided by `perMilli`. */
  async series(
    perMilli: number,
    pace: Pace
  ): Promise<Map<number, { readonly times: Float64Array; readonly values: readonly T[] }>> {
    const sorted = new Map<number, { readonly times: Float64Array; readonly values: readonly T[] }>()
    for (const [id, samples] of this.#found) {
      if (pace.isDue) await pace.pause()
      const inOrder = await sortPaced(pace, samples, (a, b) => a.time - b.time)
      const times = new Float64Array(inOrder.length)
      const values: T[] = []
      for (const [i, { time, value }] of inOrder.entries()) {
        times[i] = Math.floor(time / perMilli)
        values.push(value)
        if (endsStep(i, pieceSamples) && pace.isDue) await pace.pause()
      }
      sorted.set(id, { times, values })
    }
    return sorted
  }
}

const noFloats: Floats = { times: new Float64Array(0), values: new Float64Array(0) }

/** Combines floats and histograms of each series. */
export async function rawSeries(
  pace: Pace,
  floats: ReadonlyMap<number, Floats>,
  histograms: ReadonlyMap<number, Histograms>,
  labelsOf: (series: number) => Labels
): Promise<RawSeries[]> {
  const ids = histograms.size === 0 ? floats.keys() : new Set([...floats.keys(), ...histograms.keys()])
  return mapPaced(pace, ids, id => {
    const own = histograms.get(id)
    return { labels: labelsOf(id), floats: floats.get(id) ?? noFloats, ...(own && { histograms: own }) }
  })
}

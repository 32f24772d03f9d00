// Samples as they come from the store, in runs of one series after the other, put together series by series.
import { isValid, type ResultVector } from '../../../core/index.ts'
import type { Labels } from '../engine/labels.ts'
import type { Floats, Histograms, RawSeries } from '../engine/source.ts'

/** Rows of one series that came one after the other. */
interface Run {
  readonly series: number
  readonly times: Float64Array
  readonly values: Float64Array
}

/** Numbers of one column. */
export class GatheredNumbers {
  readonly #runs: Run[] = []
  readonly #counts = new Map<number, number>()

  add(rows: number, series: Uint32Array, times: Float64Array, { values, valid }: ResultVector): void {
    const numbers = values as Float64Array
    for (let start = 0; start < rows; ) {
      const id = series[start]!
      let end = start + 1
      while (end < rows && series[end] === id) end++
      const run =
        valid === undefined ? whole(id, times, numbers, start, end) : present(id, times, numbers, valid, start, end)
      if (run.times.length > 0) {
        this.#runs.push(run)
        this.#counts.set(id, (this.#counts.get(id) ?? 0) + run.times.length)
      }
      start = end
    }
  }

  /** By series, times ascending and divided by `perMilli`. */
  series(perMilli: number): Map<number, Floats> {
    const total = [...this.#counts.values()].reduce((sum, count) => sum + count, 0)
    const [times, values] = [new Float64Array(total), new Float64Array(total)]
    const places = new Map<number, number>()
    const found = new Map<number, Floats>()
    let next = 0
    for (const [id, count] of this.#counts) {
      places.set(id, next)
      found.set(id, { times: times.subarray(next, next + count), values: values.subarray(next, next + count) })
      next += count
    }
    for (const run of this.#runs) {
      const at = places.get(run.series)!
      times.set(run.times, at)
      values.set(run.values, at)
      places.set(run.series, at + run.times.length)
    }
    if (perMilli !== 1) for (let i = 0; i < total; i++) times[i] = Math.floor(times[i]! / perMilli)
    for (const floats of found.values()) sortByTime(floats)
    return found
  }
}

/** The batch's memory is its own: parts of it can be kept. */
function whole(series: number, times: Float64Array, values: Float64Array, start: number, end: number): Run {
  return { series, times: times.subarray(start, end), values: values.subarray(start, end) }
}

function present(
  series: number,
  times: Float64Array,
  values: Float64Array,
  valid: Uint8Array,
  start: number,
  end: number
): Run {
  const run = { series, times: new Float64Array(end - start), values: new Float64Array(end - start) }
  const words = new BigUint64Array(values.buffer, values.byteOffset, values.length)
  const kept = new BigUint64Array(run.values.buffer)
  let count = 0
  for (let row = start; row < end; row++) {
    if (!isValid(valid, row)) continue
    run.times[count] = times[row]!
    // By its bits: a staleness marker must stay one.
    kept[count++] = words[row]!
  }
  return { series, times: run.times.subarray(0, count), values: run.values.subarray(0, count) }
}

/** Runs of several files may overlap in time. */
function sortByTime({ times, values }: Floats): void {
  let sorted = true
  for (let i = 1; i < times.length && sorted; i++) sorted = times[i]! >= times[i - 1]!
  if (sorted) return
  const order = Uint32Array.from(times.keys()).sort((a, b) => times[a]! - times[b]!)
  const words = new BigUint64Array(values.buffer, values.byteOffset, values.length)
  const [oldTimes, oldWords] = [times.slice(), words.slice()]
  for (const [i, from] of order.entries()) {
    times[i] = oldTimes[from]!
    words[i] = oldWords[from]!
  }
}

/** Values of a text column that are read as something else. */
export class GatheredTexts<T> {
  readonly #read: (text: string) => T
  readonly #found = new Map<number, { time: number; value: T }[]>()

  constructor(read: (text: string) => T) {
    this.#read = read
  }

  add(rows: number, series: Uint32Array, times: Float64Array, { values }: ResultVector): void {
    for (let row = 0; row < rows; row++) {
      const text = (values as readonly (string | null)[])[row]
      if (text == null) continue
      const sample = { time: times[row]!, value: this.#read(text) }
      const samples = this.#found.get(series[row]!)
      if (samples === undefined) this.#found.set(series[row]!, [sample])
      else samples.push(sample)
    }
  }

  /** By series, times ascending and divided by `perMilli`. */
  series(perMilli: number): Map<number, { readonly times: Float64Array; readonly values: readonly T[] }> {
    const sorted = new Map<number, { readonly times: Float64Array; readonly values: readonly T[] }>()
    for (const [id, samples] of this.#found) {
      samples.sort((a, b) => a.time - b.time)
      const times = Float64Array.from(samples, ({ time }) => Math.floor(time / perMilli))
      sorted.set(id, { times, values: samples.map(({ value }) => value) })
    }
    return sorted
  }
}

const noFloats: Floats = { times: new Float64Array(0), values: new Float64Array(0) }

/** Series with what they have of both kinds. */
export function rawSeries(
  floats: ReadonlyMap<number, Floats>,
  histograms: ReadonlyMap<number, Histograms>,
  labelsOf: (series: number) => Labels
): RawSeries[] {
  const ids = new Set([...floats.keys(), ...histograms.keys()])
  return [...ids].map(id => {
    const own = histograms.get(id)
    return { labels: labelsOf(id), floats: floats.get(id) ?? noFloats, ...(own && { histograms: own }) }
  })
}

// Samples as they come from the store, in runs of one series after the other, put together series by series.
import { isValid, type ResultVector } from '../../../core/index.ts'
import type { Labels } from '../engine/labels.ts'
import { type Floats, type Histograms, type RawSeries, wordsOf } from '../engine/source.ts'

/** Rows as they came: in runs of a series from files, in any order from memory. */
interface Batch {
  readonly rows: number
  readonly series: Uint32Array
  readonly times: Float64Array
  /** Numbers by their two halves: a staleness marker must keep its bits. */
  readonly words: Uint32Array
  readonly valid: Uint8Array | undefined
}

/** Numbers of one column. */
export class GatheredNumbers {
  readonly #batches: Batch[] = []
  /** By series; their numbers are dense. */
  #counts = new Uint32Array(1024)
  readonly #seen: number[] = []
  #total = 0

  /** The batch's memory must stay as it is. */
  add(rows: number, series: Uint32Array, times: Float64Array, { values, valid }: ResultVector): void {
    this.#batches.push({ rows, series, times, words: wordsOf(values as Float64Array), valid })
    for (let row = 0; row < rows; row++) {
      if (!isValid(valid, row)) continue
      const id = series[row]!
      if (id >= this.#counts.length) this.#grow(id)
      if (this.#counts[id]!++ === 0) this.#seen.push(id)
      this.#total++
    }
  }

  /** By series, times ascending and divided by `perMilli`. */
  series(perMilli: number): Map<number, Floats> {
    const times = new Float64Array(this.#total)
    const values = new Float64Array(this.#total)
    const places = new Uint32Array(this.#counts.length)
    const found = new Map<number, Floats>()
    let next = 0
    for (const id of this.#seen) {
      const count = this.#counts[id]!
      places[id] = next
      found.set(id, { times: times.subarray(next, next + count), values: values.subarray(next, next + count) })
      next += count
    }
    this.#fill(places, times, wordsOf(values))
    if (perMilli !== 1) for (let i = 0; i < times.length; i++) times[i] = Math.floor(times[i]! / perMilli)
    for (const floats of found.values()) sortByTime(floats)
    return found
  }

  #fill(places: Uint32Array, times: Float64Array, words: Uint32Array): void {
    for (const batch of this.#batches) {
      for (let row = 0; row < batch.rows; row++) {
        if (!isValid(batch.valid, row)) continue
        const at = places[batch.series[row]!]!++
        times[at] = batch.times[row]!
        words[2 * at] = batch.words[2 * row]!
        words[2 * at + 1] = batch.words[2 * row + 1]!
      }
    }
  }

  #grow(id: number): void {
    const grown = new Uint32Array(Math.max(id + 1, this.#counts.length * 2))
    grown.set(this.#counts)
    this.#counts = grown
  }
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

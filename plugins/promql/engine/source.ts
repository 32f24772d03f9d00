// The interface of the engine to the storage: samples of the series that matchers select.
import type { Histogram } from '../histogram/histogram.ts'
import type { Matcher } from '../language/ast.ts'
import type { Labels } from './labels.ts'
import type { Allowance } from './limits.ts'
import type { Series } from './series.ts'

export interface SeriesSource {
  /**
   * Samples with `from <= time <= to` (milliseconds since 1970), by series; series without any may be left out. What is read is taken
   * from `allowance`, which throws when it is too much. Series may come reduced to the steps that are named.
   */
  select(selection: Selection, signal: AbortSignal, allowance: Allowance): Promise<readonly (RawSeries | Series)[]>
}

export interface Selection {
  readonly matchers: readonly Matcher[]
  readonly from: number
  readonly to: number
  /** The reduction to apply to each series; absent where the samples themselves are needed. */
  readonly steps?: Steps
}

/** The values of a range function at `count` times from `start` on, each looking back by `range`; all in milliseconds. */
export interface Steps {
  /** A range function, or `latest` for the sample an instant selector sees. */
  readonly function: string
  readonly start: number
  readonly step: number
  readonly count: number
  readonly range: number
}

export interface RawSeries {
  readonly labels: Labels
  readonly floats: Floats
  readonly histograms?: Histograms
}

/** Times in ascending milliseconds, and their values. A value may be the staleness marker, identified by its bits. */
export interface Floats {
  readonly times: Float64Array
  readonly values: Float64Array
}

/** Like `Floats`; a histogram whose sum is the staleness marker is one. */
export interface Histograms {
  readonly times: Float64Array
  readonly values: readonly Histogram[]
}

/** High and low half of the staleness marker's bits: a NaN of its own. */
const staleHigh = 0x7ff00000
const staleLow = 2

/** Whether a value of the array is the staleness marker; `words` views the same bytes. */
export function isStale(words: Uint32Array, at: number): boolean {
  return words[2 * at + 1] === staleHigh && words[2 * at] === staleLow
}

export function wordsOf(values: Float64Array): Uint32Array {
  return new Uint32Array(values.buffer, values.byteOffset, values.length * 2)
}

// Reduces the samples of each series to a few values, in the reading threads.
import type { ColumnData, ResultBatch } from '../../../model/batch.ts'
import type { Steps } from '../../../pace.ts'
import type { Reducer } from '../../engine.ts'
import { findRuns, type Gathered, type GatherOptions, gather, type Runs } from './gather.ts'
import { copyTimes, type SampleQuery, type SampleRows, type Ticks, ticksOf } from './sample-rows.ts'
import { WantedSeries } from './wanted-series.ts'

export interface ReduceOptions extends GatherOptions {
  readonly reducer: Reducer
  /** Values per series. */
  readonly width: number
}

interface Reduced {
  /** One row per series that has any value. */
  readonly batch: ResultBatch
  /** Number of samples read. */
  readonly samples: number
}

/** Samples and values of a step at most, besides those of a series, for which the reducer makes its own steps. */
const stepSize = 16_384

/** Reduces the samples of the query's single column; parts in write order that may hold some. */
export function* reduce(parts: readonly SampleRows[], query: SampleQuery, options: ReduceOptions): Steps<Reduced> {
  const { tsids } = query.wanted
  const out = new Output(tsids.length, options)
  const rows = new Uint32Array(tsids.length + 1)
  const runs = new SeriesRuns(yield* findRuns(parts, query, rows), rows, query)
  const rest: number[] = []
  let size = 0
  for (let index = 0; index < tsids.length; index++) {
    const found = runs.samples(index, options.versions)
    if (found === 'empty') continue
    if (found === 'unordered') rest.push(tsids[index]!)
    else {
      const left = out.add(tsids[index]!, found.times, found.values)
      if (left !== undefined) yield* left
      size += found.times.length + options.width
      if (size < stepSize) continue
      size = 0
      yield
    }
  }
  if (rest.length > 0)
    yield* addGathered(out, parts, { ...query, wanted: new WantedSeries(Uint32Array.from(rest)) }, options)
  return { batch: out.batch, samples: runs.rows }
}

/** Collects the result, series by series. */
class Output {
  readonly #reducer: Reducer
  readonly #width: number
  readonly #series: Uint32Array
  readonly #values: Float64Array
  readonly #present: Uint8Array
  #rows = 0

  constructor(series: number, { reducer, width }: ReduceOptions) {
    this.#reducer = reducer
    this.#width = width
    this.#series = new Uint32Array(series)
    this.#values = new Float64Array(series * width)
    this.#present = new Uint8Array(series * width)
  }

  get batch(): ResultBatch {
    const [rows, width] = [this.#rows, this.#width]
    const columns = [
      { values: this.#series.subarray(0, rows) },
      { values: this.#values.subarray(0, rows * width) },
      { values: this.#present.subarray(0, rows * width) }
    ]
    return { rows, columns }
  }

  /** Returns the steps that are left of a long series; they come before the next one. */
  add(tsid: number, times: Float64Array, values: Float64Array): Steps<void> | undefined {
    const [start, end] = [this.#rows * this.#width, (this.#rows + 1) * this.#width]
    const present = this.#present.subarray(start, end)
    const left = this.#reducer(times, values, this.#values.subarray(start, end), present)
    if (left !== undefined) return this.#finish(tsid, left, present)
    if (present.includes(1)) this.#series[this.#rows++] = tsid
    return undefined
  }

  *#finish(tsid: number, left: Steps<void>, present: Uint8Array): Steps<void> {
    yield* left
    if (present.includes(1)) this.#series[this.#rows++] = tsid
  }
}

type Samples = Pick<Gathered, 'times'> & { readonly values: Float64Array }

/** Rows `start` to `end` of a part. */
interface Run {
  readonly ticks: Ticks
  readonly values: Float64Array
  readonly start: number
  readonly end: number
}

/** Finds the samples of each series. The arrays it returns for one series are overwritten by the next. */
class SeriesRuns {
  readonly #parts: readonly Runs[]
  /** By index: where its runs begin in the list of all runs, then the end. */
  readonly #starts: Uint32Array
  /** By run: its part, and where its numbers are in that part. */
  readonly #partOf: Uint32Array
  readonly #numberOf: Uint32Array
  /** By part; without values if some row has no number. */
  readonly #ticksOf: readonly Ticks[]
  readonly #valuesOf: readonly (Float64Array | undefined)[]
  #times = new Float64Array(1_024)
  #values = new Float64Array(1_024)
  readonly rows: number

  /** `rows`: how many each series has, by index + 1. */
  constructor(runs: readonly Runs[], rows: Uint32Array, query: SampleQuery) {
    const indices = rows.length - 1
    this.#ticksOf = runs.map(({ part }) => ticksOf(part.columns, query.time))
    this.#valuesOf = runs.map(({ part }) => floatsOf(part.columns.get(query.values[0]!.id)))
    this.#parts = runs
    this.rows = rows.reduce((sum, count) => sum + count, 0)
    this.#starts = new Uint32Array(indices + 1)
    for (const { numbers } of runs) for (let i = 0; i < numbers.length; i += 3) this.#starts[numbers[i]! + 1]!++
    for (let index = 0; index < indices; index++) this.#starts[index + 1]! += this.#starts[index]!
    const next = this.#starts.slice()
    this.#partOf = new Uint32Array(this.#starts[indices]!)
    this.#numberOf = new Uint32Array(this.#starts[indices]!)
    for (const [part, { numbers }] of runs.entries()) {
      for (let i = 0; i < numbers.length; i += 3) {
        const at = next[numbers[i]!]!++
        this.#partOf[at] = part
        this.#numberOf[at] = i
      }
    }
  }

  /** The samples of a series; `unordered` if times do not ascend strictly or some row has no number. */
  samples(index: number, distinct: boolean): Samples | 'empty' | 'unordered' {
    const [first, end] = [this.#starts[index]!, this.#starts[index + 1]!]
    if (first === end) return 'empty'
    let rows = 0
    for (let run = first; run < end; run++) {
      const found = this.#view(run)
      if (found === undefined) return 'unordered'
      if (end - first === 1 && found.ticks instanceof Float64Array) {
        const times = found.ticks.subarray(found.start, found.end)
        return isOrdered(times, distinct)
          ? { times, values: found.values.subarray(found.start, found.end) }
          : 'unordered'
      }
      this.#append(found, rows)
      rows += found.end - found.start
    }
    const times = this.#times.subarray(0, rows)
    return isOrdered(times, distinct) ? { times, values: this.#values.subarray(0, rows) } : 'unordered'
  }

  /** Undefined if some row has no number. */
  #view(run: number): Run | undefined {
    const part = this.#partOf[run]!
    const { numbers } = this.#parts[part]!
    const at = this.#numberOf[run]!
    const values = this.#valuesOf[part]
    return values && { ticks: this.#ticksOf[part]!, values, start: numbers[at + 1]!, end: numbers[at + 2]! }
  }

  #append({ ticks, values, start, end }: Run, at: number): void {
    const needed = at + end - start
    if (needed > this.#times.length) {
      this.#times = grown(this.#times, 2 * needed)
      this.#values = grown(this.#values, 2 * needed)
    }
    copyTimes(ticks, start, end, this.#times, at)
    this.#values.set(values.subarray(start, end), at)
  }
}

function floatsOf(data: ColumnData | undefined): Float64Array | undefined {
  const areAll = data?.kind === 'fixed' && data.valid === undefined && data.values instanceof Float64Array
  return areAll ? data.values : undefined
}

function grown(array: Float64Array<ArrayBuffer>, length: number): Float64Array<ArrayBuffer> {
  const longer = new Float64Array(length)
  longer.set(array)
  return longer
}

function isOrdered(times: Float64Array, distinct: boolean): boolean {
  let before = Number.NEGATIVE_INFINITY
  for (let i = 0; i < times.length; i++) {
    const time = times[i]!
    if (time < before || (distinct && time === before)) return false
    before = time
  }
  return true
}

/** Handles series whose rows must be sorted or deduplicated first. */
function* addGathered(
  out: Output,
  parts: readonly SampleRows[],
  query: SampleQuery,
  options: ReduceOptions
): Steps<void> {
  const { starts, times, values: columns } = yield* gather(parts, query, options)
  const { values, present } = columns[0]!
  const { tsids } = query.wanted
  for (let index = 0; index < tsids.length; index++) {
    const [start, end] = [starts[index]!, starts[index + 1]!]
    const kept = present === undefined ? end : squeeze(times, values, present, start, end)
    if (start === kept) continue
    const left = out.add(tsids[index]!, times.subarray(start, kept), values.subarray(start, kept))
    if (left !== undefined) yield* left
    yield
  }
}

/** Moves the samples that have a value together, as bits; returns the end. */
function squeeze(times: Float64Array, values: Float64Array, present: Uint8Array, start: number, end: number): number {
  const words = new Uint32Array(values.buffer, values.byteOffset, 2 * values.length)
  let at = start
  for (let row = start; row < end; row++) {
    if (present[row] === 0) continue
    times[at] = times[row]!
    words[2 * at] = words[2 * row]!
    words[2 * at + 1] = words[2 * row + 1]!
    at++
  }
  return at
}

// Puts samples from memory together series by series: counts them, then copies the numbers to where each series begins.
import { type ColumnData, isValid, type ResultBatch, type ResultVector, setBit } from '../../../model/batch.ts'
import { endsStep, type Steps } from '../../../pace.ts'
import type { MemtableRows } from '../memory/memtable.ts'
import { type KeptRows, latestRows } from './deduplicate.ts'
import { copyTimes, type SampleColumn, type SampleQuery, type SampleRows, ticksOf, visitRuns } from './sample-rows.ts'

export interface GatherOptions {
  /** True: rows with the same series and time are versions, and the last in the list counts; false: every row counts. */
  readonly versions: boolean
  /** True: each value of a row is that of the latest version that has one. */
  readonly merges: boolean
}

/** Rows of the wanted series, in the order of their indexes. */
export interface Gathered {
  /** First row by index, then the end. */
  readonly starts: Uint32Array
  readonly times: Float64Array
  readonly values: readonly Numbers[]
}

interface Numbers {
  readonly values: Float64Array
  /** By row, whether there is a number; absent if there always is. */
  readonly present: Uint8Array | undefined
}

/** Runs of rows of all parts: three numbers each, the series' index, first row and end. */
export interface Runs {
  readonly part: SampleRows
  readonly numbers: readonly number[]
}

/** Rows copied in a step. */
const stepRows = 65_536

/** The samples of these parts, which must be in write order: each series in one piece, with ascending times. */
export function* gather(parts: readonly SampleRows[], query: SampleQuery, options: GatherOptions): Steps<Gathered> {
  const found = yield* collect(parts, query)
  const kept = yield* latestRows(found, options)
  return kept === undefined ? found : yield* pick(found, kept)
}

/** All rows without deduplication; rows of a series in write order. */
export function* collect(parts: readonly SampleRows[], query: SampleQuery): Steps<Gathered> {
  const counts = new Uint32Array(query.wanted.tsids.length + 1)
  const runs = yield* findRuns(parts, query, counts)
  for (let index = 1; index < counts.length; index++) counts[index]! += counts[index - 1]!
  return yield* fill(runs, query, counts)
}

/** The runs of each part, a step for each. Adds to `counts` how many rows a series has, by index + 1. */
export function* findRuns(parts: readonly SampleRows[], query: SampleQuery, counts: Uint32Array): Steps<Runs[]> {
  const found: Runs[] = []
  for (const part of parts) {
    found.push(runsOf(part, query, counts))
    yield
  }
  return found
}

function runsOf(part: SampleRows, query: SampleQuery, counts: Uint32Array): Runs {
  const numbers: number[] = []
  visitRuns(part, query, (index, start, end) => {
    numbers.push(index, start, end)
    counts[index + 1]! += end - start
  })
  return { part, numbers }
}

function* fill(runs: readonly Runs[], { time, values: columns }: SampleQuery, starts: Uint32Array): Steps<Gathered> {
  const rows = starts.at(-1)!
  const times = new Float64Array(rows)
  const next = starts.slice()
  const indices: Uint32Array[] = []
  for (const { part, numbers } of runs) {
    const ticks = ticksOf(part.columns, time)
    const ats = new Uint32Array(numbers.length / 3)
    for (let i = 0, n = 0; i < numbers.length; i += 3, n++) {
      const [index, start, end] = [numbers[i]!, numbers[i + 1]!, numbers[i + 2]!]
      ats[n] = next[index]!
      copyTimes(ticks, start, end, times, next[index]!)
      next[index]! += end - start
    }
    indices.push(ats)
    yield
  }
  const values: Numbers[] = []
  for (const column of columns) {
    const hasGaps = runs.some(({ part }) => part.columns.get(column.id)?.valid !== undefined || lacks(part, column))
    const filled = { values: new Float64Array(rows), present: hasGaps ? new Uint8Array(rows) : undefined }
    for (const [i, each] of runs.entries()) {
      copyNumbers(each, indices[i]!, column, filled)
      yield
    }
    values.push(filled)
  }
  return { starts, times, values }
}

function lacks({ columns }: MemtableRows, { id }: SampleColumn): boolean {
  return columns.get(id)?.kind !== 'fixed'
}

function copyNumbers({ part, numbers }: Runs, indices: Uint32Array, { id }: SampleColumn, to: Numbers): void {
  const data = part.columns.get(id)
  if (data?.kind !== 'fixed') return
  const { values, valid } = data
  for (let i = 0, n = 0; i < numbers.length; i += 3, n++) {
    const [start, end, at] = [numbers[i + 1]!, numbers[i + 2]!, indices[n]!]
    // Floats are copied as bits, because the bits of a NaN have a meaning (stale markers).
    if (values instanceof Float64Array) to.values.set(values.subarray(start, end), at)
    else for (let row = start; row < end; row++) to.values[at + row - start] = Number(values[row])
    if (to.present === undefined) continue
    for (let row = start; row < end; row++) to.present[at + row - start] = Number(isValid(valid, row))
  }
}

/** The rows as a result batch; `tsids` by index. */
export function batchOf({ starts, times, values }: Gathered, tsids: Uint32Array): ResultBatch {
  const series = new Uint32Array(times.length)
  for (let index = 0; index < tsids.length; index++) series.fill(tsids[index]!, starts[index], starts[index + 1])
  return { rows: times.length, columns: [{ values: series }, { values: times }, ...values.map(vectorOf)] }
}

function vectorOf({ values, present }: Numbers): ResultVector {
  if (present === undefined) return { values }
  const valid = new Uint8Array((values.length + 7) >> 3)
  for (let row = 0; row < values.length; row++) if (present[row] === 1) setBit(valid, row)
  return { values, valid }
}

/** Some of the rows. */
function* pick({ starts, times, values }: Gathered, { rows, sources }: KeptRows): Steps<Gathered> {
  const kept = new Uint32Array(starts.length)
  for (let index = 0, at = 0; index + 1 < starts.length; index++) {
    while (at < rows.length && rows[at]! < starts[index + 1]!) at++
    kept[index + 1] = at
  }
  const numbers: Numbers[] = []
  for (const [column, { values: all, present }] of values.entries()) {
    const from = sources?.[column] ?? rows
    const picked = yield* pickNumbers(all, from)
    numbers.push({ values: picked, present: present && (yield* pickPresent(present, from)) })
  }
  return { starts: kept, times: yield* pickNumbers(times, rows), values: numbers }
}

function* pickPresent(present: Uint8Array, rows: Uint32Array): Steps<Uint8Array> {
  const picked = new Uint8Array(rows.length)
  for (let i = 0; i < rows.length; i++) {
    picked[i] = present[rows[i]!]!
    if (endsStep(i, stepRows)) yield
  }
  return picked
}

function* pickNumbers(values: Float64Array, rows: Uint32Array): Steps<Float64Array> {
  const picked = new Float64Array(rows.length)
  const [from, to] = [new Uint32Array(values.buffer), new Uint32Array(picked.buffer)]
  for (let i = 0; i < rows.length; i++) {
    to[2 * i] = from[2 * rows[i]!]!
    to[2 * i + 1] = from[2 * rows[i]! + 1]!
    if (endsStep(i, stepRows)) yield
  }
  return picked
}

/** The rows in a form that can be gathered again; `tsids` by index. */
export function asRows(
  { starts, times, values: columns }: Gathered,
  tsids: Uint32Array,
  query: SampleQuery
): SampleRows {
  const rows = times.length
  const numbers = new Uint32Array(rows)
  for (let index = 0; index < tsids.length; index++) numbers.fill(tsids[index]!, starts[index], starts[index + 1])
  const data = columns.map((column, i) => {
    const { values, valid } = vectorOf(column) as { values: Float64Array; valid?: Uint8Array }
    return [query.values[i]!.id, { kind: 'fixed', values, ...(valid && { valid }) }] as const
  })
  return {
    rows,
    seq: 0,
    op: 'put',
    tsids: numbers,
    columns: new Map<number, ColumnData>([[query.time.id, { kind: 'fixed', values: times }], ...data])
  }
}

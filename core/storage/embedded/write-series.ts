// Converts samples of known series to parts of a log record: one per table that stores rows.
import { DbError } from '../../errors.ts'
import { endsStep, type Steps } from '../../pace.ts'
import type { ResolvedSeries, SeriesNumbers } from '../engine.ts'
import type { FoundSeries } from '../found-series.ts'
import type { OpenTables } from './memory/tables.ts'
import type { PreparedPart } from './write.ts'

/** Rows of one step. */
const stepRows = 1 << 16

/** Throws `RequestOutdated` if a table changed since the series were found; the caller then looks them up again. */
export function currentNumbers(tables: OpenTables, numbers: SeriesNumbers): FoundSeries {
  const found = numbers as FoundSeries
  if (tables.known.isCurrent(found)) return found
  throw outdated()
}

export function outdated(): DbError {
  return new DbError('RequestOutdated', 'a table was changed while its rows were being written')
}

/** The series number of each row; `series` are the indexes of the rows' keys. */
export function* numbersOf({ tsids: known }: FoundSeries, series: Uint32Array, rows: number): Steps<Uint32Array> {
  const tsids = new Uint32Array(rows)
  for (let from = 0; from < rows; from += stepRows) {
    const to = Math.min(rows, from + stepRows)
    for (let i = from; i < to; i++) tsids[i] = known[series[i]!]!
    if (to < rows) yield
  }
  return tsids
}

/** Throws like `currentNumbers`. */
export function* seriesParts(tables: OpenTables, write: ResolvedSeries): Steps<readonly PreparedPart[]> {
  const found = currentNumbers(tables, write.numbers)
  const { series, rows, times, values } = write
  const tsids = yield* numbersOf(found, series, rows)
  // Target numbers are only valid if no table changed since the lookup.
  currentNumbers(tables, found)
  const first = found.targets[series[0]!]!
  if (found.targets.every(target => target === first)) {
    return [samplesPart(tables, first, tsids, times.slice(0, rows), values.slice(0, rows))]
  }
  const order = yield* rowsByTarget(found, write)
  // Copies bits, because copying numbers may change the bits of a NaN.
  const bits = new BigInt64Array(values.buffer, values.byteOffset, values.length)
  const parts: PreparedPart[] = []
  for (const [target, picked] of order) {
    currentNumbers(tables, found)
    const pickedValues = pick(bits, picked, new BigInt64Array(picked.length))
    const floats = new Float64Array(pickedValues.buffer)
    const pickedTsids = pick(tsids, picked, new Uint32Array(picked.length))
    parts.push(samplesPart(tables, target, pickedTsids, pick(times, picked, new BigInt64Array(picked.length)), floats))
    yield
  }
  return parts
}

/** The rows of each target, in order. */
function* rowsByTarget({ targets }: FoundSeries, { series, rows }: ResolvedSeries): Steps<Map<number, Uint32Array>> {
  const counts = new Map<number, number>()
  for (let i = 0; i < rows; i++) {
    if (endsStep(i, stepRows)) yield
    const target = targets[series[i]!]!
    counts.set(target, (counts.get(target) ?? 0) + 1)
  }
  const found = new Map<number, Uint32Array>()
  for (const [target, count] of counts) found.set(target, new Uint32Array(count))
  counts.clear()
  for (let i = 0; i < rows; i++) {
    if (endsStep(i, stepRows)) yield
    const target = targets[series[i]!]!
    const at = counts.get(target) ?? 0
    found.get(target)![at] = i
    counts.set(target, at + 1)
  }
  return found
}

function samplesPart(
  tables: OpenTables,
  target: number,
  tsids: Uint32Array,
  times: BigInt64Array,
  values: Float64Array
): PreparedPart {
  const { data, time, value } = tables.known.target(target)
  return {
    data,
    table: data.table.id,
    op: 'put',
    rows: tsids.length,
    tsids,
    columns: [
      { id: time, data: { kind: 'fixed', values: times } },
      { id: value, data: { kind: 'fixed', values: values } }
    ]
  }
}

function pick<T extends BigInt64Array | Uint32Array>(from: T, rows: Uint32Array, to: T): T {
  for (let i = 0; i < rows.length; i++) to[i] = from[rows[i]!]!
  return to
}

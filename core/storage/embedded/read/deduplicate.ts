// Deduplicates samples in memory: of row versions with the same series and time, the latest counts.
import { orderByTime } from '../../../order-by-time.ts'
import { endsStep, type Steps } from '../../../pace.ts'

interface Rows {
  /** First row of each series, by index, then the end. */
  readonly starts: Uint32Array
  /** Rows of a series in the order they were written. */
  readonly times: Float64Array
  readonly values: readonly { readonly present: Uint8Array | undefined }[]
}

interface Rules {
  /** True: rows with the same series and time are versions of one row. */
  readonly versions: boolean
  /** True: a version without any value hides no earlier one. */
  readonly merges: boolean
}

/** Rows looked at in a step, besides those of one series that are in order. */
const stepRows = 65_536

/**
 * The rows that count, series by series with ascending times; undefined if all rows count as they are. Rows without any value never count.
 */
export function* latestRows(rows: Rows, { versions, merges }: Rules): Steps<Uint32Array | undefined> {
  const { starts, times, values } = rows
  const gaps = values.length > 0 && values.every(({ present }) => present !== undefined)
  const isEmpty = (row: number) => gaps && values.every(({ present }) => present![row] === 0)
  if (!gaps && areOrdered(rows, versions)) return undefined
  const kept = new Uint32Array(times.length)
  let [count, looked] = [0, 0]
  for (let position = 0; position + 1 < starts.length; position++) {
    const [start, end] = [starts[position]!, starts[position + 1]!]
    if (end - looked > stepRows) {
      looked = end
      yield
    }
    if (!gaps && isOrdered(times, start, end, versions)) {
      for (let row = start; row < end; row++) kept[count++] = row
      continue
    }
    const all = yield* orderByTime(times, start, end)
    const own = merges && gaps ? all.filter(row => !isEmpty(row)) : all
    for (let i = 0; i < own.length; i++) {
      if (endsStep(i, stepRows)) yield
      const hidden = versions && i + 1 < own.length && times[own[i + 1]!] === times[own[i]!]
      if (!hidden && !isEmpty(own[i]!)) kept[count++] = own[i]!
    }
  }
  return kept.subarray(0, count)
}

function areOrdered({ starts, times }: Rows, versions: boolean): boolean {
  for (let position = 0; position + 1 < starts.length; position++) {
    if (!isOrdered(times, starts[position]!, starts[position + 1]!, versions)) return false
  }
  return true
}

function isOrdered(times: Float64Array, start: number, end: number, versions: boolean): boolean {
  for (let row = start + 1; row < end; row++) {
    if (times[row]! < times[row - 1]! || (versions && times[row] === times[row - 1])) return false
  }
  return true
}

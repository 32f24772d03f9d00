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
  /** True: each value of a row is that of the latest version that has one. */
  readonly merges: boolean
}

export interface KeptRows {
  readonly rows: Uint32Array
  /** By column, for each of these rows the one whose value counts; absent: its own. */
  readonly sources?: readonly Uint32Array[] | undefined
}

/** Rows looked at in a step, besides those of one series that are in order. */
const stepRows = 65_536

/**
 * The rows that count, series by series with ascending times; undefined if all rows count as they are. Rows without any value never count.
 */
export function* latestRows(rows: Rows, { versions, merges }: Rules): Steps<KeptRows | undefined> {
  const { starts, times, values } = rows
  const gaps = values.length > 0 && values.every(({ present }) => present !== undefined)
  const isEmpty = (row: number) => gaps && values.every(({ present }) => present![row] === 0)
  if (!gaps && areOrdered(rows, versions)) return undefined
  const kept = new Uint32Array(times.length)
  const isMixed = versions && merges && values.length > 1 && values.some(({ present }) => present !== undefined)
  const sources = isMixed ? values.map(() => new Uint32Array(times.length)) : undefined
  let [count, looked] = [0, 0]
  const keep = (row: number) => {
    for (const source of sources ?? []) source[count] = row
    kept[count++] = row
  }
  for (let position = 0; position + 1 < starts.length; position++) {
    const [start, end] = [starts[position]!, starts[position + 1]!]
    if (end - looked > stepRows) {
      looked = end
      yield
    }
    if (!gaps && isOrdered(times, start, end, versions)) {
      for (let row = start; row < end; row++) keep(row)
      continue
    }
    const all = yield* orderByTime(times, start, end)
    const own = merges && gaps ? all.filter(row => !isEmpty(row)) : all
    /** The first version of the current row. */
    let first = 0
    for (let i = 0; i < own.length; i++) {
      if (endsStep(i, stepRows)) yield
      if (versions && i + 1 < own.length && times[own[i + 1]!] === times[own[i]!]) continue
      if (!isEmpty(own[i]!)) {
        keep(own[i]!)
        if (first < i)
          for (const [c, source] of sources?.entries() ?? []) source[count - 1] = latestWith(values[c]!, own, first, i)
      }
      first = i + 1
    }
  }
  return { rows: kept.subarray(0, count), sources: sources?.map(source => source.subarray(0, count)) }
}

/** Of some versions of a row, `first` to `last`, the latest that has a value in a column; the last one if none has. */
function latestWith({ present }: Rows['values'][number], versions: Uint32Array, first: number, last: number): number {
  for (let i = last; i >= first; i--) if (present === undefined || present[versions[i]!] === 1) return versions[i]!
  return versions[last]!
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

// Deduplicates samples in memory: of row versions with the same series and time, the latest counts.

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

/**
 * The rows that count, series by series with ascending times; undefined if all rows count as they are. Rows without any value never count.
 */
export function latestRows(rows: Rows, { versions, merges }: Rules): Uint32Array | undefined {
  const { starts, times, values } = rows
  const gaps = values.length > 0 && values.every(({ present }) => present !== undefined)
  const isEmpty = (row: number) => gaps && values.every(({ present }) => present![row] === 0)
  if (!gaps && areOrdered(rows, versions)) return undefined
  const kept = new Uint32Array(times.length)
  let count = 0
  for (let position = 0; position + 1 < starts.length; position++) {
    const [start, end] = [starts[position]!, starts[position + 1]!]
    if (!gaps && isOrdered(times, start, end, versions)) {
      for (let row = start; row < end; row++) kept[count++] = row
      continue
    }
    const all = rowsBetween(start, end)
    const own = merges ? all.filter(row => !isEmpty(row)) : all
    // A stable sort keeps the write order of rows with equal times.
    own.sort((a, b) => times[a]! - times[b]!)
    for (let i = 0; i < own.length; i++) {
      const hidden = versions && i + 1 < own.length && times[own[i + 1]!] === times[own[i]!]
      if (!hidden && !isEmpty(own[i]!)) kept[count++] = own[i]!
    }
  }
  return kept.subarray(0, count)
}

function rowsBetween(start: number, end: number): Uint32Array {
  const rows = new Uint32Array(end - start)
  for (let i = 0; i < rows.length; i++) rows[i] = start + i
  return rows
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

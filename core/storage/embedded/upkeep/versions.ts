// Of sorted rows those that stay: the newest version of each, or one made of several versions, field by field.
import { type ColumnData, isValid } from '../../../model/batch.ts'

/** How versions of a row are merged: not at all, to the newest one, or field by field. */
export type MergeWay = 'none' | 'row' | 'fields'

/** The key of each row by index: rows with equal keys are versions of one. */
interface VersionKeys {
  readonly tsids: Uint32Array | undefined
  /** As words, the low one first. */
  readonly times: Int32Array
  /** 1: a delete. Undefined: there are none. */
  readonly ops: Uint8Array | undefined
}

/** Rows made of versions `from` to `to` of the sorted rows, from the oldest to the newest. */
interface MergedRow {
  /** Which of the rows that stay. */
  readonly at: number
  readonly from: number
  readonly to: number
}

export interface KeptRows {
  readonly indices: Uint32Array
  readonly merged: readonly MergedRow[]
  /** The order that ranges of `merged` count in. */
  readonly sorted: Uint32Array
}

/** `keepDeletes`: rows they hide may be in other files. `sorted` are indices; versions of one row go from the oldest to the newest. */
export function keepRows(way: MergeWay, keepDeletes: boolean, keys: VersionKeys, sorted: Uint32Array): KeptRows {
  if (way === 'none') return { indices: sorted, merged: [], sorted }
  const { ops } = keys
  const indices = new Uint32Array(sorted.length)
  const merged: MergedRow[] = []
  let put = 0
  for (let from = 0, to: number; from < sorted.length; from = to) {
    to = from + 1
    while (to < sorted.length && isSame(keys, sorted[from]!, sorted[to]!)) to++
    let live = way === 'row' ? to - 1 : from
    if (ops !== undefined) {
      let deleted = to - 1
      while (deleted >= live && ops[sorted[deleted]!] === 0) deleted--
      if (deleted >= live) {
        if (keepDeletes) indices[put++] = sorted[deleted]!
        live = deleted + 1
      }
    }
    if (live === to) continue
    if (to - live > 1) merged.push({ at: put, from: live, to })
    indices[put++] = sorted[to - 1]!
  }
  return { indices: indices.subarray(0, put), merged, sorted }
}

function isSame({ tsids, times }: VersionKeys, a: number, b: number): boolean {
  if (times[2 * a] !== times[2 * b] || times[2 * a + 1] !== times[2 * b + 1]) return false
  return tsids === undefined || tsids[a] === tsids[b]
}

/** Indices of a column's values for rows `from` to `to` of those that stay: of a merged row that of the newest version with a value. */
export function valueIndices(
  { indices, merged, sorted }: KeptRows,
  data: ColumnData,
  from: number,
  to: number
): Uint32Array {
  const own = indices.subarray(from, to)
  const first = merged.findIndex(({ at }) => at >= from)
  if (data.valid === undefined || first < 0 || merged[first]!.at >= to) return own
  const picked = own.slice()
  for (let i = first; i < merged.length && merged[i]!.at < to; i++) {
    const { at, from: oldest, to: end } = merged[i]!
    for (let version = end - 1; version >= oldest; version--) {
      if (!isValid(data.valid, sorted[version]!)) continue
      picked[at - from] = sorted[version]!
      break
    }
  }
  return picked
}

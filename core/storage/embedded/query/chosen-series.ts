// The series a query is about, of one table or of several that share a physical one.
import type { Table } from '../../../model/table.ts'
import type { Steps } from '../../../pace.ts'
import type { SeriesQuery, SeriesTags } from '../../engine.ts'
import { isLogical } from '../../logical.ts'
import type { TableData } from '../memory/table-data.ts'
import { lowerBound } from '../read/lower-bound.ts'

export interface ChosenSeries {
  /** Ascending. */
  readonly tsids: Uint32Array
  /** The logical table of each of some of them; undefined where they are those of a table of its own. */
  owners(tsids: Uint32Array): Uint32Array | undefined
  labels(tsid: number): SeriesTags
}

export function* chooseSeries(data: TableData, { table, others = [], matches }: SeriesQuery): Steps<ChosenSeries> {
  yield* data.load()
  const index = data.labels
  const select = (table: Table) => index.select(table, matches, isLogical(table) ? table.id : undefined)
  if (others.length === 0) {
    const owners = (tsids: Uint32Array) => (isLogical(table) ? new Uint32Array(tsids.length).fill(table.id) : undefined)
    const tsids = yield* select(table)
    yield* index.decode(data.table.tags)
    return { tsids, owners, labels: index.labels(table) }
  }
  const tables = [table, ...others]
  const lists: Uint32Array[] = []
  for (const each of tables) lists.push(yield* select(each))
  // Those of the physical table, which all of them share.
  yield* index.decode(data.table.tags)
  const { tsids, indices } = merged(lists)
  const labels = new Array<((tsid: number) => SeriesTags) | undefined>(tables.length)
  const indexOf = (tsid: number) => indices[lowerBound(tsids, tsid)]!
  return {
    tsids,
    owners: some => Uint32Array.from(some, tsid => tables[indexOf(tsid)]!.id),
    labels(tsid) {
      const at = indexOf(tsid)
      labels[at] ??= index.labels(tables[at]!)
      return labels[at](tsid)
    }
  }
}

/** Numbers of all lists, ascending, and beside each the index of its list. */
function merged(lists: readonly Uint32Array[]): { readonly tsids: Uint32Array; readonly indices: Uint32Array } {
  const count = lists.reduce((sum, list) => sum + list.length, 0)
  // Both in one number, the index in the low digits: sorted as numbers, which is quick.
  const both = new Float64Array(count)
  let at = 0
  for (const [index, list] of lists.entries()) for (const tsid of list) both[at++] = tsid * lists.length + index
  both.sort()
  const tsids = Uint32Array.from(both, each => Math.floor(each / lists.length))
  return { tsids, indices: Uint32Array.from(both, each => each % lists.length) }
}

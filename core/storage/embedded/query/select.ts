// What of a table's files a statement need not read: by their times, then by their indexes.
import type { Condition } from '../../engine.ts'
import type { DataFile } from '../catalog/catalog-rows.ts'
import type { IndexReader } from '../index/index-reader.ts'
import { mayMeetTimes, type Pruned, pruneFile } from '../index/prune.ts'
import type { Snapshot } from './relation.ts'

export interface Selection {
  /** Whether any of its rows may be asked for. */
  readonly wants: (file: DataFile) => boolean
  /** By path: the row groups to read where not all are. */
  readonly pruned: ReadonlyMap<string, Pruned>
}

export const everything: Selection = { wants: () => true, pruned: new Map() }

/** Rows of a metric table are found by their series; only times rule out files of it. */
export async function select(indexes: IndexReader, snapshot: Snapshot, where: Condition): Promise<Selection> {
  const { table, view, files } = snapshot
  const wants = (file: DataFile) => mayMeetTimes(where, file)
  const pruned = new Map<string, Pruned>()
  if (view === undefined && asksIndexes(where)) {
    for (const file of files) if (wants(file)) pruned.set(file.path, await pruneFile(indexes, table, file, where))
  }
  return { wants, pruned }
}

function asksIndexes(where: Condition): boolean {
  return where.kind === 'all' || where.kind === 'any' ? where.of.some(asksIndexes) : where.kind !== 'time'
}

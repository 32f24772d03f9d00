// What of a table's files a statement need not read: by their times, then by their indexes.
import type { Condition } from '../../engine.ts'
import type { DataFile } from '../catalog/catalog-rows.ts'
import type { IndexReader } from '../index/index-reader.ts'
import { mayMeetTimes, type Pruned, pruneFile } from '../index/prune.ts'
import type { EngineMetrics } from '../metrics.ts'
import type { Snapshot } from './relation.ts'

export interface Selection {
  /** Whether any of its rows may be asked for. */
  readonly wants: (file: DataFile) => boolean
  /** By path: the row groups to read where not all are. */
  readonly pruned: ReadonlyMap<string, Pruned>
  /** Numbers of the only series that may be asked for, ascending, where there are not too many. */
  readonly tsids?: Uint32Array | undefined
  /** Told how the files are read. */
  readonly count: (files: readonly DataFile[], as: 'alone' | 'versioned') => void
  /** Of some files, nothing else is asked for. */
  readonly newest?: NewestRows
}

/** Rows of files that have none after them in the same series. */
export interface NewestRows {
  /** Every row of them is the only version of itself. */
  readonly files: readonly DataFile[]
  /** When those of a file begin, in the time index's unit; there are none in the other files. */
  readonly since: ReadonlyMap<DataFile, bigint>
}

export const everything: Selection = { wants: () => true, pruned: new Map(), count: () => {} }

/** Rows of a metric table are found by their series; only times rule out files of it. */
export async function select(
  indexes: IndexReader,
  counter: EngineMetrics['index']['groups'],
  { table, view, files }: Pick<Snapshot, 'table' | 'view' | 'files'>,
  where: Condition
): Promise<Selection> {
  const wants = (file: DataFile) => mayMeetTimes(where, file)
  const pruned = new Map<string, Pruned>()
  if (view === undefined && asksIndexes(where)) {
    for (const file of files) if (wants(file)) pruned.set(file.path, await pruneFile(indexes, table, file, where))
  }
  const count: Selection['count'] = (all, as) => {
    for (const { path } of all) {
      const { groups = 0, [as]: some } = pruned.get(path) ?? {}
      const read = some?.length ?? groups
      if (read > 0) counter.add(read, { result: 'read' })
      if (read < groups) counter.add(groups - read, { result: 'skipped' })
    }
  }
  return { wants, pruned, count }
}

function asksIndexes(where: Condition): boolean {
  return where.kind === 'all' || where.kind === 'any'
    ? where.of.some(asksIndexes)
    : where.kind !== 'time' && where.kind !== 'newest'
}

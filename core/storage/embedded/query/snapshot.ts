// What a query sees, fixed at one moment, and kept alive until the last row is read.
import type { Table } from '../../../model/table.ts'
import type { EmbeddedCatalog } from '../catalog/catalog.ts'
import type { DataFile } from '../catalog/catalog-rows.ts'
import { hasSeries } from '../catalog/logical.ts'
import type { Duckdb } from '../duckdb/index.ts'
import type { FilePins } from '../file/file-pins.ts'
import type { IndexReader } from '../index/index-reader.ts'
import type { OpenTables } from '../memory/tables.ts'
import type { EngineMetrics } from '../metrics.ts'
import type { ReadThreads } from '../read/read-threads.ts'
import type { SampleCache } from '../samples/sample-cache.ts'
import type { Snapshot } from './relation.ts'

export interface ReadParts {
  readonly catalog: EmbeddedCatalog
  readonly duckdb: Duckdb
  readonly tables: OpenTables
  readonly pins: FilePins
  readonly dataDir: string
  readonly indexes: IndexReader
  readonly samples: SampleCache
  readonly reader: ReadThreads
  readonly metrics: EngineMetrics
  /** Rejects where a file that a query is about to read is damaged. */
  requireSound(table: Table, files: readonly DataFile[]): Promise<void>
}

/** `now` in milliseconds since 1970 decides what is past its time. */
export function snapshotOf({ catalog, tables, dataDir }: ReadParts, table: Table, now: number): Snapshot {
  const data = tables.find(table)
  const host = catalog.host(table)
  return {
    table: host,
    view: host === table ? undefined : table,
    logical: host === table ? catalog.logicalIds(host) : undefined,
    files: catalog.files(host),
    memtables: data?.memtables ?? [],
    series: data && hasSeries(host) ? data.mirror.current : undefined,
    dataDir,
    cutoff: catalog.cutoff(table, now)
  }
}

/**
 * Snapshots that are pinned, with their rows readable by SQL and their series pinned, too; `release` lets all go. What they hold was fixed
 * before: while rows are made readable, tables may change and files take the place of others.
 */
export async function readable(
  { tables, pins }: ReadParts,
  fixed: readonly Snapshot[],
  release: () => void
): Promise<{ readonly snapshots: readonly Snapshot[]; readonly release: () => void }> {
  const dataOf = ({ table, view }: Snapshot) => tables.take(view ?? table)
  for (const snapshot of fixed) await dataOf(snapshot).makeReadable(snapshot.memtables)
  const snapshots = fixed.map(snapshot => {
    return hasSeries(snapshot.table) ? { ...snapshot, series: dataOf(snapshot).mirror.current } : snapshot
  })
  const releaseSeries = pin(
    pins,
    snapshots.map(snapshot => ({ ...snapshot, files: [], memtables: [] }))
  )
  return {
    snapshots,
    release: () => {
      release()
      releaseSeries()
    }
  }
}

/** Keeps files, memtables and tables of series; returns what lets them go. */
export function pin(pins: FilePins, snapshots: readonly Snapshot[]): () => void {
  const paths = snapshots.flatMap(snapshot => snapshot.files.map(file => file.path))
  const memtables = snapshots.flatMap(snapshot => snapshot.memtables)
  const series = snapshots.flatMap(snapshot => snapshot.series ?? [])
  pins.pin(paths)
  for (const part of [...memtables, ...series]) part.pin()
  return () => {
    pins.unpin(paths)
    for (const part of [...memtables, ...series]) part.unpin()
  }
}

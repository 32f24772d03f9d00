// The files and memtables a query sees: fixed at one moment, and kept until the last row is read.
import type { Table } from '../../../model/table.ts'
import { type Pace, runPaced } from '../../../pace.ts'
import type { EmbeddedCatalog } from '../catalog/catalog.ts'
import type { DataFile } from '../catalog/catalog-rows.ts'
import type { Duckdb } from '../duckdb/index.ts'
import type { FilePins } from '../file/file-pins.ts'
import type { IndexReader } from '../index/index-reader.ts'
import { type AskedRows, filesOf, type Memtable, type SpooledRows } from '../memory/memtable.ts'
import type { RowMemory } from '../memory/row-memory.ts'
import type { OpenTables } from '../memory/tables.ts'
import type { EngineMetrics } from '../metrics.ts'
import type { ReadLimits } from '../read/limits.ts'
import type { ReadThreads } from '../read/read-threads.ts'
import type { RowSorter } from '../read/row-sorter.ts'
import type { SampleCache } from '../samples/sample-cache.ts'
import type { Spool } from '../spool/spool.ts'
import type { SqlProcess } from '../sql/sql-process.ts'

export interface ReadDependencies {
  readonly catalog: EmbeddedCatalog
  readonly duckdb: Duckdb
  readonly sql: SqlProcess
  readonly spool: Spool
  readonly rowMemory: RowMemory
  readonly tables: OpenTables
  readonly pins: FilePins
  readonly dataDir: string
  readonly indexes: IndexReader
  readonly samples: SampleCache
  readonly reader: ReadThreads
  readonly sorter: RowSorter
  readonly metrics: EngineMetrics
  readonly limits: ReadLimits
  /** Rejects where a file that a query is about to read is damaged. */
  requireSound(table: Table, files: readonly DataFile[]): Promise<void>
}

/** The data of one table that a query reads, fixed when it starts. */
export interface Snapshot {
  readonly table: Table
  /** The logical table that is asked for, when `table` is the physical one that holds it. */
  readonly view: Table | undefined
  /** Logical tables of a physical one; undefined for any other. */
  readonly logical: readonly number[] | undefined
  readonly files: readonly DataFile[]
  readonly memtables: readonly Memtable[]
  /** The rows of each memtable as SQL reads them, once they are readable. */
  readonly spooled: ReadonlyMap<Memtable, readonly SpooledRows[]>
  readonly dataDir: string
  /** Rows before it (in the time index's unit) are past their time to live. */
  readonly cutoff: bigint | undefined
}

/** `now`, in milliseconds since 1970, decides which rows are expired. */
export function snapshotOf({ catalog, tables, dataDir }: ReadDependencies, table: Table, now: number): Snapshot {
  const data = tables.find(table)
  const physical = catalog.physicalTable(table)
  return {
    table: physical,
    view: physical === table ? undefined : table,
    logical: physical === table ? catalog.logicalIds(physical) : undefined,
    files: catalog.files(physical),
    memtables: data?.memtables ?? [],
    spooled: new Map(),
    dataDir,
    cutoff: catalog.cutoff(table, now)
  }
}

/** What a query keeps until its last row is read. */
export interface Held {
  unpin(): void
}

/**
 * Snapshots with their rows readable by SQL; what makes them so is added to `held`. What they hold was fixed before: while rows are made
 * readable, tables may change and files take the place of others. `asked`: the columns to read, by id, of each physical table, and to count
 * rows by.
 */
export async function readable(
  { tables }: ReadDependencies,
  fixed: readonly Snapshot[],
  asked: ReadonlyMap<number, AskedRows>,
  pace: Pace,
  held: Held[]
): Promise<readonly Snapshot[]> {
  const spooled = new Map<Memtable, readonly SpooledRows[]>()
  for (const { table, view, memtables } of fixed) {
    for (const memtable of memtables.filter(each => !spooled.has(each))) {
      const registry = await runPaced(pace, tables.getOrCreate(view ?? table).load())
      const rows = await memtable.spool(registry, asked.get(table.id))
      held.push(...filesOf(rows))
      spooled.set(memtable, rows)
    }
  }
  return fixed.map(snapshot => ({ ...snapshot, spooled }))
}

/** Pins the files and memtables of snapshots. */
export function pin(pins: FilePins, snapshots: readonly Snapshot[]): Held {
  const paths = snapshots.flatMap(snapshot => snapshot.files.map(file => file.path))
  const memtables = snapshots.flatMap(snapshot => snapshot.memtables)
  pins.pin(paths)
  for (const memtable of memtables) memtable.pin()
  return {
    unpin() {
      pins.unpin(paths)
      for (const memtable of memtables) memtable.unpin()
    }
  }
}

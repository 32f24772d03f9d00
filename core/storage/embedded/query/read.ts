// Queries: which files and memtables they see, the SQL DuckDB gets, and keeping both alive until the last row is read.
import type { Table } from '../../../model/table.ts'
import type { Query, QueryResult, Relation, ScanQuery } from '../../engine.ts'
import type { EmbeddedCatalog } from '../catalog/catalog.ts'
import { type Duckdb, quoteName } from '../duckdb/index.ts'
import type { FilePins } from '../file/file-pins.ts'
import type { OpenTables } from '../memory/tables.ts'
import { relation, type Snapshot } from './relation.ts'

export interface ReadParts {
  readonly catalog: EmbeddedCatalog
  readonly duckdb: Duckdb
  readonly tables: OpenTables
  readonly pins: FilePins
  readonly dataDir: string
}

/** Starts a query over everything that was answered before the call. */
export async function runQuery(parts: ReadParts, query: Query, signal: AbortSignal): Promise<QueryResult> {
  const tables = new Map(tablesOf(query).map(table => [table.id, table]))
  for (const table of tables.values()) await parts.tables.find(table)?.makeReadable()
  const snapshots = new Map<number, Snapshot>()
  const now = Date.now()
  for (const [id, table] of tables) {
    const data = parts.tables.find(table)
    const host = parts.catalog.host(table)
    snapshots.set(id, {
      table: host,
      view: host === table ? undefined : table,
      logical: host === table ? parts.catalog.logicalIds(host) : undefined,
      files: parts.catalog.files(host),
      memtables: data?.memtables ?? [],
      series: data?.mirror.name ?? '',
      dataDir: parts.dataDir,
      cutoff: parts.catalog.cutoff(table, now)
    })
  }
  const sql = query.kind === 'sql' ? substitute(query.text, query.relations, snapshots) : scan(query, snapshots)
  const timezone = query.kind === 'sql' ? query.timezone : 'UTC'
  return parts.duckdb.stream(sql, timezone, signal, pin(parts.pins, [...snapshots.values()]))
}

/** Every table a query names, as often as it does. */
export function tablesOf(query: Query): readonly Table[] {
  return query.kind === 'sql' ? query.relations.map(({ table }) => table) : [query.table]
}

function pin(pins: FilePins, snapshots: readonly Snapshot[]): () => void {
  const paths = snapshots.flatMap(snapshot => snapshot.files.map(file => file.path))
  const memtables = snapshots.flatMap(snapshot => snapshot.memtables)
  pins.pin(paths)
  for (const memtable of memtables) memtable.pin()
  return () => {
    pins.unpin(paths)
    for (const memtable of memtables) memtable.unpin()
  }
}

/** Puts each table's rows where the statement names the table, from the last to the first so that offsets stay right. */
function substitute(text: string, relations: readonly Relation[], snapshots: ReadonlyMap<number, Snapshot>): string {
  return relations.toReversed().reduce((sql, { start, end, table, alias }) => {
    const rows = `(${relation(snapshots.get(table.id)!)})${alias === undefined ? '' : ` AS ${quoteName(alias)}`}`
    return sql.slice(0, start) + rows + sql.slice(end)
  }, text)
}

function scan({ table, columns, from, to }: ScanQuery, snapshots: ReadonlyMap<number, Snapshot>): string {
  const physical = new Map(table.columns.map(column => [column.name, column.physical]))
  const selected = columns.map(name => `${quoteName(physical.get(name)!)} AS ${quoteName(name)}`)
  const ticks = `${epochOf[table.timeIndex.type as keyof typeof epochOf]}(${quoteName(table.timeIndex.physical)})`
  const bounds = [
    ...(from === undefined ? [] : [`${ticks} >= ${from}`]),
    ...(to === undefined ? [] : [`${ticks} < ${to}`])
  ]
  const where = bounds.length > 0 ? ` WHERE ${bounds.join(' AND ')}` : ''
  return `SELECT ${selected.join(', ')} FROM (${relation(snapshots.get(table.id)!)})${where}`
}

const epochOf = {
  TimestampSecond: 'epoch',
  TimestampMillisecond: 'epoch_ms',
  TimestampMicrosecond: 'epoch_us',
  TimestampNanosecond: 'epoch_ns'
} as const

// Queries: which files and memtables they see, the SQL DuckDB gets, and keeping both alive until the last row is read.
import type { Table } from '../../../model/table.ts'
import type { Condition, Query, QueryResult, Relation, ScanQuery, SeriesQuery } from '../../engine.ts'
import type { EmbeddedCatalog } from '../catalog/catalog.ts'
import { type Duckdb, quoteName } from '../duckdb/index.ts'
import type { FilePins } from '../file/file-pins.ts'
import type { IndexReader } from '../index/index-reader.ts'
import type { OpenTables } from '../memory/tables.ts'
import type { EngineMetrics } from '../metrics.ts'
import { relation, type Snapshot } from './relation.ts'
import { everything, type Selection, select } from './select.ts'
import { seriesSql, timesOf } from './series.ts'
import { ticksOf } from './time.ts'

export interface ReadParts {
  readonly catalog: EmbeddedCatalog
  readonly duckdb: Duckdb
  readonly tables: OpenTables
  readonly pins: FilePins
  readonly dataDir: string
  readonly indexes: IndexReader
  readonly metrics: EngineMetrics
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
  const release = pin(parts.pins, [...snapshots.values()])
  let chosen: ReturnType<typeof chooseSeries> | undefined
  let sql: string
  try {
    chosen = query.kind === 'series' ? chooseSeries(parts, query) : undefined
    sql = await writeSql(parts, query, snapshots, chosen?.tsids)
  } catch (error) {
    release()
    throw error
  }
  const timezone = query.kind === 'sql' ? query.timezone : 'UTC'
  const result = await parts.duckdb.stream(sql, timezone, signal, release)
  return chosen === undefined ? result : { ...result, labels: chosen.labels }
}

/** The series a query wants, and their labels. */
function chooseSeries({ catalog, tables }: ReadParts, { table, matches }: SeriesQuery) {
  const owner = catalog.host(table) === table ? undefined : table.id
  const { labels } = tables.take(table)
  return {
    tsids: labels.select(table, matches, owner),
    labels: (series: number) => labels.labels(table, series)
  }
}

/** The query with everything it reads; only a condition makes it wait for a look into indexes. */
async function writeSql(
  { indexes, metrics }: ReadParts,
  query: Query,
  snapshots: ReadonlyMap<number, Snapshot>,
  tsids: Uint32Array = new Uint32Array(0)
): Promise<string> {
  const choose = (table: Table, where: Condition | undefined) =>
    where === undefined ? everything : select(indexes, metrics.index.groups, snapshots.get(table.id)!, where)
  if (query.kind === 'series') {
    return seriesSql(query, snapshots.get(query.table.id)!, await choose(query.table, timesOf(query)), tsids)
  }
  if (query.kind === 'scan') {
    const { from, to } = query
    const where: Condition = { kind: 'time', ...(from !== undefined && { from }), ...(to !== undefined && { to }) }
    return scan(query, relation(snapshots.get(query.table.id)!, await choose(query.table, where)))
  }
  const selections: Selection[] = []
  for (const { table, where } of query.relations) {
    const selection = choose(table, where)
    selections.push(selection === everything ? everything : await selection)
  }
  return substitute(query.text, query.relations, (table, i) => relation(snapshots.get(table.id)!, selections[i]!))
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
function substitute(
  text: string,
  relations: readonly Relation[],
  rowsOf: (table: Table, relation: number) => string
): string {
  return relations.reduceRight((sql, { start, end, table, alias }, i) => {
    const rows = `(${rowsOf(table, i)})${alias === undefined ? '' : ` AS ${quoteName(alias)}`}`
    return sql.slice(0, start) + rows + sql.slice(end)
  }, text)
}

function scan({ table, columns, from, to }: ScanQuery, rows: string): string {
  const physical = new Map(table.columns.map(column => [column.name, column.physical]))
  const selected = columns.map(name => `${quoteName(physical.get(name)!)} AS ${quoteName(name)}`)
  const ticks = ticksOf(table.timeIndex, quoteName(table.timeIndex.physical))
  const bounds = [
    ...(from === undefined ? [] : [`${ticks} >= ${from}`]),
    ...(to === undefined ? [] : [`${ticks} < ${to}`])
  ]
  const where = bounds.length > 0 ? ` WHERE ${bounds.join(' AND ')}` : ''
  return `SELECT ${selected.join(', ')} FROM (${rows})${where}`
}

// Queries: which files and memtables they see, the SQL DuckDB gets, and keeping both alive until the last row is read.
import type { Table } from '../../../model/table.ts'
import type { Condition, Query, QueryResult, ScanQuery, SqlQuery } from '../../engine.ts'
import { quoteName } from '../duckdb/index.ts'
import { follows, runFollow } from './follow.ts'
import { relation, type Snapshot } from './relation.ts'
import { runSeries } from './run-series.ts'
import { everything, type Selection, select } from './select.ts'
import { pin, type ReadParts, snapshotOf } from './snapshot.ts'
import { substitute } from './substitute.ts'
import { ticksOf } from './time.ts'

/** Starts a query over everything that was answered before the call. */
export async function runQuery(parts: ReadParts, query: Query, signal: AbortSignal): Promise<QueryResult> {
  if (query.kind === 'series') return runSeries(parts, query, signal)
  if (query.kind === 'sql' && follows(query)) return runFollow(parts, query, signal)
  const tables = new Map(tablesOf(query).map(table => [table.id, table]))
  for (const table of tables.values()) await parts.tables.find(table)?.makeReadable()
  const now = Date.now()
  const snapshots = new Map(Array.from(tables, ([id, table]) => [id, snapshotOf(parts, table, now)]))
  const release = pin(parts.pins, [...snapshots.values()])
  let sql: string
  try {
    sql = await writeSql(parts, query, snapshots)
  } catch (error) {
    release()
    throw error
  }
  const { timezone, parameters = [] } = query.kind === 'sql' ? query : { timezone: 'UTC' }
  return parts.duckdb.stream({ sql, timezone, parameters }, signal, release)
}

/** The query with everything it reads; only a condition makes it wait for a look into indexes. */
async function writeSql(
  { indexes, metrics }: ReadParts,
  query: SqlQuery | ScanQuery,
  snapshots: ReadonlyMap<number, Snapshot>
): Promise<string> {
  const choose = (table: Table, where: Condition | undefined) =>
    where === undefined ? everything : select(indexes, metrics.index.groups, snapshots.get(table.id)!, where)
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

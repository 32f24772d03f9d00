// Queries: which files and memtables they see, the SQL DuckDB gets, and keeping both alive until the last row is read.
import type { Table } from '../../../model/table.ts'
import type { Condition, Query, QueryResult, ScanQuery, SqlQuery } from '../../engine.ts'
import { hasSeries } from '../catalog/logical.ts'
import { requireTypes } from '../catalog/retyped.ts'
import { quoteName } from '../duckdb/index.ts'
import { seriesAsked } from './asked-series.ts'
import { follows, runFollow } from './follow.ts'
import { findNewest } from './newest-rows.ts'
import { pickColumns, relation, type Snapshot } from './relation.ts'
import { runSeries } from './run-series.ts'
import { everything, type Selection, select } from './select.ts'
import { pin, type ReadParts, readable, snapshotOf } from './snapshot.ts'
import { runStatement } from './statement.ts'
import { substitute } from './substitute.ts'
import { ticksOf } from './time.ts'

/** Starts a query over everything that was answered before the call. */
export async function runQuery(parts: ReadParts, query: Query, signal: AbortSignal): Promise<QueryResult> {
  for (const table of tablesOf(query)) requireTypes(table, parts.catalog.tableById(table.id))
  if (query.kind === 'series') return runSeries(parts, query, signal)
  if (query.kind === 'sql' && follows(query)) return runFollow(parts, query, signal)
  const tables = new Map(tablesOf(query).map(table => [table.id, table]))
  const now = Date.now()
  const fixed = Array.from(tables.values(), table => snapshotOf(parts, table, now))
  let release = pin(parts.pins, fixed)
  let started = false
  const start = (sql: string) => {
    started = true
    return query.kind === 'sql'
      ? runStatement(parts.sql, query, sql, signal, release)
      : parts.duckdb.stream({ sql }, signal, release)
  }
  try {
    for (const { view, table, files } of fixed) await parts.requireSound(view ?? table, files)
    const found = await readable(parts, fixed, release)
    release = found.release
    const snapshots = new Map(Array.from(tables.keys(), (id, i) => [id, found.snapshots[i]!]))
    return query.kind === 'sql'
      ? await runSql(parts, query, snapshots, start)
      : await start(await scanSql(parts, query, snapshots.get(query.table.id)!))
  } finally {
    // What has started lets everything go itself.
    if (!started) release()
  }
}

type Start = (sql: string) => Promise<QueryResult>

/** Starts the statement over what it reads of its tables; only a condition makes it wait for a look into indexes and memory. */
async function runSql(
  parts: ReadParts,
  query: SqlQuery,
  snapshots: ReadonlyMap<number, Snapshot>,
  start: Start
): Promise<QueryResult> {
  const rows: string[] = []
  for (const { table, where, columns } of query.relations) {
    const snapshot = snapshots.get(table.id)!
    const chosen = where === undefined ? everything : await chooseRows(parts, snapshot, where)
    const newest = where && (await findNewest(parts, snapshot, chosen, where))
    const selection = newest === undefined ? chosen : { ...chosen, newest }
    rows.push(relation(snapshot, selection, columns && pickColumns(snapshot, columns)))
  }
  return start(substitute(query.text, query.relations, (_, i) => rows[i]!))
}

/** More series are left to a join with their tags. */
const mostChosen = 10_000

async function chooseRows(parts: ReadParts, snapshot: Snapshot, where: Condition): Promise<Selection> {
  const { table, view } = snapshot
  const { labels } = parts.tables.take(table)
  const tsids = hasSeries(table) ? seriesAsked(labels, view ?? table, view?.id, where) : undefined
  const selection = await select(parts.indexes, parts.metrics.index.groups, snapshot, where)
  return tsids !== undefined && tsids.length <= mostChosen ? { ...selection, tsids } : selection
}

async function scanSql(parts: ReadParts, query: ScanQuery, snapshot: Snapshot): Promise<string> {
  const { from, to } = query
  const where: Condition = { kind: 'time', ...(from !== undefined && { from }), ...(to !== undefined && { to }) }
  return scan(query, relation(snapshot, await chooseRows(parts, snapshot, where)))
}

/** Every table a query names, as often as it does. */
function tablesOf(query: Query): readonly Table[] {
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

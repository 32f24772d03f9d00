// Queries: which files and memtables they see, the SQL DuckDB gets, and keeping both alive until the last row is read.
import { isDbError } from '../../../errors.ts'
import type { Table } from '../../../model/table.ts'
import type { Condition, Query, QueryResult, ScanQuery, SqlQuery } from '../../engine.ts'
import { hasSeries } from '../catalog/logical.ts'
import { requireTypes } from '../catalog/retyped.ts'
import { type Duckdb, type LightDuckdb, quoteName, type RowSource } from '../duckdb/index.ts'
import { seriesAsked } from './asked-series.ts'
import { type FoundRows, readFew } from './few-rows.ts'
import { follows, runFollow } from './follow.ts'
import { findNewest } from './newest-rows.ts'
import { type Pick, pickColumns, relation, type Snapshot } from './relation.ts'
import { runSeries } from './run-series.ts'
import { everything, type Selection, select } from './select.ts'
import { pin, type ReadParts, readable, snapshotOf } from './snapshot.ts'
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
  const { timezone, parameters = [] } = query.kind === 'sql' ? query : { timezone: 'UTC' }
  let started = false
  const start = (sql: string) => {
    started = true
    return parts.duckdb.stream({ sql, timezone, parameters }, signal, release)
  }
  try {
    for (const { view, table, files } of fixed) await parts.requireSound(view ?? table, files)
    const found = await readable(parts, fixed, release)
    release = found.release
    const snapshots = new Map(Array.from(tables.keys(), (id, i) => [id, found.snapshots[i]!]))
    return query.kind === 'sql'
      ? await runSql(parts, query, snapshots, start, signal)
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
  start: Start,
  signal: AbortSignal
): Promise<QueryResult> {
  const reads: RelationRead[] = []
  for (const { table, where, columns } of query.relations) {
    const snapshot = snapshots.get(table.id)!
    const pick = columns && pickColumns(snapshot, columns)
    const selection = where === undefined ? everything : await chooseRows(parts, snapshot, where)
    const read = pick ?? pickColumns(snapshot)
    const few = where && (await readFew(parts, snapshot, selection, where, read.columns))
    const newest = where && few === undefined ? await findNewest(parts, snapshot, selection, where) : undefined
    reads.push({ snapshot, selection: newest ? { ...selection, newest } : selection, pick, few })
  }
  const sources = reads.flatMap(({ few }) => few?.source ?? [])
  const sqlOver = (expressions: readonly string[]) => {
    let next = 0
    const rows = reads.map(({ snapshot, selection, pick, few }) =>
      relation(
        snapshot,
        few ? { ...selection, few: { files: few.files, rows: expressions[next++]! } } : selection,
        pick
      )
    )
    return substitute(query.text, query.relations, (_, i) => rows[i]!)
  }
  const made =
    query.bounded && reads[0]?.few?.complete
      ? await runLight(parts.duckdb.light, query, sources[0]!, sqlOver, signal)
      : undefined
  return made ?? withAll(parts.duckdb, sources, expressions => start(sqlOver(expressions)))
}

/** The result where all it is made of is in memory; undefined where it takes more room than there is for that. */
function runLight(
  light: LightDuckdb,
  { timezone, parameters = [] }: SqlQuery,
  source: RowSource,
  sqlOver: (expressions: readonly string[]) => string,
  signal: AbortSignal
): Promise<QueryResult | undefined> {
  return light
    .withRows(source, rows => light.whole({ sql: sqlOver([rows]), timezone, parameters }, signal, () => {}))
    .catch(error => {
      if (isDbError(error) && error.code === 'RuntimeResourcesExhausted') return undefined
      throw error
    })
}

interface RelationRead {
  readonly snapshot: Snapshot
  readonly selection: Selection
  readonly pick: Pick | undefined
  readonly few: FoundRows | undefined
}

/** Runs what reads several sources of rows; their names hold until it has started. */
function withAll<T>(
  duckdb: Duckdb,
  [source, ...others]: readonly RowSource[],
  work: (expressions: readonly string[]) => Promise<T>
): Promise<T> {
  if (source === undefined) return work([])
  return duckdb.withRows(source, rows => withAll(duckdb, others, more => work([rows, ...more])))
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

// Queries: which files and memtables they see, the SQL DuckDB gets, and keeping both alive until the last row is read.
import { eachConcurrent } from '../../../concurrent.ts'
import type { Table } from '../../../model/table.ts'
import { Pace, runPaced } from '../../../pace.ts'
import type { Condition, Query, QueryResult, Relation, ScanQuery, SqlQuery } from '../../engine.ts'
import type { DataFile } from '../catalog/catalog-rows.ts'
import { hasSeries } from '../catalog/logical.ts'
import { requireTypes } from '../catalog/retyped.ts'
import { quoteName } from '../duckdb/index.ts'
import { asksIndexes, type Pruned, pruneFile } from '../index/prune.ts'
import type { AskedRows, GroupSpan, Memtable } from '../memory/memtable.ts'
import type { SeriesTable } from '../memory/series-table.ts'
import type { ReadLimits } from '../read/limits.ts'
import { isFile, latestFiles, mayMeetTimes, type Plan, planLast, planRead } from '../read/plan.ts'
import { inAny, seriesAsked } from './asked-series.ts'
import { type Counted, countedColumn, countedRows } from './counted-rows.ts'
import { follows, runFollow } from './follow.ts'
import { type ColumnSelection, type HeldText, needsTags, pickColumns, type RowPlan, relation } from './relation.ts'
import { runSeries } from './run-series.ts'
import { readEnds } from './series-ends.ts'
import { counted, shown } from './shown.ts'
import { type Held, pin, type ReadDependencies, readable, type Snapshot, snapshotOf } from './snapshot.ts'
import { inBoth, type TimeRange } from './source.ts'
import { runStatement } from './statement.ts'
import { ticksOf } from './time.ts'

/** Starts a query over everything that was answered before the call. */
export async function runQuery(parts: ReadDependencies, query: Query, signal: AbortSignal): Promise<QueryResult> {
  for (const table of tablesOf(query)) requireTypes(table, parts.catalog.tableById(table.id))
  if (query.kind === 'series') return runSeries(parts, query, signal)
  if (query.kind === 'sql' && follows(query))
    return runFollow(parts, query, signal, () => runOnce(parts, query, signal))
  return runOnce(parts, query, signal)
}

/** The data it reads is fixed before the call returns. */
async function runOnce(
  parts: ReadDependencies,
  query: SqlQuery | ScanQuery,
  signal: AbortSignal
): Promise<QueryResult> {
  const tables = new Map(tablesOf(query).map(table => [table.id, table]))
  const now = Date.now()
  const pace = new Pace({ signal })
  const fixed = Array.from(tables.values(), table => snapshotOf(parts, table, now))
  /** By the id of the table that is asked for. */
  const keyed = (all: readonly Snapshot[]) => new Map(Array.from(tables.keys(), (id, i) => [id, all[i]!]))
  const held: Held[] = [pin(parts.pins, fixed)]
  const release = () => {
    for (const each of held) each.unpin()
  }
  let started = false
  try {
    for (const { view, table, files } of fixed) await parts.requireSound(view ?? table, files)
    const asked = query.kind === 'sql' ? rowsAsked(query.relations, keyed(fixed), parts.limits) : new Map()
    const snapshots = keyed(await readable(parts, fixed, asked, pace, held))
    const start =
      query.kind === 'sql'
        ? await prepareSql(parts, query, snapshots, pace, held)
        : await prepareScan(parts, query, snapshots.get(query.table.id)!, pace, held)
    started = true
    return await start(signal, release)
  } finally {
    // A query that has started releases everything itself.
    if (!started) release()
  }
}

type Start = (signal: AbortSignal, release: () => void) => Promise<QueryResult>

/** Prepares a statement over its tables, and returns a function that starts it. Waits for indexes only if a relation has a condition. */
async function prepareSql(
  parts: ReadDependencies,
  query: SqlQuery,
  snapshots: ReadonlyMap<number, Snapshot>,
  pace: Pace,
  held: Held[]
): Promise<Start> {
  const counts: (Counted | undefined)[] = []
  const planned: Planned[] = []
  for (const { table, where, columns } of query.relations) {
    const snapshot = snapshots.get(table.id)!
    const plan = { ...(await planRows(parts, snapshot, where, pace)), parameter: 1 + (query.parameters?.length ?? 0) }
    counts.push(columns && (await countedRows(parts, snapshot, plan, columns, query.timezone)))
    planned.push({ snapshot, plan, pick: columns && pickColumns(snapshot, columns) })
    if (pace.isDue) await pace.pause()
  }
  const rows = await relations(parts, planned, held)
  const plans = planned.map(({ plan }) => plan)
  return async (signal, release) => {
    const countsOf = (i: number) => counts[i]?.rows
    const { isCounted, ...result } = await runStatement(parts.sql, query, i => rows[i]!, signal, release, countsOf)
    const reading = plans.flatMap((plan, i) => {
      const { view, table } = snapshots.get(query.relations[i]!.table.id)!
      const { steps } = counted(parts, (isCounted && counts[i]?.plan) || plan)
      return shown(view ?? table, steps)
    })
    return { ...result, reading: () => reading }
  }
}

interface Planned {
  readonly snapshot: Snapshot
  readonly plan: RowPlan
  readonly pick?: ColumnSelection | undefined
}

/** The SQL of each: those that ask for tags of the same table share its series, all of them where one may ask for any. */
async function relations(
  { tables, limits }: ReadDependencies,
  planned: readonly Planned[],
  held: Held[]
): Promise<readonly string[]> {
  const tagged = new Set(planned.filter(({ snapshot, pick }) => needsTags(snapshot, pick)))
  const found = new Map<number, SeriesTable>()
  for (const [id, some] of Map.groupBy(tagged, ({ snapshot }) => snapshot.table.id)) {
    const { table, view } = some[0]!.snapshot
    const series = await tables.getOrCreate(view ?? table).seriesTables.sync(inAny(some.map(({ plan }) => plan.tsids)))
    held.push(series)
    found.set(id, series)
  }
  return planned.map(each => {
    const { snapshot, plan, pick } = each
    const series = tagged.has(each) ? found.get(snapshot.table.id) : undefined
    return relation(snapshot, { ...plan, series }, limits, pick)
  })
}

/** How rows that may meet a condition are read, with what the registry, the indexes and the ends of series tell of it. */
async function planRows(
  parts: ReadDependencies,
  snapshot: Snapshot,
  where: Condition | undefined,
  pace: Pace
): Promise<RowPlan> {
  const { limits } = parts
  if (where === undefined) return planRead(snapshot, {}, limits)
  const tsids = await seriesOf(parts, snapshot, where, pace)
  const asked = { where, pruned: await prune(parts, snapshot, where, pace) }
  const whole = planRead(snapshot, asked, limits)
  // Files of a physical table hold rows of other tables, too.
  const isOwn = snapshot.view === undefined && snapshot.logical === undefined
  const plan =
    where.kind === 'last' && isOwn
      ? planLast(snapshot, whole, where.rows, await groupsOf(parts, snapshot, whole), limits)
      : whole
  const files = asksLatest(where) ? latestFiles(snapshot, plan, limits) : undefined
  const ends = files && (await readEnds(parts, files, snapshot.table))
  return {
    ...(ends === undefined ? plan : planRead(snapshot, { ...asked, ends }, limits)),
    tsids,
    texts: textsIn(where),
    times: timesIn(where)
  }
}

/** The row groups of the files and memtables to scan; those with unknown groups have no entry. */
async function groupsOf(
  parts: ReadDependencies,
  snapshot: Snapshot,
  { steps }: Plan<Memtable>
): Promise<ReadonlyMap<DataFile | Memtable, readonly GroupSpan[]>> {
  const found = new Map<DataFile | Memtable, readonly GroupSpan[]>()
  for (const { part, path } of steps) {
    if (path !== 'scan') continue
    const groups = isFile(part) ? await groupsOfFile(parts, part) : groupsInMemory(snapshot, part)
    if (groups !== undefined) found.set(part, groups)
  }
  return found
}

/** As the index sidecar tells. */
async function groupsOfFile({ indexes }: ReadDependencies, file: DataFile): Promise<readonly GroupSpan[] | undefined> {
  const groups = await indexes.groups(file)
  return groups?.map(({ rows, from }) => ({ rows, from: BigInt(from) }))
}

/** Of the rows that the spool has: others may have come since. */
function groupsInMemory({ spooled }: Snapshot, memtable: Memtable): readonly GroupSpan[] | undefined {
  const groups: GroupSpan[] = []
  for (const { spans } of spooled.get(memtable) ?? []) {
    if (spans === undefined) return undefined
    for (const span of spans) groups.push(span)
  }
  return groups
}

function textsIn(where: Condition): readonly HeldText[] {
  if (where.kind === 'all') return where.of.flatMap(textsIn)
  return where.kind === 'contains' ? [where] : []
}

/** The times that all rows asked for have. */
function timesIn(where: Condition): TimeRange {
  if (where.kind === 'time') return where
  if (where.kind !== 'all') return {}
  return where.of.map(timesIn).reduce(inBoth, {})
}

function asksLatest(where: Condition): boolean {
  return where.kind === 'latest' || (where.kind === 'all' && where.of.some(asksLatest))
}

/** More series than a list should hold are left to a join with their tags. */
async function seriesOf(
  { tables, limits }: ReadDependencies,
  { table, view }: Snapshot,
  where: Condition,
  pace: Pace
): Promise<Uint32Array | undefined> {
  if (!hasSeries(table)) return undefined
  const data = tables.getOrCreate(table)
  await runPaced(pace, data.load())
  const tsids = await runPaced(pace, seriesAsked(data.labels, view ?? table, view?.id, where, limits.alternatives))
  return tsids !== undefined && tsids.length <= limits.numbers ? tsids : undefined
}

/** Which row groups of each file the indexes exclude; files of metric tables have no indexes. */
async function prune(
  { indexes, limits }: ReadDependencies,
  { table, view, files }: Snapshot,
  where: Condition,
  pace: Pace
): Promise<ReadonlyMap<string, Pruned>> {
  const pruned = new Map<string, Pruned>()
  if (view !== undefined || !asksIndexes(where) || limits.avoid.has('skip')) return pruned
  const asked = files.filter(file => mayMeetTimes(where, file))
  await eachConcurrent(asked, limits.indexes, async file => {
    pruned.set(file.path, await pruneFile(indexes, table, file, where))
    if (pace.isDue) await pace.pause()
  })
  return pruned
}

async function prepareScan(
  parts: ReadDependencies,
  query: ScanQuery,
  snapshot: Snapshot,
  pace: Pace,
  held: Held[]
): Promise<Start> {
  const { from, to } = query
  const where: Condition = { kind: 'time', ...(from !== undefined && { from }), ...(to !== undefined && { to }) }
  const plan = await planRows(parts, snapshot, where, pace)
  counted(parts, plan)
  const [rows] = await relations(parts, [{ snapshot, plan: { ...plan, parameter: 1 } }], held)
  const sql = scan(query, rows!)
  return (signal, release) => parts.duckdb.stream({ sql }, signal, release)
}

/** Every table a query names, as often as it does. */
function tablesOf(query: Query): readonly Table[] {
  return query.kind === 'sql' ? query.relations.map(({ table }) => table) : [query.table]
}

/** What a statement reads of the rows of each physical table, including columns whose values others took over. */
function rowsAsked(
  relations: readonly Relation[],
  snapshots: ReadonlyMap<number, Snapshot>,
  limits: ReadLimits
): ReadonlyMap<number, AskedRows> {
  const asked = new Map<number, { columns: Set<number> | undefined; counted: Set<number> }>()
  for (const { table, columns: names } of relations) {
    const snapshot = snapshots.get(table.id)!
    const { id, timeIndex } = snapshot.table
    const all = asked.get(id) ?? { columns: new Set([timeIndex.id]), counted: new Set() }
    asked.set(id, all)
    const columns = names && pickColumns(snapshot, names).columns
    for (const column of columns ?? []) for (const each of [column, ...(column.was ?? [])]) all.columns?.add(each.id)
    if (columns === undefined) all.columns = undefined
    const counted = names && countedColumn(snapshot, names, limits)
    if (counted !== undefined) all.counted.add(counted?.id ?? 0)
  }
  return asked
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

// Counts that a statement reads instead of rows if it only counts them, and the rows without counts.
import { join } from 'node:path'
import { eachConcurrent } from '../../../concurrent.ts'
import type { TableColumn } from '../../../model/table.ts'
import type { DataFile } from '../catalog/catalog-rows.ts'
import { hasSeries } from '../catalog/logical.ts'
import { duckdbType, parquetRows, quoteName, quoteText } from '../duckdb/index.ts'
import { countsPath } from '../index/count-file.ts'
import { isCountable } from '../index/index-spec.ts'
import type { Memtable, SpooledRows } from '../memory/memtable.ts'
import type { ReadLimits } from '../read/limits.ts'
import { isFile, type KnownCounts, planCounts } from '../read/plan.ts'
import type { CountedRows } from '../sql/frames.ts'
import { pickColumns, type RowPlan, relation } from './relation.ts'
import type { ReadDependencies, Snapshot } from './snapshot.ts'

/** The source of a statement that only counts. */
export interface Counted {
  readonly rows: CountedRows
  readonly plan: RowPlan
}

/** The column by whose values a statement may count rows that can mean no others than `names`, null for all rows; undefined where it may not. */
export function countedColumn(
  { table }: Snapshot,
  names: readonly string[],
  { avoid }: ReadLimits
): TableColumn | null | undefined {
  if (hasSeries(table) || avoid.has('counts')) return undefined
  const [column, ...more] = table.columns.filter(({ name, id }) => names.includes(name) && id !== table.timeIndex.id)
  return more.length > 0 || (column && !isPlain(column)) ? undefined : (column ?? null)
}

/** `names`: the only columns the statement can mean; undefined where their counts are not known. */
export async function countedRows(
  { indexes, limits }: ReadDependencies,
  snapshot: Snapshot,
  plan: RowPlan,
  names: readonly string[],
  timezone: string
): Promise<Counted | undefined> {
  const { table, files, spooled, dataDir } = snapshot
  const column = countedColumn(snapshot, names, limits)
  if (column === undefined) return undefined
  const id = column?.id ?? 0
  const isCounted = ({ counts }: SpooledRows) => counts.get(id) !== undefined
  const known = new Map<DataFile | Memtable, KnownCounts>()
  await eachConcurrent(files, limits.indexes, async file => {
    const found = (await indexes.counts(file))?.columns.find(each => each.column === id)
    if (found !== undefined) known.set(file, found)
  })
  for (const [memtable, rows] of spooled) {
    const found = rows.flatMap(({ counts }) => counts.get(id) ?? [])
    if (found.length > 0) known.set(memtable, together(found))
  }
  const counted = planCounts(snapshot, { ...plan, versions: false }, known, limits)
  if (counted === undefined) return undefined
  const counting = counted.steps.filter(({ path }) => path === 'counts')
  const inCells = new Set(counting.map(({ part }) => part))
  const paths = [...inCells].flatMap(part =>
    isFile(part)
      ? [join(dataDir, countsPath(part.path))]
      : spooled.get(part)!.flatMap(({ counts }) => counts.get(id)?.file.path ?? [])
  )
  // Of a memtable some copies may be too small to be counted.
  const copiesOf = (choose: (rows: readonly SpooledRows[], memtable: Memtable) => readonly SpooledRows[]) => ({
    ...snapshot,
    spooled: new Map(Array.from(spooled, ([memtable, rows]) => [memtable, choose(rows, memtable)]))
  })
  const withCells = copiesOf(rows => rows.filter(isCounted))
  const others = copiesOf((rows, memtable) => (inCells.has(memtable) ? rows.filter(each => !isCounted(each)) : rows))
  const edges = counting.map(step => ({ ...step, path: 'scan' as const }))
  const rest = [
    ...counted.steps.filter(({ path }) => path !== 'counts' && path !== 'skip'),
    ...edges.filter(({ part }) => !isFile(part) && others.spooled.get(part)!.length > 0)
  ]
  const pick = pickColumns(snapshot, [table.timeIndex.name, ...(column ? [column.name] : [])])
  const withFileTime = { ...pick, names: `${pick.names}, __file_time`, hasFileTime: true } as const
  const { tsids, times, parameter } = plan
  const values = pick.columns.map(each => `${cellOf(each, table.timeIndex)} AS ${quoteName(each.physical)}`)
  const cells = parquetRows(paths.map(quoteText), parameter)
  const shared = { tsids, times, ...(parameter !== undefined && { parameter }) }
  return {
    plan: { ...counted, tsids },
    rows: {
      cells: `SELECT ${values.join(', ')}, m."rows" AS __rows FROM ${cells} m WHERE m."of" = ${id}`,
      edges: relation(withCells, { steps: edges, ...shared }, limits, withFileTime),
      ...(rest.length > 0 && { rest: relation(others, { steps: rest, ...shared }, limits, pick) }),
      fileTimeType: table.timeIndex.type === 'TimestampNanosecond' ? 'TIMESTAMP_NS' : 'TIMESTAMP',
      time: table.timeIndex.physical,
      width: together(Array.from(inCells, part => known.get(part)!)).width,
      isUtc: timezone === 'UTC'
    }
  }
}

function together(counts: readonly KnownCounts[]): KnownCounts {
  return {
    width: Math.max(...counts.map(({ width }) => width)),
    cells: counts.reduce((sum, { cells }) => sum + cells, 0)
  }
}

/** Files hold its values as they are. */
function isPlain({ type, was, initial, semantic }: TableColumn): boolean {
  return semantic === 'field' && was === undefined && initial === undefined && isCountable(type)
}

function cellOf(column: TableColumn, time: TableColumn): string {
  if (column.id === time.id) return `m.start::${duckdbType(column.type)}`
  return column.type === 'String' ? 'm."text"' : `m."number"::${duckdbType(column.type)}`
}

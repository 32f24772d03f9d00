// Stored counts that a statement reads instead of rows if it only counts them, and the rows of files without counts.
import { join } from 'node:path'
import { eachConcurrent } from '../../../concurrent.ts'
import type { TableColumn } from '../../../model/table.ts'
import { hasSeries } from '../catalog/logical.ts'
import { duckdbType, parquetRows, quoteName, quoteText } from '../duckdb/index.ts'
import { countsPath } from '../index/count-file.ts'
import { isCountable } from '../index/index-spec.ts'
import { isFile, type KnownCounts, planCounts } from '../read/plan.ts'
import type { CountedRows } from '../sql/frames.ts'
import { pickColumns, type RowPlan, relation } from './relation.ts'
import type { ReadDependencies, Snapshot } from './snapshot.ts'

/** The source of a statement that only counts. */
export interface Counted {
  readonly rows: CountedRows
  readonly plan: RowPlan
}

/** `names`: the only columns the statement can mean; undefined where their counts are not known. */
export async function countedRows(
  { indexes, limits }: ReadDependencies,
  snapshot: Snapshot,
  plan: RowPlan,
  names: readonly string[],
  timezone: string
): Promise<Counted | undefined> {
  const { table, files, dataDir } = snapshot
  const [column, ...others] = table.columns.filter(({ name, id }) => names.includes(name) && id !== table.timeIndex.id)
  if (hasSeries(table) || others.length > 0 || (column && !isPlain(column)) || limits.avoid.has('counts'))
    return undefined
  const known = new Map<string, KnownCounts>()
  await eachConcurrent(files, limits.indexes, async file => {
    const counts = await indexes.counts(file)
    const found = counts?.columns.find(each => each.column === (column?.id ?? 0))
    if (found !== undefined) known.set(file.path, found)
  })
  const counted = planCounts(snapshot, { ...plan, versions: false }, known, limits)
  if (counted === undefined) return undefined
  const inCells = counted.steps.filter(({ path }) => path === 'counts')
  const paths = inCells.flatMap(({ part }) => (isFile(part) ? [part.path] : []))
  const pick = pickColumns(snapshot, [table.timeIndex.name, ...(column ? [column.name] : [])])
  const withFileTime = { ...pick, names: `${pick.names}, __file_time`, hasFileTime: true } as const
  const { tsids, times, parameter } = plan
  const edges = inCells.map(step => ({ ...step, path: 'scan' as const }))
  const rest = counted.steps.filter(({ path }) => path !== 'counts' && path !== 'skip')
  const values = pick.columns.map(each => `${cellOf(each, table.timeIndex)} AS ${quoteName(each.physical)}`)
  const cells = parquetRows(
    paths.map(path => quoteText(join(dataDir, countsPath(path)))),
    parameter
  )
  const shared = { tsids, times, ...(parameter !== undefined && { parameter }) }
  return {
    plan: { ...counted, tsids },
    rows: {
      cells: `SELECT ${values.join(', ')}, m."rows" AS __rows FROM ${cells} m WHERE m."of" = ${column?.id ?? 0}`,
      edges: relation(snapshot, { steps: edges, ...shared }, limits, withFileTime),
      ...(rest.length > 0 && { rest: relation(snapshot, { steps: rest, ...shared }, limits, pick) }),
      fileTimeType: table.timeIndex.type === 'TimestampNanosecond' ? 'TIMESTAMP_NS' : 'TIMESTAMP',
      time: table.timeIndex.physical,
      width: Math.max(...paths.map(path => known.get(path)!.width)),
      isUtc: timezone === 'UTC'
    }
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

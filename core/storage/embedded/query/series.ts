// Series queries: which series are wanted is told by the registry alone, then their samples are read as numbers.
import type { Table, TableColumn } from '../../../model/table.ts'
import type { Condition, SeriesQuery } from '../../engine.ts'
import { hasSeries } from '../catalog/logical.ts'
import { quoteName } from '../duckdb/index.ts'
import type { ReadLimits } from '../read/limits.ts'
import { type RowPlan, relation } from './relation.ts'
import type { Snapshot } from './snapshot.ts'
import { chosenSeries, missing } from './source.ts'
import { ticksOf } from './time.ts'

/** The statement for some series; their numbers ascend. */
export function seriesSql(
  query: SeriesQuery,
  snapshot: Snapshot,
  plan: RowPlan & { readonly tsids: Uint32Array },
  limits: ReadLimits
): string {
  const { table } = query
  const columnOf = columnsOf(table, snapshot.table)
  const time = quoteName(columnOf(table.timeIndex.name).physical)
  const values = query.values.map(name => columnOf(name))
  const columns = [columnOf(table.timeIndex.name), ...values]
  // Rows of a table without tags are one series.
  const series = hasSeries(snapshot.table) ? '__tsid' : '0::UINTEGER AS __tsid'
  const names = [series, ...columns.map(({ physical }) => quoteName(physical))].join(', ')
  const empty = `SELECT 0::UINTEGER AS __tsid, ${columns.map(missing).join(', ')} WHERE false`
  const rows = relation(snapshot, plan, limits, { columns, names, empty })
  const ticks = ticksOf(table.timeIndex, time)
  const where = [
    chosenSeries(plan.tsids, '', limits),
    ...(query.from === undefined ? [] : [`${ticks} >= ${query.from}`]),
    ...(query.to === undefined ? [] : [`${ticks} < ${query.to}`])
  ].join(' AND ')
  if (query.distinct) return `SELECT DISTINCT __tsid AS series FROM (${rows}) WHERE ${where}`
  const selected = values.map(({ physical, type }, i) => {
    const read = type === 'Float64' || type === 'String' || type === 'Json' ? '' : '::DOUBLE'
    return `${quoteName(physical)}${read} AS ${quoteName(query.values[i]!)}`
  })
  const something = values.map(({ physical }) => `${quoteName(physical)} IS NOT NULL`).join(' OR ')
  return `SELECT __tsid AS series, (${ticks})::DOUBLE AS time, ${selected.join(', ')} FROM (${rows}) WHERE ${where} AND (${something})`
}

/** Columns of the rows as they are stored, by the names of the table that is asked for. */
export function columnsOf(table: Table, host: Table) {
  return (name: string): TableColumn => {
    const column = table.columns.find(each => each.name === name)!
    return column.stored === undefined ? column : host.columns.find(({ id }) => id === column.stored)!
  }
}

/** Times that rule out files. */
export function timesOf({ from, to }: SeriesQuery): Condition {
  return { kind: 'time', ...(from !== undefined && { from }), ...(to !== undefined && { to }) }
}

// SQL for the visible rows of a table.
import type { Table, TableColumn } from '../../model/table.ts'
import { isBytesType, isTimestamp } from '../../model/types.ts'
import { isLogical, isPhysical } from '../logical.ts'
import type { ClusterCatalog, LogicalColumn } from './catalog.ts'
import { besideName, deletedColumn, type Location, tableName, versionColumn } from './definition.ts'
import { bareType, quoteName, quoteText, timeLiteral } from './names.ts'

export interface RowRange {
  /** In the time index's unit, the end exclusive. */
  readonly from?: bigint | undefined
  readonly to?: bigint | undefined
}

/** How a statement reads a table. */
interface Source {
  readonly catalog: ClusterCatalog
  readonly location: Location
}

/** Which versions of rows are read, and whether version numbers are included. */
type Versions =
  /** The latest version of each row. */
  | 'latest'
  /** Like `latest`, with version numbers. */
  | 'numbered'
  /** All versions that were put, with version numbers. */
  | 'puts'
  /** Like `puts`, and the markers of deletes, which only have tags and time. */
  | 'all'

interface Shown {
  readonly versions?: Versions
  /** Time zone for reading and writing times, if it is not UTC. */
  readonly zone?: string | undefined
}

/** `(SELECT …)`: the rows of a table, with its columns under their physical names. */
export function relation(source: Source, table: Table, range: RowRange = {}, shown: Shown = {}): string {
  const { versions = 'latest', zone } = shown
  if (isLogical(table)) return logicalRelation(source, table, range, versions, zone)
  const { location } = source
  const { timeIndex } = table
  const time = isPhysical(table) ? 'time' : timeIndex.physical
  const columns = isPhysical(table)
    ? [`${inZone(timeIndex, quoteName('time'), zone)} AS ${quoteName(timeIndex.physical)}`]
    : table.columns.map(column => {
        const name = quoteName(column.physical)
        const value = inZone(column, name, zone)
        return value === name ? name : `${value} AS ${name}`
      })
  const from = `${tableName(location, table.database, table.name)}${finalOf(table, versions)}`
  const conditions = timeConditions(source, table, range, quoteName(time))
  const hidden = versions === 'latest' ? [] : [quoteName(versionColumn)]
  const puts = versions === 'puts' && !table.options.append_mode ? [`${quoteName(deletedColumn)} = 0`] : []
  return `(SELECT ${[...columns, ...hidden].join(', ')} FROM ${from}${where([...conditions, ...puts])})`
}

/** A time expression in a zone; others unchanged. */
function inZone({ type }: Pick<TableColumn, 'type'>, value: string, zone: string | undefined): string {
  return zone === undefined || !isTimestamp(type) ? value : `toTimeZone(${value}, ${quoteText(zone)})`
}

/** `FINAL`, unless the table is in append mode or all versions are wanted. */
function finalOf({ options }: Table, versions: Versions): string {
  return options.append_mode || versions === 'puts' || versions === 'all' ? '' : ' FINAL'
}

function where(conditions: readonly string[]): string {
  return conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`
}

/** Conditions for a range of time, and for rows that have not expired. */
export function timeConditions({ catalog }: Source, table: Table, { from, to }: RowRange, time: string): string[] {
  const { type } = table.timeIndex
  const kept = catalog.keptFor(table)
  const perSecond = {
    TimestampSecond: 1n,
    TimestampMillisecond: 1_000n,
    TimestampMicrosecond: 1_000_000n,
    TimestampNanosecond: 1_000_000_000n
  }[type as 'TimestampSecond']
  const oldest = kept === undefined ? undefined : (BigInt(Date.now() - kept) * perSecond) / 1000n
  const start = from === undefined ? oldest : oldest === undefined || from > oldest ? from : oldest
  return [
    ...(start === undefined ? [] : [`${time} >= ${timeLiteral(type, start)}`]),
    ...(to === undefined ? [] : [`${time} < ${timeLiteral(type, to)}`])
  ]
}

function logicalRelation(
  source: Source,
  table: Table,
  range: RowRange,
  versions: Versions,
  zone: string | undefined
): string {
  const { catalog, location } = source
  const physicalTable = catalog.physicalTableOf(table)
  const samples = tableName(location, physicalTable.database, physicalTable.name)
  const series = besideName(location, physicalTable.database, physicalTable.name, 'series')
  const columns = table.columns.map(column => {
    const alias = ` AS ${quoteName(column.physical)}`
    if (column.semantic === 'timestamp') return `${inZone(column, 's.`time`', zone)}${alias}`
    if (column.semantic === 'field')
      return `${inZone(column, `s.${quoteName((column as LogicalColumn).sample!)}`, zone)}${alias}`
    return `${tagOf(column)}${alias}`
  })
  const hidden = versions === 'latest' ? [] : [`s.${quoteName(versionColumn)} AS ${quoteName(versionColumn)}`]
  const puts = versions === 'puts' && !physicalTable.options.append_mode ? [`${quoteName(deletedColumn)} = 0`] : []
  const rows = `SELECT * FROM ${samples}${finalOf(physicalTable, versions)}${where([`\`table\` = ${table.id}`, ...timeConditions(source, table, range, '`time`'), ...puts])}`
  if (table.tags.length === 0) return `(SELECT ${[...columns, ...hidden].join(', ')} FROM (${rows}) AS s)`
  const labels = `SELECT \`tsid\`, any(\`labels\`) AS \`labels\` FROM ${series} WHERE \`table\` = ${table.id} GROUP BY \`tsid\``
  return `(SELECT ${[...columns, ...hidden].join(', ')} FROM (${rows}) AS s ANY LEFT JOIN (${labels}) AS l ON s.\`tsid\` = l.\`tsid\`)`
}

/** A label of a series, cast to the tag's type. */
function tagOf({ name, type }: { readonly name: string; readonly type: Table['timeIndex']['type'] }): string {
  const label = `l.\`labels\`[${quoteText(name)}]`
  const there = `mapContains(l.\`labels\`, ${quoteText(name)})`
  if (isBytesType(type)) return `if(${there}, ${label}, NULL)`
  return `accurateCastOrNull(if(${there}, ${label}, NULL), ${quoteText(bareType(type))})`
}

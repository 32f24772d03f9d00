// Rows of files and memtables as SQL: the hidden columns first, then the table's columns under their physical names.
import { join } from 'node:path'
import type { FormerColumn, Table, TableColumn } from '../../../model/table.ts'
import { type ColumnType, isTimestamp, type TimestampType } from '../../../model/types.ts'
import { isPhysical, mergesFields } from '../../logical.ts'
import type { DataFile } from '../catalog/catalog-rows.ts'
import {
  fileColumns,
  hasSeries,
  isNumbered,
  isTagged,
  numberColumn,
  orderColumn,
  storedColumns,
  tableColumn
} from '../catalog/logical.ts'
import { duckdbType, initialValue, parquetRows, quoteName, quoteText } from '../duckdb/index.ts'
import { groupColumn } from '../index/group-column.ts'
import type { Groups } from '../index/prune.ts'
import { type HiddenColumn, hiddenColumns, type SpooledRows } from '../memory/memtable.ts'
import { type ReadLimits, usualLimits } from '../read/limits.ts'
import { noTags } from '../series/series.ts'

/** In the time index's unit; the end is exclusive. */
export interface TimeRange {
  readonly from?: bigint | undefined
  readonly to?: bigint | undefined
}

/** The times that are in both. */
export function inBoth(a: TimeRange, b: TimeRange): TimeRange {
  return {
    from: a.from === undefined || (b.from !== undefined && b.from > a.from) ? b.from : a.from,
    to: a.to === undefined || (b.to !== undefined && b.to < a.to) ? b.to : a.to
  }
}

export interface SourceOptions {
  /** Which columns besides the hidden ones; default all. */
  readonly columns?: readonly TableColumn[]
  /** Rows outside of it are left out. */
  readonly times?: TimeRange
  /** Logical tables whose rows are wanted; default all. */
  readonly only?: readonly number[] | undefined
  /** The only series that count, ascending; default all. */
  readonly tsids?: Uint32Array | undefined
  /** Row groups of a file to read; default all. */
  readonly groups?: (file: DataFile) => Groups
  /** Also the time index as files store it, as `__file_time`. */
  readonly hasFileTime?: true | undefined
  /** Of the statement: see `parquetRows`. */
  readonly parameter?: number | undefined
  readonly limits?: ReadLimits
}

/** One `SELECT …` per set of files with the same columns; missing columns are null. Tags are left out: they are in the series. */
export function fileRows(
  table: Table,
  files: readonly DataFile[],
  dataDir: string,
  {
    columns: wanted = fileColumns(table),
    times,
    only,
    tsids,
    groups = () => undefined,
    limits,
    hasFileTime,
    parameter
  }: SourceOptions = {}
): string[] {
  const alike = [...Map.groupBy(files, file => file.columns.join()).values()]
  return alike
    .flatMap(files => readTogether(files, groups, limits))
    .map(({ files: group, groups: numbers }) => {
      const held = new Set(group[0]!.columns)
      const tagged = isTagged(table, group[0]!)
      const hidden = hiddenColumns(table).map(column => {
        if (column[0] === '__tsid') return tagged ? 'm.__tsid' : nothing(column)
        return holdsOrder(group[0]!) ? `m.${column[0]}` : newerThan(column, group)
      })
      const columns = wanted.map(column => cellOf(table, column, held, 'm.', typed))
      if (hasFileTime) columns.push(storedTime(table))
      const paths = group.map(file => quoteText(join(dataDir, file.path)))
      const where = conditions([
        inGroups(numbers),
        ...within(table, cutTo(group, times)),
        only !== undefined && ofTables('m.', only),
        tagged && tsids !== undefined && chosenSeries(tsids, 'm.', limits)
      ])
      return `SELECT ${[...hidden, ...columns].join(', ')} FROM ${parquetRows(paths, parameter)} m${where}`
    })
}

function storedTime({ timeIndex }: Table): string {
  return `m.${quoteName(timeIndex.physical)} AS __file_time`
}

/** Whether a file says of each row when it was written; those of format 1 do. */
function holdsOrder(file: DataFile): boolean {
  return !isNumbered(file) || file.columns.includes(orderColumn)
}

/** Rows of a file without an order of its own are as new as the file, and none is a delete. */
function newerThan([name, type]: HiddenColumn, files: readonly DataFile[]): string {
  if (name === '__op') return `0::${duckdbType(type)} AS __op`
  const seqs = files.map(({ maxSeq }) => maxSeq)
  const value = seqs.length === 1 ? `${seqs[0]}` : `([${seqs.join(', ')}])[m.file_index::BIGINT + 1]`
  return `${value}::${duckdbType(type)} AS ${name}`
}

interface FilesRead {
  readonly files: readonly DataFile[]
  /** Row groups to read of each. */
  readonly groups: Groups
}

/** Row groups that take as long to read as a scan more takes to plan, about. */
const groupsPerScan = 4

/** Files read whole in one, those of which a part is needed a few at a time, those nothing is needed of left out. */
function readTogether(
  files: readonly DataFile[],
  groups: (file: DataFile) => Groups,
  { scans } = usualLimits
): FilesRead[] {
  const reads = files.map(file => ({ file, groups: groups(file) }))
  const whole = reads.filter(read => read.groups === undefined).map(({ file }) => file)
  const partial = reads.flatMap(({ file, groups }) => (groups && groups.length > 0 ? [{ file, groups }] : []))
  return [...(whole.length > 0 ? [{ files: whole, groups: undefined }] : []), ...shareScans(partial, scans)]
}

interface PartRead {
  readonly file: DataFile
  readonly groups: readonly number[]
}

/** Files of a scan are all read at the groups of each of them: few scans where that is little more than what is needed. */
function shareScans(parts: readonly PartRead[], scans: number): FilesRead[] {
  const max = Math.min(scans, parts.length)
  const needed = parts.reduce((sum, { groups }) => sum + groups.length, 0)
  // With many groups, sharing seldom pays and takes long to find out.
  const min = needed > groupsPerScan * scans ? max : 1
  for (let count = min; count < max; count++) {
    const shared = shareAmong(parts, count)
    const read = shared.reduce((sum, { files, groups }) => sum + files.length * groups!.length, 0)
    if (read - needed <= groupsPerScan * (max - count)) return shared
  }
  return shareAmong(parts, max)
}

function shareAmong(parts: readonly PartRead[], count: number): FilesRead[] {
  return Array.from({ length: count }, (_, i) => {
    const some = parts.filter((_, at) => at % count === i)
    return { files: some.map(({ file }) => file), groups: [...new Set(some.flatMap(({ groups }) => groups))] }
  })
}

function inGroups(groups: Groups): string | false {
  return groups !== undefined && `m.${groupColumn} IN (${groups.join(', ')})`
}

/** One `SELECT …` per set of spool files with the same columns; missing columns are null. */
export function spooledRows(
  table: Table,
  spooled: readonly SpooledRows[],
  {
    columns: wanted = storedColumns(table),
    times = {},
    only,
    tsids,
    limits,
    parameter,
    hasFileTime
  }: SourceOptions = {}
): string[] {
  const layoutOf = ({ hidden, columns }: SpooledRows) => [
    ...hidden.map(([name]) => name),
    ...columns.map(({ id }) => id)
  ]
  return [...Map.groupBy(spooled, rows => layoutOf(rows).join()).values()].map(alike => {
    const held = new Set(alike[0]!.columns.map(({ id }) => id))
    const present = new Set(alike[0]!.hidden.map(([name]) => name))
    const hidden = hiddenColumns(table).map(column => (present.has(column[0]) ? `m.${column[0]}` : nothing(column)))
    const columns = wanted.map(column => cellOf(table, column, held, 'm.', typed))
    if (hasFileTime) columns.push(storedTime(table))
    const where = conditions([
      ...within(table, times),
      only !== undefined && ofTables('m.', only),
      present.has('__tsid') && tsids !== undefined && chosenSeries(tsids, 'm.', limits)
    ])
    const paths = alike.map(({ file }) => quoteText(file.path))
    return `SELECT ${[...hidden, ...columns].join(', ')} FROM ${parquetRows(paths, parameter)} m${where}`
  })
}

/** The rows of a data file and what they consist of, as the catalog keeps it. */
interface FileRows {
  readonly sql: string
  readonly columns: readonly number[]
}

/**
 * The columns of rows that a file stores, sorted by series and time, or by time for tables without series.
 * `versions`: their order is written, too, for there may be several of a row, or deletes.
 */
export function sortedRows(
  table: Table,
  rows: string,
  { versions, only }: { readonly versions: boolean; readonly only?: readonly number[] | undefined }
): FileRows {
  const order = table.options.append_mode ? [] : ['__seq', '__op']
  const time = quoteName(table.timeIndex.physical)
  const columns = fileColumns(table)
  const names = columns.map(column => quoteName(column.physical))
  const ids = columns.map(({ id }) => id)
  if (!hasSeries(table)) {
    const sort = [time, ...order.slice(0, 1)].join(', ')
    const sql = `SELECT ${[...order, ...names].join(', ')} FROM (${rows}) ORDER BY ${sort}`
    return { sql, columns: order.length > 0 ? [orderColumn, ...ids] : ids }
  }
  const kept = versions ? order : []
  const sort = [...(isPhysical(table) ? [tableColumn.physical] : []), '__tsid', time, ...kept.slice(0, 1)]
  return {
    sql: `SELECT ${['__tsid', ...kept, ...names].join(', ')} FROM (${rows})${conditions([only !== undefined && ofTables('', only)])} ORDER BY ${sort.join(', ')}`,
    columns: [numberColumn, ...(kept.length > 0 ? [orderColumn] : []), ...ids]
  }
}

/** A column without a value in any row. */
export function missing(column: TableColumn): string {
  return `NULL::${duckdbType(column.type)} AS ${quoteName(column.physical)}`
}

/** A column's value in rows that hold it, hold what it was before its type changed, or know nothing of it. */
function cellOf(
  table: Table,
  column: TableColumn,
  held: ReadonlySet<number>,
  prefix: string,
  plain: (column: TableColumn) => string
): string {
  const former = (column.was ?? []).filter(({ id }) => held.has(id))
  const own = held.has(column.id)
  if (former.length === 0) return own ? plain(column) : initially(table, column)
  const all = [
    ...(own ? [`${prefix}${quoteName(column.physical)}`] : []),
    ...former.map(each => takenOver(column, each, `${prefix}${quoteName(each.physical)}`))
  ]
  return `${all.length === 1 ? all[0] : `coalesce(${all.join(', ')})`} AS ${quoteName(column.physical)}`
}

/**
 * A value of a column's former self, converted by every change of its type since then, one after the other: files that were written in
 * between hold what that gives.
 */
function takenOver({ type, was = [] }: TableColumn, former: FormerColumn, value: string): string {
  const steps = was.slice(0, was.indexOf(former) + 1).toReversed()
  return steps.reduce((value, each, i) => {
    const to = steps[i + 1]?.type ?? type
    if (each.kept && to === 'Json') return jsonOf(value, each.type)
    return each.type === 'String' && isTimestamp(to) ? timeOf(value, to) : `try_cast(${value} AS ${duckdbType(to)})`
  }, value)
}

/** Text as a time: without an offset it is in UTC, whatever the zone of the session; DuckDB would ignore an offset but for nanoseconds. */
function timeOf(value: string, to: ColumnType): string {
  if (to === 'TimestampNanosecond') return `try_cast(${value} AS TIMESTAMP_NS)`
  const zoned = `regexp_matches(${value}, ':\\d\\d.*([zZ]|[+-]\\d\\d(:?\\d\\d)?)\\s*$')`
  const time = `CASE WHEN ${zoned} THEN timezone('UTC', try_cast(${value} AS TIMESTAMPTZ)) ELSE try_cast(${value} AS TIMESTAMP) END`
  return `try_cast(${time} AS ${duckdbType(to)})`
}

/** A value as the JSON it is: bytes are base64, floats JSON has no word for are texts. */
function jsonOf(value: string, type: ColumnType): string {
  if (type === 'Json') return value
  if (type === 'Binary') return `to_json(base64(${value}))`
  const float = type === 'Float32' || type === 'Float64'
  return float ? `if(isfinite(${value}), to_json(${value}), to_json(${value}::VARCHAR))` : `to_json(${value})`
}

/** In a table that merges fields a value that nobody gave must not win over one that was given: there it is filled in at the end. */
function initially(table: Table, column: TableColumn): string {
  return mergesFields(table) ? missing(column) : initial(column)
}

/** The value of a column in rows that are older than it. */
function initial(column: TableColumn): string {
  if (column.initial === undefined) return missing(column)
  return `${initialCell(column, column.initial)} AS ${quoteName(column.physical)}`
}

/** The initial value was meant for the type the column had first. */
function initialCell(column: TableColumn, text: string): string {
  const first = column.was?.at(-1)
  return first === undefined
    ? initialValue(text, column.type)
    : takenOver(column, first, initialValue(text, first.type))
}

/** The columns of rows whose versions are merged, under their physical names. */
export function finished(table: Table): string {
  const columns = table.columns.map(column => {
    const name = quoteName(column.physical)
    if (!mergesFields(table) || column.initial === undefined) return name
    return `coalesce(${name}, ${initialCell(column, column.initial)}) AS ${name}`
  })
  return columns.join(', ')
}

function nothing([name, type]: HiddenColumn): string {
  return `${name === '__tsid' ? noTags : 'NULL'}::${duckdbType(type)} AS ${name}`
}

/** Parquet knows no seconds, and DuckDB reads milliseconds as microseconds. */
function typed(column: TableColumn): string {
  const name = quoteName(column.physical)
  const widened = column.type === 'TimestampSecond' || column.type === 'TimestampMillisecond'
  return widened ? `m.${name}::${duckdbType(column.type)} AS ${name}` : `m.${name}`
}

function conditions(all: readonly (string | false)[]): string {
  const met = all.filter(condition => condition !== false)
  return met.length === 0 ? '' : ` WHERE ${met.join(' AND ')}`
}

/** Rows of some logical tables of a physical one. */
function ofTables(prefix: string, only: readonly number[]): string {
  return only.length === 0 ? 'false' : `${prefix}${tableColumn.physical} IN (${only.join(', ')})`
}

/** As much of the range as not all rows of the files are in. */
function cutTo(files: readonly DataFile[], { from, to }: TimeRange = {}): TimeRange {
  return {
    from: from !== undefined && files.some(({ minTime }) => minTime < from) ? from : undefined,
    to: to !== undefined && files.some(({ maxTime }) => maxTime >= to) ? to : undefined
  }
}

/** Conditions on the time as files hold it, which DuckDB knows the bounds of in each row group. */
function within({ timeIndex }: Table, { from, to }: TimeRange): (string | false)[] {
  const column = `m.${quoteName(timeIndex.physical)}`
  const [first, end] = [from, to].map(bound => bound !== undefined && fileTime(timeIndex, bound))
  return [first ? `${column} >= ${first}` : false, end ? `${column} < ${end}` : false]
}

/** The most microseconds, and nanoseconds, that are a time for DuckDB; as many before 1970 as after. */
const maxTicks = 2n ** 63n - 2n

const ticks = {
  TimestampSecond: [1_000_000n, 'make_timestamp'],
  TimestampMillisecond: [1000n, 'make_timestamp'],
  TimestampMicrosecond: [1n, 'make_timestamp'],
  TimestampNanosecond: [1n, 'make_timestamp_ns']
} as const

/** A point in the unit of the time index, as files have it; undefined where they cannot. */
function fileTime({ type }: TableColumn, time: bigint): string | undefined {
  const [perUnit, make] = ticks[type as TimestampType]
  const count = time * perUnit
  return count <= maxTicks && count >= -maxTicks ? `${make}(${count})` : undefined
}

/**
 * Rows of series with these numbers, which ascend: a list, by which DuckDB skips the row groups that hold none of it, or comparisons for few
 * long runs of adjacent numbers.
 */
export function chosenSeries(tsids: Uint32Array, prefix = '', { runNumbers } = usualLimits): string {
  const column = `${prefix}__tsid`
  const runs = runsOf(tsids)
  if (runs.length === 0) return 'false'
  if (runs.length > 1 && tsids.length < runNumbers * runs.length) return `${column} IN (${tsids.join(', ')})`
  const compared = runs.map(([first, last]) =>
    first === last ? `${column} = ${first}` : `${column} BETWEEN ${first} AND ${last}`
  )
  return compared.length === 1 ? compared[0]! : `(${compared.join(' OR ')})`
}

/** Runs of adjacent numbers, which ascend. */
function runsOf(numbers: Uint32Array): readonly (readonly [first: number, last: number])[] {
  const runs: [first: number, last: number][] = []
  for (const number of numbers) {
    const run = runs.at(-1)
    if (run?.[1] === number - 1) run[1] = number
    else runs.push([number, number])
  }
  return runs
}

// From a checked write to a part of a log record, and from a record found in the log back to rows in memory.
import { DbError, isDbError } from '../../errors.ts'
import type { TableColumn } from '../../model/table.ts'
import type { ColumnType } from '../../model/types.ts'
import type { ResolvedSeries, ResolvedWrite } from '../engine.ts'
import type { EmbeddedCatalog } from './catalog/catalog.ts'
import { hasSeries, isLogical, isPhysical } from './catalog/logical.ts'
import type { RecordPart } from './log/record.ts'
import { readRecordParts, requireGiven } from './log/record-check.ts'
import { UnreadableRecord } from './log/segment.ts'
import type { TableData } from './memory/table-data.ts'
import type { OpenTables } from './memory/tables.ts'
import { resolveSeries } from './series/tags.ts'
import { currentNumbers, seriesParts } from './write-series.ts'

/** A part of a log record with what the write needs to know of it besides. */
export interface WritePart extends RecordPart {
  readonly data: TableData
  readonly skipLog: boolean
  /** Series of the table once this part is logged. */
  readonly seriesCount: number
}

/** All or none: what one of them cannot do must not leave series behind that no record holds. */
export function recordParts(
  tables: OpenTables,
  writes: readonly (ResolvedWrite | ResolvedSeries)[]
): readonly WritePart[] {
  try {
    return writes
      .filter(write => write.rows > 0)
      .flatMap(write => ('numbers' in write ? seriesParts(tables, write) : [recordPart(tables, write)]))
  } catch (error) {
    tables.forgetUnconfirmed()
    throw error
  }
}

function recordPart(tables: OpenTables, write: ResolvedWrite): WritePart {
  const table = tables.current(write.table)
  if (isPhysical(table)) {
    throw new DbError(
      'InvalidArguments',
      `rows of the physical table ${table.name} are written through its logical tables`
    )
  }
  const data = tables.take(table)
  const tagged = hasSeries(data.table)
  const skipLog = data.table.options.skip_wal === true
  const byName = new Map(table.columns.map(column => [column.name, column]))
  // A column dropped since the write was resolved is left out.
  const columns = write.columns.flatMap(({ name, type, data }) => {
    const column = byName.get(name)
    const place = column && placeOf(column, type)
    return place === undefined ? [] : [{ id: place, semantic: column!.semantic, data }]
  })
  const tags = columns.filter(column => column.semantic === 'tag').map(tag => ({ ...tag, rows: write.rows }))
  const owner = isLogical(table) ? table.id : undefined
  const tsids = tagged
    ? (knownNumbers(tables, write) ?? resolveSeries(data.registry, tags, write.rows, owner))
    : undefined
  return {
    data,
    skipLog,
    table: data.table.id,
    op: write.op,
    rows: write.rows,
    tsids,
    series: tagged && !skipLog ? data.takeNewSeries() : [],
    seriesCount: tagged ? data.registry.size : 0,
    columns: columns.filter(column => column.semantic !== 'tag')
  }
}

/** The series of rows whose tags were found before. Throws `RequestOutdated` when a table changed since: the caller finds them again. */
function knownNumbers(tables: OpenTables, { tags, rows }: ResolvedWrite): Uint32Array | undefined {
  if (tags === undefined) return undefined
  const { tsids: known } = currentNumbers(tables, tags.numbers)
  const tsids = new Uint32Array(rows)
  for (let i = 0; i < rows; i++) tsids[i] = known[tags.series[i]!]!
  return tsids
}

/** Where values of a type go; the column may have got another type since the write was resolved. */
function placeOf(column: TableColumn, type: ColumnType): number | undefined {
  if (column.type === type) return column.stored ?? column.id
  return column.was?.find(former => former.type === type)?.id
}

/** Takes the rows of a record that are in no file yet back into memory. Throws `UnreadableRecord` where its bytes are at fault. */
export function replay(sqlite: EmbeddedCatalog, tables: OpenTables, seq: number, payload: Uint8Array): void {
  try {
    takeBack(sqlite, tables, seq, payload)
  } catch (error) {
    throw isDbError(error) && error.code === 'StorageUnavailable' ? error : new UnreadableRecord(error)
  }
}

function takeBack(sqlite: EmbeddedCatalog, tables: OpenTables, seq: number, payload: Uint8Array): void {
  const typeOf = (table: number, column: number) =>
    sqlite
      .tableById(table)
      ?.columns.flatMap(known => [known, ...(known.was ?? [])])
      .find(({ id }) => id === column)?.type
  let first = seq
  for (const part of readRecordParts(payload, typeOf)) {
    const table = sqlite.tableById(part.table)
    requireGiven(part.table, sqlite.lastTableId())
    if (table !== undefined && first >= sqlite.flushedSeq(part.table)) {
      const data = tables.take(table)
      for (const { tsid, key } of part.series) data.restoreSeries(tsid, key)
      tables.apply(first, [part])
    }
    first += part.rows
  }
  tables.appliedSeq = first
}

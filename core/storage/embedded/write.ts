// Converts a checked write to parts of a log record, and a record of the log back to rows in memory.
import { DbError, isDbError } from '../../errors.ts'
import type { TableColumn } from '../../model/table.ts'
import type { ColumnType } from '../../model/types.ts'
import { endsStep, type Steps } from '../../pace.ts'
import type { ResolvedSeries, ResolvedWrite } from '../engine.ts'
import { isLogical, isPhysical } from '../logical.ts'
import type { EmbeddedCatalog } from './catalog/catalog.ts'
import { hasSeries } from './catalog/logical.ts'
import { type LoggedPart, noSeries, type RecordPart } from './log/record.ts'
import { readRecordParts, requireGiven } from './log/record-check.ts'
import { UnreadableRecord } from './log/segment.ts'
import type { TableData } from './memory/table-data.ts'
import type { OpenTables } from './memory/tables.ts'
import { resolveSeries } from './series/tags.ts'
import { currentNumbers, numbersOf, outdated, seriesParts } from './write-series.ts'

/** Writes handled in one step. */
const stepWrites = 32

/** Rows in the form for log and memory. */
export interface PreparedPart extends Omit<RecordPart, 'series'> {
  readonly data: TableData
}

/** The rows of a request, for the tables' state at one time. */
export interface Prepared {
  readonly parts: readonly PreparedPart[]
  readonly epoch: object
}

/** A part of a log record, and what the write needs besides. */
export interface WritePart extends LoggedPart {
  readonly data: TableData
  readonly skipLog: boolean
  /** Number of the table's series once this part is logged. */
  readonly seriesCount: number
}

/** Throws `RequestOutdated` if a table changes meanwhile so that the rows may not fit; the caller begins anew. */
export function* prepareParts(
  tables: OpenTables,
  writes: readonly (ResolvedWrite | ResolvedSeries)[]
): Steps<Prepared> {
  const { epoch } = tables.known
  const parts: PreparedPart[] = []
  for (const [i, write] of writes.entries()) {
    if (write.rows === 0) continue
    if (epoch !== tables.known.epoch) throw outdated()
    if ('numbers' in write) parts.push(...(yield* seriesParts(tables, write)))
    else parts.push(yield* preparePart(tables, write))
    if (endsStep(i, stepWrites)) yield
  }
  return { parts, epoch }
}

/**
 * The parts of the record, all or none. The caller must log them before any other work runs. Throws `RequestOutdated` if a table changed so
 * that the rows may not fit.
 */
export function recordParts(tables: OpenTables, { parts, epoch }: Prepared): readonly WritePart[] {
  if (epoch !== tables.known.epoch) throw outdated()
  return parts.map(part => {
    const { data } = part
    const skipLog = data.table.options.skip_wal === true
    const tagged = part.tsids !== undefined
    return {
      ...part,
      skipLog,
      series: tagged && !skipLog ? data.takeNewSeries() : noSeries,
      seriesCount: tagged ? data.registry.size : 0
    }
  })
}

/**
 * Makes the rows of a durable record readable, table by table. After each, `appliedSeq` says how far it is, so that what comes in between, such as
 * a flush or a truncation, takes rows of this record for either readable or still to come.
 */
export function* applyLogged(tables: OpenTables, seq: number, parts: readonly WritePart[]): Steps<void> {
  for (const part of parts) part.data.confirmSeries(part.seriesCount)
  let next = seq
  for (const [i, part] of parts.entries()) {
    tables.apply(next, part)
    next += part.rows
    tables.appliedSeq = next
    if (endsStep(i, stepWrites)) yield
  }
}

function* preparePart(tables: OpenTables, write: ResolvedWrite): Steps<PreparedPart> {
  const table = tables.current(write.table)
  if (isPhysical(table)) {
    throw new DbError(
      'InvalidArguments',
      `rows of the physical table ${table.name} are written through its logical tables`
    )
  }
  const data = tables.getOrCreate(table)
  const tagged = hasSeries(data.table)
  const byName = new Map(table.columns.map(column => [column.name, column]))
  // Leaves out columns that were dropped since the write was resolved.
  const columns = write.columns.flatMap(({ name, type, data }) => {
    const column = byName.get(name)
    const id = column && columnIdOf(column, type)
    return id === undefined ? [] : [{ id, semantic: column!.semantic, data }]
  })
  const tags = columns.filter(column => column.semantic === 'tag').map(tag => ({ ...tag, rows: write.rows }))
  const owner = isLogical(table) ? table.id : undefined
  const tsids = tagged
    ? ((yield* knownNumbers(tables, write)) ??
      (yield* resolveSeries(yield* data.load(), tags, write.rows, {
        table: owner,
        name: table.name,
        limit: write.seriesLimit
      })))
    : undefined
  return {
    data,
    table: data.table.id,
    op: write.op,
    rows: write.rows,
    tsids,
    columns: columns.filter(column => column.semantic !== 'tag')
  }
}

/**
 * The series of rows whose tags were looked up before. Throws `RequestOutdated` if a table changed since; the caller then looks them up
 * again.
 */
function* knownNumbers(tables: OpenTables, { tags, rows }: ResolvedWrite): Steps<Uint32Array | undefined> {
  if (tags === undefined) return undefined
  return yield* numbersOf(currentNumbers(tables, tags.numbers), tags.series, rows)
}

/** The column that stores values of a type; the column's type may have changed since the write was resolved. */
function columnIdOf(column: TableColumn, type: ColumnType): number | undefined {
  if (column.type === type) return column.stored ?? column.id
  return column.was?.find(former => former.type === type)?.id
}

/** Restores the rows of a record that are in no file yet. Throws `UnreadableRecord` if its bytes are invalid. */
export function replay(sqlite: EmbeddedCatalog, tables: OpenTables, seq: number, payload: Uint8Array): void {
  try {
    restoreRecord(sqlite, tables, seq, payload)
  } catch (error) {
    throw isDbError(error) && error.code === 'StorageUnavailable' ? error : new UnreadableRecord(error)
  }
}

function restoreRecord(sqlite: EmbeddedCatalog, tables: OpenTables, seq: number, payload: Uint8Array): void {
  const typeOf = (table: number, column: number) => storedType(sqlite.tableById(table)?.columns ?? [], column)
  let first = seq
  for (const part of readRecordParts(payload, typeOf)) {
    const table = sqlite.tableById(part.table)
    if (table === undefined) requireGiven(part.table, sqlite.lastTableId())
    if (table !== undefined && first >= sqlite.flushedSeq(part.table)) {
      const data = tables.getOrCreate(table)
      for (const { tsid, key } of part.series) data.restoreSeries(tsid, key)
      tables.apply(first, part)
    }
    first += part.rows
  }
  tables.appliedSeq = first
}

/** The type of a stored column, which may be what one of these was before its type changed. */
function storedType(columns: readonly TableColumn[], stored: number): ColumnType | undefined {
  for (const { id, type, was } of columns) {
    const former = id === stored ? type : was?.find(each => each.id === stored)?.type
    if (former !== undefined) return former
  }
  return undefined
}

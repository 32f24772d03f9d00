// Defaults of columns: kept as text, read when a row leaves the column out.
import {
  type Column,
  type ColumnDefinition,
  convertTime,
  formatTimestamp,
  isDbError,
  isTimestamp,
  parseTimestamp,
  type Table,
  type TableColumn,
  timeUnit,
  utc,
  type Zone
} from '../../../core/index.ts'
import { invalid, unsupported } from '../error.ts'
import { quoteText, tokenize } from '../text/token.ts'
import { buildColumn, type ValueContext } from './column-value.ts'
import { type Literal, nullLiteral, readLiteral } from './literal.ts'

/** The value in rows without the column; text without an offset is a time in the zone. Throws `Unsupported` for an expression. */
export function defaultOf({ name, type, default: text }: ColumnDefinition, zone: Zone = utc): Literal {
  if (text === undefined) return nullLiteral
  const literal = readLiteral(tokenize(text))
  if (literal === undefined || literal.kind === 'default') {
    throw unsupported(`column ${name}: its default ${text} is neither a constant nor now()`)
  }
  if (literal.kind !== 'text' || !isTimestamp(type)) return literal
  try {
    return { kind: 'time', value: parseTimestamp(literal.text, zone), unit: 'ns' }
  } catch (error) {
    // The column reports a value that is no time.
    if (isDbError(error)) return literal
    throw error
  }
}

/**
 * The column with its default as it is kept: text that stands for a time names its offset, so that it means the same in every session.
 * Throws when the default does not fit the type.
 */
export function resolveDefault<C extends ColumnDefinition>(column: C, zone: Zone): C {
  const literal = defaultOf(column, zone)
  if (column.default === undefined) return column
  const { data } = buildColumn(column, [literal], { zone, now: 0n })
  if (literal.kind !== 'time' || data.kind !== 'fixed') return column
  const moment = convertTime(data.values[0] as bigint, timeUnit(column.type as Parameters<typeof timeUnit>[0]), 'ns')
  return { ...column, default: quoteText(formatTimestamp(moment)) }
}

/** The columns that are not given and have a default. */
export function defaultColumns(
  table: Table,
  given: readonly TableColumn[],
  rows: number,
  context: ValueContext
): Column[] {
  const left = table.columns.filter(column => !given.includes(column) && column.default !== undefined)
  return left.map(column => buildColumn(column, Array<Literal>(rows).fill(defaultOf(column)), context))
}

/** Throws unless the time index is given or has a default. */
export function requireTime({ timeIndex }: Table, given: readonly TableColumn[]): void {
  if (timeIndex.default !== undefined || given.some(column => column.name === timeIndex.name)) return
  throw invalid(`column ${timeIndex.name} is the time index and must be given`)
}

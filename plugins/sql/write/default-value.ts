// Defaults of columns: kept as text, read when a row leaves the column out.
import { type Column, type ColumnDefinition, DbError, type Table, type TableColumn, utc } from '../../../core/index.ts'
import { tokenize } from '../text/token.ts'
import { buildColumn, type ValueContext } from './column-value.ts'
import { type Literal, nullLiteral, readLiteral } from './literal.ts'

/** What a row without the column gets. Throws `Unsupported` for an expression. */
export function defaultOf(column: ColumnDefinition): Literal {
  if (column.default === undefined) return nullLiteral
  const literal = readLiteral(tokenize(column.default))
  if (literal !== undefined && literal.kind !== 'default') return literal
  throw new DbError(
    'Unsupported',
    `column ${column.name}: its default ${column.default} is neither a constant nor now()`
  )
}

/** Throws when the default of a column does not fit its type. */
export function checkDefault(column: ColumnDefinition): void {
  if (column.default !== undefined) buildColumn(column, [defaultOf(column)], { zone: utc, now: 0n })
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
  throw new DbError('InvalidArguments', `column ${timeIndex.name} is the time index and must be given`)
}

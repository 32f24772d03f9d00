// Defaults of columns: kept as text, read when a row leaves the column out.
import { type ColumnDefinition, DbError, utc } from '../../../core/index.ts'
import { tokenize } from '../text/token.ts'
import { buildColumn } from './column-value.ts'
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

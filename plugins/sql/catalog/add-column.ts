// ALTER TABLE … ADD COLUMN: new columns with their position and the value that existing rows get.
import { type ColumnDefinition, DbError, type Table, type TableChange } from '../../../core/index.ts'
import { invalid } from '../error.ts'
import type { Session } from '../session.ts'
import type { AlterAction } from '../statement/statement.ts'
import { valueContext } from '../write/column-value.ts'
import { constantText } from '../write/constant-text.ts'
import { defaultOf, resolveDefault } from '../write/default-value.ts'

type Addition = Extract<AlterAction, { kind: 'add_column' }>

/** One change for all; undefined when there is nothing to add. */
export function addColumns(session: Session, table: Table, additions: readonly Addition[]): TableChange | undefined {
  const order = table.columns.map(column => column.name)
  const columns: ColumnDefinition[] = []
  for (const addition of additions) {
    const { name } = addition.column
    if (order.includes(name)) {
      if (addition.ifNotExists) continue
      throw new DbError('TableColumnExists', `Column ${name} already exists in table ${table.name}`)
    }
    columns.push(define(session, table, addition))
    insertName(table, order, addition)
  }
  if (columns.length === 0) return undefined
  return { kind: 'add_columns', columns, ...(additions.some(({ position }) => position !== undefined) && { order }) }
}

function insertName(table: Table, order: string[], { column, position }: Addition): void {
  if (position === undefined) order.push(column.name)
  else if (position === 'first') order.unshift(column.name)
  else {
    const at = order.indexOf(position.text)
    if (at < 0) {
      throw new DbError('TableColumnNotFound', `AFTER: column ${position.text} not exists in table ${table.name}`)
    }
    order.splice(at + 1, 0, column.name)
  }
}

function define(session: Session, table: Table, { column }: Addition): ColumnDefinition {
  const { name, type, nullable = true, default: text, index, comment, primaryKey, timeIndex } = column
  if (timeIndex) throw invalid(`column ${name}: table ${table.name} has a time index already`)
  const definition: ColumnDefinition = {
    name,
    type,
    semantic: primaryKey ? 'tag' : 'field',
    nullable,
    ...(text !== undefined && { default: text }),
    ...(index && { index }),
    ...(comment !== undefined && { comment })
  }
  if (!nullable && text === undefined) throw invalid(`column ${name}: NOT NULL needs a DEFAULT for the rows there are`)
  const shared = table.options.physical_table !== undefined
  if (!nullable && (primaryKey || shared)) {
    throw invalid(`column ${name}: NOT NULL is not possible ${shared ? 'in a logical table' : 'for a new key column'}`)
  }
  if (text === undefined) return definition
  const context = valueContext(session)
  const resolved = resolveDefault(definition, context.zone)
  const initial = constantText(resolved, defaultOf(resolved), context)
  return primaryKey || shared || initial === undefined ? resolved : { ...resolved, initial }
}

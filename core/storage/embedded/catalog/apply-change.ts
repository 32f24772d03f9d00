// Applies a change of a table to the catalog's rows and to the table itself; the caller holds the transaction.
import type { DatabaseSync } from 'node:sqlite'
import { DbError } from '../../../errors.ts'
import type { ColumnDefinition, Table, TableChange, TableColumn } from '../../../model/table.ts'
import { isLogical, isPhysical } from '../../logical.ts'
import { makeTable, type TableState } from './catalog-rows.ts'
import { insertColumns, orderColumns } from './catalog-write.ts'
import { identify } from './naming.ts'

/** `storedBy` adds to new columns of a logical table the ids of the physical columns that store them. */
export function applyChange(
  sqlite: DatabaseSync,
  state: TableState,
  change: TableChange,
  storedBy: (columns: readonly TableColumn[]) => readonly TableColumn[]
): Table {
  const { table } = state
  const version = table.version + 1
  switch (change.kind) {
    case 'add_columns': {
      const added = storedBy(change.columns.map(column => identify(column, state.nextColumn++, state.taken)))
      const columns = reorder([...table.columns, ...added], change.order)
      insertColumns(sqlite, table.id, added, table.columns.length)
      if (change.order !== undefined) orderColumns(sqlite, table.id, columns)
      return makeTable({ ...table, version, columns })
    }
    case 'drop_column': {
      const dropped = columnOf(table, change.name)
      dropColumn(sqlite, table, dropped)
      return makeTable({ ...table, version, columns: table.columns.filter(column => column !== dropped) })
    }
    case 'modify_column':
      return makeTable({ ...table, version, columns: modifyColumn(sqlite, state, change) })
    case 'truncate':
      sqlite.prepare('DELETE FROM files WHERE table_id = ?').run(table.id)
      state.files = []
      return makeTable({ ...table, version })
    case 'rename':
      sqlite.prepare('UPDATE tables SET name = ? WHERE id = ?').run(change.name, table.id)
      return makeTable({ ...table, version, name: change.name })
    case 'set_options': {
      const options: Record<string, unknown> = { ...table.options, ...change.options }
      for (const key of change.unset ?? []) delete options[key]
      sqlite.prepare('UPDATE tables SET options = ? WHERE id = ?').run(JSON.stringify(options), table.id)
      return makeTable({ ...table, version, options })
    }
  }
}

function modifyColumn(
  sqlite: DatabaseSync,
  state: TableState,
  { name, definition, keepValues = false }: Extract<TableChange, { kind: 'modify_column' }>
): readonly TableColumn[] {
  const { table, taken } = state
  const before = columnOf(table, name)
  if (definition.type !== before.type && (isLogical(table) || isPhysical(table))) {
    const reason = 'logical tables may share the columns of their physical one; add a column of another name'
    throw new DbError(
      'Unsupported',
      `column ${name} of table ${table.name} cannot become ${definition.type}: ${reason}`
    )
  }
  const after = modify(before, definition, { id: state.nextColumn, taken }, keepValues)
  const columns = table.columns.map(column => (column === before ? after : column))
  if (after.id === before.id) {
    const update = 'UPDATE columns SET definition = ? WHERE table_id = ? AND id = ?'
    sqlite.prepare(update).run(JSON.stringify(after), table.id, after.id)
  } else {
    state.nextColumn++
    dropColumn(sqlite, table, before)
    insertColumns(sqlite, table.id, [after], columns.length)
    orderColumns(sqlite, table.id, columns)
  }
  return columns
}

function dropColumn(sqlite: DatabaseSync, table: Table, column: TableColumn): void {
  sqlite.prepare('UPDATE columns SET dropped = 1 WHERE table_id = ? AND id = ?').run(table.id, column.id)
}

/** Another request may have dropped it just before. */
function columnOf(table: Table, name: string): TableColumn {
  const found = table.columns.find(column => column.name === name)
  if (found === undefined) {
    throw new DbError('TableColumnNotFound', `Column ${name} not exists in table ${table.name}`)
  }
  return found
}

/** Columns in the order of their names; those it does not name stay behind. */
function reorder(columns: readonly TableColumn[], order: readonly string[] | undefined): readonly TableColumn[] {
  if (order === undefined) return columns
  const positions = new Map(order.map((name, i) => [name, i]))
  const at = ({ name }: TableColumn) => positions.get(name) ?? order.length
  return columns.toSorted((a, b) => at(a) - at(b))
}

/**
 * A column by its new definition. With another type it is a new column that takes over the values of the old one. What rows from before
 * the column hold is not up to it.
 */
function modify(
  column: TableColumn,
  { initial: _, ...definition }: ColumnDefinition,
  next: { readonly id: number; readonly taken: Set<string> },
  keepValues = false
): TableColumn {
  const { id, physical, stored, was = [], type, initial } = column
  const described = { ...definition, ...(initial !== undefined && { initial }) }
  if (definition.type === type) {
    return { ...described, id, physical, ...(stored !== undefined && { stored }), ...(was.length > 0 && { was }) }
  }
  const kept = keepValues && definition.type === 'Json'
  const former = { id, physical, type, ...(kept && { kept }) }
  return { ...identify(described, next.id, next.taken), was: [former, ...was] }
}

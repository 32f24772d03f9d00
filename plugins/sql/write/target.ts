// The table a statement writes to, and its columns.
import { DbError, type Table, type TableColumn } from '../../../core/index.ts'
import { fullName, hint, lookUpTable, noTable, resolveChanged } from '../catalog/name.ts'
import { invalid } from '../error.ts'
import type { Session } from '../session.ts'
import type { Name } from '../statement/cursor.ts'

/** Throws `TableNotFound`, or `Unsupported` for what no statement may change. */
export function findTarget({ store, ctx }: Pick<Session, 'store' | 'ctx'>, name: readonly Name[]): Table {
  const { database, table } = resolveChanged(store, ctx.db, name)
  if (store.view(database, table.text) !== undefined) {
    throw invalid(`${fullName(database, table.text)} is a view: it can be read only`)
  }
  const found = lookUpTable(store, ctx.db, name)
  if (found === undefined) throw noTable(store, database, table.text)
  return found
}

/** The column of that name. Throws `TableColumnNotFound`, with the quoted form when only its case differs. */
export function requireColumn(table: Table, { text }: Name): TableColumn {
  const found = table.columns.find(column => column.name === text)
  if (found !== undefined) return found
  const names = table.columns.map(column => column.name)
  throw new DbError('TableColumnNotFound', `Column ${text} not exists in table ${table.name}${hint(text, names)}`)
}

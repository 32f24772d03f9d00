// The table a statement writes to.
import { DbError, type Table } from '../../../core/index.ts'
import { fullName, lookUpTable, noTable, resolveChanged } from '../catalog/name.ts'
import type { Session } from '../session.ts'
import type { Name } from '../statement/cursor.ts'

/** Throws `TableNotFound`, or `Unsupported` for what no statement may change. */
export function findTarget({ store, ctx }: Pick<Session, 'store' | 'ctx'>, name: readonly Name[]): Table {
  const { database, table } = resolveChanged(store, ctx.db, name)
  if (store.view(database, table.text) !== undefined) {
    throw new DbError('InvalidArguments', `${fullName(database, table.text)} is a view: it can be read only`)
  }
  const found = lookUpTable(store, ctx.db, name)
  if (found === undefined) throw noTable(store, database, table.text)
  return found
}

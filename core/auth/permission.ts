// What a permission mode allows.
import { DbError } from '../errors.ts'
import type { PermissionMode, User } from './provider.ts'

type Action = 'read' | 'write'

/** Reading or writing in the database of a request; `_all` refuses users who are limited to databases. */
export type RouteAction = Action | `${Action}_all`

/**
 * Throws `PermissionDenied` unless the user may do it, in the database where one is named, and `AccessDenied` where the user may not use
 * that at all, or the request may not.
 */
export function authorise(user: User, action: Action, database?: string): void {
  check(database === undefined ? user.mode : modeIn(user, database), action)
  if (action === 'write' && user.writeRefusal !== undefined) throw new DbError('AccessDenied', user.writeRefusal)
}

/** The same for what belongs to no database: nothing for users who are limited to some. */
export function authoriseAll(user: User, action: Action): void {
  authorise(user, action)
  if (user.databases !== undefined) {
    throw new DbError('AccessDenied', 'this is for users of all databases, and this user is limited to some')
  }
}

/** What a route needs. */
export function authoriseAction(user: User, action: RouteAction): void {
  const needed = action.startsWith('read') ? 'read' : 'write'
  if (action.endsWith('_all')) authoriseAll(user, needed)
  else authorise(user, needed)
}

/** Whether the user may do anything with a database. */
export function mayUse({ databases }: User, database: string): boolean {
  return databases === undefined || databases.has(database)
}

/** What the user may do there. Throws DbError `AccessDenied` where that is nothing, whether there is such a database or not. */
export function modeIn({ databases, mode }: User, database: string): PermissionMode {
  if (databases === undefined) return mode
  const own = databases.get(database)
  if (own !== undefined) return own
  throw new DbError('AccessDenied', `this user may not use the database ${database}`)
}

function check(mode: PermissionMode, action: Action): void {
  const denied = action === 'read' ? 'wo' : 'ro'
  if (mode === denied) throw new DbError('PermissionDenied', 'User is not authorized to perform this action')
}

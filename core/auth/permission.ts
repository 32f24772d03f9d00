// Permissions: what a user's mode allows.
import { DbError } from '../errors.ts'
import type { PermissionMode, User } from './provider.ts'

type Action = 'read' | 'write'

/** Reading or writing in the request's database; `_all` refuses users who are limited to some databases. */
export type RouteAction = Action | `${Action}_all`

/**
 * Checks a permission of a user, in a database if one is given. Throws DbError `PermissionDenied` if the user's mode there does not allow the
 * action; `AccessDenied` if he may not use the database at all, or this request may not change anything.
 */
export function authorise(user: User, action: Action, database?: string): void {
  check(database === undefined ? user.mode : modeIn(user, database), action)
  if (action === 'write' && user.writeRefusal !== undefined) throw new DbError('AccessDenied', user.writeRefusal)
}

/**
 * Checks a permission for something that belongs to no database. Throws like `authorise`, and `AccessDenied` for users who are limited to
 * some databases.
 */
export function authoriseAll(user: User, action: Action): void {
  authorise(user, action)
  if (user.databases !== undefined) {
    throw new DbError('AccessDenied', 'this is for users of all databases, and this user is limited to some')
  }
}

/** Checks the permission a route needs. */
export function authoriseAction(user: User, action: RouteAction): void {
  const needed = action.startsWith('read') ? 'read' : 'write'
  if (action.endsWith('_all')) authoriseAll(user, needed)
  else authorise(user, needed)
}

/** Whether the user may do anything with a database. */
export function mayUse({ databases }: User, database: string): boolean {
  return databases === undefined || databases.has(database)
}

/** The user's mode in a database. Throws DbError `AccessDenied` if he has none, whether the database exists or not. */
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

// What a permission mode allows.
import { DbError } from '../errors.ts'
import type { User } from './provider.ts'

/** Throws `PermissionDenied` unless the user may do it, and `AccessDenied` where the request may not. */
export function authorise(user: User, action: 'read' | 'write'): void {
  const denied = action === 'read' ? 'wo' : 'ro'
  if (user.mode === denied) throw new DbError('PermissionDenied', 'User is not authorized to perform this action')
  if (action === 'write' && user.writeRefusal !== undefined) throw new DbError('AccessDenied', user.writeRefusal)
}

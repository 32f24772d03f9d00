// Checks names and passwords against a table of users.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { DbError } from '../errors.ts'
import { costOf, fits, spend } from './password.ts'
import type { Credentials, User, UserProvider } from './provider.ts'
import type { KnownUser, UserTable } from './users.ts'

/** A provider over the table that `users` returns at each request. */
export function createTableProvider(name: string, users: () => UserTable, close: () => void = () => {}): UserProvider {
  const verify = createVerifier()
  return {
    name,
    async authenticate(credentials: Credentials): Promise<User> {
      if (credentials.kind === 'bearer')
        throw new DbError('UserPasswordMismatch', 'Unsupported authentication method: bearer token')
      const { user, password } = credentials
      for (const [what, value] of [['username', user] as const, ['password', password] as const])
        if (value.trim() === '') throw new DbError('InvalidArguments', `Illegal param: blank ${what}`, { status: 401 })
      const table = users()
      const known = table.get(user)
      if (known !== undefined && (await verify(known, password))) return { name: known.name, mode: known.mode }
      // Whatever the user's own secret cost, a refusal takes as long as the dearest secret of the table.
      const dearest = Math.max(...Array.from(table.values(), ({ secret }) => costOf(secret)))
      await spend(dearest - (known === undefined ? 0 : costOf(known.secret)), password)
      throw new DbError('UserPasswordMismatch', `Username and password does not match, username: ${user}`)
    },
    async close() {
      close()
    }
  }
}

/**
 * Remembers, as a digest under a key of this process, the last password that was right for each user, so that only the first request
 * pays for the derivation; and lets requests that come with the same password meanwhile wait for that one.
 */
function createVerifier(): (user: KnownUser, password: string) => Promise<boolean> {
  const key = randomBytes(32)
  const right = new WeakMap<KnownUser, Buffer>()
  const running = new WeakMap<KnownUser, Map<string, Promise<boolean>>>()
  return async (user, password) => {
    if (costOf(user.secret) === 0) return fits(user.secret, password)
    const digest = createHmac('sha256', key).update(password).digest()
    const remembered = right.get(user)
    if (remembered !== undefined && timingSafeEqual(remembered, digest)) return true
    const id = digest.toString('base64')
    const checks = running.get(user) ?? new Map<string, Promise<boolean>>()
    running.set(user, checks)
    const check = checks.get(id) ?? fits(user.secret, password).finally(() => checks.delete(id))
    checks.set(id, check)
    const good = await check
    if (good) right.set(user, digest)
    return good
  }
}

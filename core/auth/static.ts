// Checks names and passwords against a table of users.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { DbError } from '../errors.ts'
import { createSemaphore } from '../storage/semaphore.ts'
import { costOf, digestOfToken, fits, spend } from './password.ts'
import type { Credentials, User, UserProvider } from './provider.ts'
import type { KnownUser, UserTable } from './users.ts'

/** Concurrent key derivations. They run on the thread pool that also writes the log, which strangers must not occupy. */
const maxDerivations = 2

/** A provider for the table that `users` returns at each request. */
export function createTableProvider(name: string, users: () => UserTable, close: () => void = () => {}): UserProvider {
  const memory = createMemory()
  const semaphore = createSemaphore(maxDerivations)
  const never = new AbortController().signal
  const quickly = (known: KnownUser, password: string) =>
    costOf(known.secret) === 0 ? fits(known.secret, password) : memory.has(known, password)
  /** A refusal takes as long as the most expensive secret of the table, whatever the user's own one costs. */
  const slowly = async (table: UserTable, known: KnownUser | undefined, password: string) => {
    const leave = await semaphore.enter(never)
    try {
      const cost = known === undefined ? 0 : costOf(known.secret)
      // Another request may have verified the same password meanwhile.
      if (known !== undefined && cost > 0 && (memory.has(known, password) || (await fits(known.secret, password)))) {
        memory.keep(known, password)
        return true
      }
      const dearest = Array.from(table.values()).reduce((max, { secret }) => Math.max(max, costOf(secret)), 0)
      await spend(dearest - cost, password)
      return false
    } finally {
      leave()
    }
  }
  return {
    name,
    async authenticate(credentials: Credentials): Promise<User> {
      if (credentials.kind === 'bearer') return ofToken(users(), credentials.token)
      if (credentials.kind === 'certificate') return ofCertificate(users(), credentials.user)
      const { user, password } = credentials
      for (const [what, value] of [['username', user] as const, ['password', password] as const])
        if (value.trim() === '') throw new DbError('InvalidArguments', `Illegal param: blank ${what}`, { status: 401 })
      const table = users()
      const known = table.get(user)
      const isRight =
        (known !== undefined && (await quickly(known, password))) || (await slowly(table, known, password))
      if (isRight && known !== undefined) return userOf(known)
      throw new DbError('UserPasswordMismatch', `Username and password does not match, username: ${user}`)
    },
    async close() {
      close()
    }
  }
}

function ofToken(table: UserTable, token: string): User {
  const known = table.get(`token:${digestOfToken(token)}`)
  if (known?.secret.kind !== 'token') throw new DbError('UserPasswordMismatch', 'the token is not known')
  const { expires } = known.secret
  if (expires !== undefined && expires <= Date.now()) {
    throw new DbError(
      'UserPasswordMismatch',
      `the token of user ${known.name} ended at ${new Date(expires).toISOString()}`
    )
  }
  return userOf(known)
}

function ofCertificate(table: UserTable, name: string): User {
  const known = table.get(name)
  if (known !== undefined && known.secret.kind !== 'token') return userOf(known)
  throw new DbError('UserPasswordMismatch', `no user has the name in the certificate: ${name}`)
}

function userOf({ name, mode, databases }: KnownUser): User {
  return { name, mode, ...(databases && { databases }) }
}

/**
 * Remembers the last correct password of each user, as a digest keyed per process, so that only the first request pays for the derivation.
 */
function createMemory() {
  const key = randomBytes(32)
  const right = new WeakMap<KnownUser, Buffer>()
  const digestOf = (password: string) => createHmac('sha256', key).update(password).digest()
  return {
    has(user: KnownUser, password: string): boolean {
      const remembered = right.get(user)
      return remembered !== undefined && timingSafeEqual(remembered, digestOf(password))
    },
    keep: (user: KnownUser, password: string) => void right.set(user, digestOf(password))
  }
}

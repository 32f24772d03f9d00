// Credential lists: one `user=secret` or `user:mode=secret` each, in a file by lines or inline by commas.
import { parseSecret, type Secret } from './password.ts'
import type { PermissionMode, User } from './provider.ts'

export interface KnownUser extends User {
  readonly secret: Secret
}

export type UserTable = ReadonlyMap<string, KnownUser>

const modes: Readonly<Record<string, PermissionMode>> = {
  rw: 'rw',
  readwrite: 'rw',
  read_write: 'rw',
  ro: 'ro',
  readonly: 'ro',
  read_only: 'ro',
  wo: 'wo',
  writeonly: 'wo',
  write_only: 'wo'
}

/**
 * The users of a credential file: blank lines and lines that start with `#` are skipped, a bad line is reported to `warn` and skipped, the
 * last line of a user counts. Throws an Error when no line is good.
 */
export function parseUserFile(text: string, warn: (message: string) => void): UserTable {
  const users = new Map<string, KnownUser>()
  for (const [index, raw] of text.split('\n').entries()) {
    const line = raw.trim()
    if (line === '' || line.startsWith('#')) continue
    try {
      const user = parseUser(line)
      users.set(user.name, user)
      if (user.secret.kind === 'unusable') warn(`line ${index + 1}: this kind of password cannot be used over HTTP`)
    } catch (error) {
      warn(`line ${index + 1} is skipped: ${(error as Error).message}`)
    }
  }
  if (users.size === 0) throw new Error('no line holds a valid credential')
  return users
}

/** The users of an inline list `u=p,u2:mode=p2`. Throws an Error for the first bad entry. */
export function parseUserList(text: string): UserTable {
  const users = new Map<string, KnownUser>()
  for (const [index, entry] of text.split(',').entries()) {
    try {
      const user = parseUser(entry.trim())
      users.set(user.name, user)
    } catch (error) {
      throw new Error(`entry ${index + 1}: ${(error as Error).message}`)
    }
  }
  return users
}

/** Messages never hold the secret, nor the text before a missing `=`. */
function parseUser(text: string): KnownUser {
  const equals = text.indexOf('=')
  if (equals < 0) throw new Error('expected user=secret or user:mode=secret')
  const [name, word, ...rest] = text.slice(0, equals).split(':')
  if (name!.trim() === '') throw new Error('the user name is empty')
  const mode = word === undefined ? 'rw' : modes[word.trim().toLowerCase()]
  if (mode === undefined || rest.length > 0)
    throw new Error(`unknown permission mode of user ${name!.trim()}: expected rw, ro or wo`)
  return { name: name!.trim(), mode, secret: parseSecret(text.slice(equals + 1).trim()) }
}

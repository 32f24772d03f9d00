// Credential lists: `user=secret` or `user:mode=secret` entries, by line in a file or by comma inline.
import { parseSecret, type Secret } from './password.ts'
import type { PermissionMode, User } from './provider.ts'

export interface KnownUser extends User {
  readonly secret: Secret
}

/** Keyed by name; tokens, of which a user may have several, by `token:` and their digest. */
export type UserTable = ReadonlyMap<string, KnownUser>

function keyOf({ name, secret }: KnownUser): string {
  return secret.kind === 'token' ? `token:${secret.digest}` : name
}

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
 * Parses a credential file: blank lines and lines starting with `#` are skipped, invalid lines are reported to `warn` and skipped, the last
 * line of a user wins. Throws an Error if no line is valid.
 */
export function parseUserFile(text: string, warn: (message: string) => void): UserTable {
  const users = new Map<string, KnownUser>()
  for (const [index, raw] of text.split('\n').entries()) {
    const line = raw.trim()
    if (line === '' || line.startsWith('#')) continue
    try {
      const user = parseUser(line)
      users.set(keyOf(user), user)
      if (user.secret.kind === 'unusable') warn(`line ${index + 1}: this kind of password cannot be used over HTTP`)
    } catch (error) {
      warn(`line ${index + 1} is skipped: ${(error as Error).message}`)
    }
  }
  if (users.size === 0) throw new Error('no line holds a valid credential')
  return users
}

/** Parses an inline list `u=p,u2:mode=p2`. Throws an Error for the first invalid entry. */
export function parseUserList(text: string): UserTable {
  const users = new Map<string, KnownUser>()
  for (const [index, entry] of text.split(',').entries()) {
    try {
      const user = parseUser(entry.trim())
      users.set(keyOf(user), user)
    } catch (error) {
      throw new Error(`entry ${index + 1}: ${(error as Error).message}`)
    }
  }
  return users
}

/** Messages never contain the secret, or the text before a missing `=`. */
function parseUser(text: string): KnownUser {
  const equals = text.indexOf('=')
  if (equals < 0) throw new Error('expected user=secret, user:mode=secret or user:mode@database=secret')
  const [name, rights, ...rest] = text.slice(0, equals).split(':')
  if (name!.trim() === '') throw new Error('the user name is empty')
  if (rest.length > 0) throw wrongMode(name!)
  return { name: name!.trim(), ...parseRights(name!, rights), secret: parseSecret(text.slice(equals + 1).trim()) }
}

/** Parses `ro`, or `ro@metrics+traces;rw@logs`: modes of these databases only. */
function parseRights(name: string, text: string | undefined): Pick<User, 'mode' | 'databases'> {
  if (text === undefined) return { mode: 'rw' }
  const parts = text.split(';').map(part => part.split('@'))
  if (parts.length === 1 && parts[0]!.length === 1) return { mode: modeOf(name, parts[0]![0]!) }
  const databases = new Map<string, PermissionMode>()
  for (const [word, list, ...rest] of parts) {
    const names = (list ?? '').split('+').map(each => each.trim())
    if (rest.length > 0 || names.includes('')) {
      throw new Error(
        `the databases of user ${name.trim()} cannot be read: expected mode@database+database;mode@database`
      )
    }
    const mode = modeOf(name, word!)
    for (const database of names) databases.set(database, mode)
  }
  const all = new Set(databases.values())
  return { mode: all.size === 1 ? [...all][0]! : 'rw', databases }
}

function modeOf(name: string, word: string): PermissionMode {
  const mode = modes[word.trim().toLowerCase()]
  if (mode === undefined) throw wrongMode(name)
  return mode
}

function wrongMode(name: string): Error {
  return new Error(`unknown permission mode of user ${name.trim()}: expected rw, ro or wo`)
}

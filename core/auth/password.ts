// Secrets of a credential file, and checking passwords against them in constant time.
import { createHash, createHmac, pbkdf2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

const derive = promisify(pbkdf2)
const keyLength = 32

/** `unusable`: a secret for other protocols; never matches. */
export type Secret =
  | { readonly kind: 'plain'; readonly digest: Buffer }
  | { readonly kind: 'pbkdf2'; readonly iterations: number; readonly salt: Buffer; readonly hash: Buffer }
  | { readonly kind: 'scram'; readonly iterations: number; readonly salt: Buffer; readonly storedKey: Buffer }
  /** A bearer token; `expires` in milliseconds since 1970. */
  | { readonly kind: 'token'; readonly digest: string; readonly expires?: number }
  /** No password: the user logs in with a certificate. */
  | { readonly kind: 'certificate' }
  | { readonly kind: 'unusable' }

/**
 * Parses `certificate:`, `token_sha256:HASH[:EXPIRES]` (a time such as `2027-01-31T00:00:00Z`), bare text, `plain:TEXT`,
 * `pbkdf2_sha256:ITERATIONS:SALT:HASH`, `pg_scram_sha256:ITERATIONS:SALT:STORED:SERVER` or `mysql_native_password:HASH` (numbers in hex
 * except the iterations). Throws an Error that tells what is wrong, without the secret.
 */
export function parseSecret(text: string): Secret {
  const [scheme, ...parts] = text.split(':')
  switch (scheme) {
    case 'pbkdf2_sha256':
      return { kind: 'pbkdf2', ...derivation(scheme, parts, 3), hash: hex(scheme, 'hash', parts[2], keyLength) }
    case 'pg_scram_sha256': {
      const storedKey = hex(scheme, 'stored key', parts[2], keyLength)
      hex(scheme, 'server key', parts[3], keyLength)
      return { kind: 'scram', ...derivation(scheme, parts, 4), storedKey }
    }
    case 'token_sha256':
      return { kind: 'token', digest: hex(scheme, 'hash', parts[0], 32).toString('hex'), ...readExpiry(parts.slice(1)) }
    case 'certificate':
      if (text === 'certificate:') return { kind: 'certificate' }
      throw new Error('certificate: takes nothing behind it')
    case 'mysql_native_password':
      hex(scheme, 'hash', parts.join(':'), 20)
      return { kind: 'unusable' }
    default: {
      const password = text.startsWith('plain:') ? text.slice('plain:'.length) : text
      if (password === '') throw new Error('the password is empty')
      return { kind: 'plain', digest: sha256(password) }
    }
  }
}

function readExpiry(parts: readonly string[]): { readonly expires?: number } {
  if (parts.length === 0) return {}
  const expires = Date.parse(parts.join(':'))
  if (Number.isNaN(expires))
    throw new Error('token_sha256: expected a time such as 2027-01-31T00:00:00Z behind the hash')
  return { expires }
}

function derivation(scheme: string, parts: readonly string[], count: number) {
  if (parts.length !== count) throw new Error(`${scheme} takes ${count} parts after its name, got ${parts.length}`)
  const iterations = /^\d{1,7}$/.test(parts[0]!) ? Number(parts[0]) : 0
  if (iterations < 1 || iterations > 1_000_000) throw new Error(`${scheme}: iterations must be 1 to 1000000`)
  return { iterations, salt: hex(scheme, 'salt', parts[1]) }
}

function hex(scheme: string, what: string, text = '', bytes?: number): Buffer {
  const good = /^([0-9a-f]{2})+$/i.test(text) && (bytes === undefined ? text.length <= 2048 : text.length === bytes * 2)
  if (!good) throw new Error(`${scheme}: ${what} must be ${bytes ?? '1 to 1024'} bytes in hex`)
  return Buffer.from(text, 'hex')
}

/** The cost of `fits`, in iterations of the key derivation. */
export function costOf(secret: Secret): number {
  return 'iterations' in secret ? secret.iterations : 0
}

export async function fits(secret: Secret, password: string): Promise<boolean> {
  switch (secret.kind) {
    case 'plain':
      return timingSafeEqual(sha256(password), secret.digest)
    case 'pbkdf2':
      return timingSafeEqual(await derive(password, secret.salt, secret.iterations, keyLength, 'sha256'), secret.hash)
    case 'scram': {
      const salted = await derive(password, secret.salt, secret.iterations, keyLength, 'sha256')
      const clientKey = createHmac('sha256', salted).update('Client Key').digest()
      return timingSafeEqual(sha256(clientKey), secret.storedKey)
    }
    case 'token':
    case 'certificate':
    case 'unusable':
      return false
  }
}

/** Spends as much time as a derivation with so many iterations. */
export async function spend(iterations: number, password: string): Promise<void> {
  if (iterations > 0) await derive(password, 'no salt at all', iterations, keyLength, 'sha256')
}

/** `pbkdf2_sha256:4096:SALT:HASH` with a new 16-byte salt, for a credential file. */
export async function hashPassword(password: string, iterations = 4096): Promise<string> {
  const salt = randomBytes(16)
  const hash = await derive(password, salt, iterations, keyLength, 'sha256')
  return `pbkdf2_sha256:${iterations}:${salt.toString('hex')}:${hash.toString('hex')}`
}

/** A new random token of 256 bits, and the secret for a credential file. */
export function makeToken(): { readonly token: string; readonly secret: string } {
  const token = `weir_${randomBytes(32).toString('base64url')}`
  return { token, secret: `token_sha256:${digestOfToken(token)}` }
}

/** SHA-256 in hex. One round is enough, because tokens are random. */
export function digestOfToken(token: string): string {
  return sha256(token).toString('hex')
}

function sha256(data: string | Buffer): Buffer {
  return createHash('sha256').update(data).digest()
}

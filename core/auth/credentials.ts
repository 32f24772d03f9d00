// Parses the headers `Authorization` and `x-svc-auth`.
import { DbError } from '../errors.ts'
import type { Credentials } from './provider.ts'

/**
 * Parses `Basic BASE64` (standard base64 of `user:password` in UTF-8, split at the first `:`) or `Bearer TOKEN`; the scheme in any case, then
 * exactly one space. Throws DbError `AuthHeaderNotFound` without a header, `InvalidAuthHeader` for an invalid one.
 */
export function parseCredentials(header: string | undefined): Credentials {
  if (header === undefined) throw new DbError('AuthHeaderNotFound', 'Not found http or grpc authorization header')
  const space = header.indexOf(' ')
  const scheme = header.slice(0, space < 0 ? header.length : space).toLowerCase()
  const value = space < 0 ? '' : header.slice(space + 1)
  if (scheme === 'basic') return parseBasic(value)
  if (scheme === 'bearer') {
    if (!/^\S+$/.test(value)) throw invalidHeader('expected Bearer and a token')
    return { kind: 'bearer', token: value }
  }
  if (!/^[!-~]+$/.test(scheme)) throw invalidHeader('expected a scheme, one space and credentials')
  throw new DbError('InvalidAuthHeader', `Unsupported http auth scheme, name: ${scheme}`)
}

function parseBasic(value: string): Credentials {
  if (value === '' || value.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(value))
    throw invalidHeader('expected Basic, one space and standard base64')
  const text = decode(Buffer.from(value, 'base64'))
  const colon = text.indexOf(':')
  if (colon < 0) throw invalidHeader('expected base64 of user:password')
  return { kind: 'password', user: text.slice(0, colon), password: text.slice(colon + 1) }
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (cause) {
    throw new DbError('InvalidAuthHeader', 'invalid authorization header: user and password are not UTF-8', { cause })
  }
}

function invalidHeader(expected: string): DbError {
  return new DbError('InvalidAuthHeader', `invalid authorization header: ${expected}`)
}

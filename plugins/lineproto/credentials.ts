// Credentials of this protocol: `Authorization: Token user:password`, or the parameters `u` and `p`.
import type { FastifyRequest } from 'fastify'
import { type Credentials, DbError, firstValue, type Parameters } from '../../core/index.ts'

/**
 * Undefined if the request has neither: the server then tries its own schemes. The header takes precedence. Throws DbError `InvalidAuthHeader` if the
 * user or the password is missing.
 */
export function readCredentials({ headers, query }: FastifyRequest): Credentials | undefined {
  const { authorization } = headers
  if (authorization !== undefined) return /^token /i.test(authorization) ? fromToken(authorization.slice(6)) : undefined
  const user = firstValue(query as Parameters, 'u') ?? ''
  const password = firstValue(query as Parameters, 'p') ?? ''
  if (user === '' && password === '') return undefined
  if (user === '' || password === '')
    throw invalidHeader(`parameter ${user === '' ? 'u' : 'p'} is missing: u and p go together`)
  return { kind: 'password', user, password }
}

function fromToken(token: string): Credentials {
  // Node reads headers as Latin-1.
  const text = Buffer.from(token.trim(), 'latin1').toString()
  const colon = text.indexOf(':')
  if (colon < 0) throw invalidHeader('expected Token, one space and user:password')
  return { kind: 'password', user: text.slice(0, colon), password: text.slice(colon + 1) }
}

function invalidHeader(expected: string): DbError {
  return new DbError('InvalidAuthHeader', `invalid authorization: ${expected}`)
}

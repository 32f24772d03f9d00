// The protocol's own authentication scheme, in which the token is user and password.
import type { FastifyRequest } from 'fastify'
import { type Credentials, DbError, firstValue, type Parameters } from '../../core/index.ts'
import { CollectorError } from './errors.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** True: the route accepts the query parameter `token`. */
    queryToken?: boolean
  }
}

const scheme = /^splunk /i

/**
 * User and password of `Authorization: Splunk user:password`, or of the query parameter where allowed; undefined: other schemes are tried.
 */
export function readCredentials(request: FastifyRequest): Credentials | undefined {
  const header = request.headers.authorization
  if (header !== undefined) {
    // Node reads headers as Latin-1; clients write passwords in UTF-8.
    return scheme.test(header) ? parseToken(Buffer.from(header.slice(7), 'latin1').toString()) : undefined
  }
  const token = firstValue(request.query as Parameters, 'token')
  if (token === undefined) return undefined
  if (request.routeOptions.config.queryToken !== true) throw new CollectorError(16)
  return parseToken(token)
}

function parseToken(token: string): Credentials {
  const text = token.trim()
  const colon = text.indexOf(':')
  if (colon < 0) throw new DbError('InvalidAuthHeader', 'invalid token: expected user:password')
  return { kind: 'password', user: text.slice(0, colon), password: text.slice(colon + 1) }
}

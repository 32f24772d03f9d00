// Protects against cross-site requests: requests that a page of another site makes a browser send may not change anything.
import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Config } from '../config/schema.ts'
import { DbError } from '../errors.ts'
import { parseAddress } from './address.ts'
import type { ServerKind } from './context.ts'

type HttpConfig = Config['http']

/**
 * Makes cross-site requests read-only, and refuses them on routes with `sameOrigin`; with `http.read_only_get`, GET requests are read-only, too.
 * Call it once `request.user` is known; reads the configuration at each request.
 */
export function refuseOtherSites(app: FastifyInstance, kind: ServerKind, http: HttpConfig): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const isOperating = request.routeOptions.config.sameOrigin === true
    const site = otherSite(request, kind, http, isOperating ? [] : http.cors_allowed_origins)
    if (site !== undefined && isOperating) throw new DbError('AccessDenied', site)
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    const only = http.read_only_get && isRead ? 'GET may not change anything (http.read_only_get): use POST' : undefined
    const writeRefusal = site ?? only
    if (writeRefusal !== undefined) request.user = { ...request.user, writeRefusal }
    done()
  })
}

/**
 * Why the request is cross-site, as far as the browser tells; undefined for requests of programs, of the server's own pages, or of allowed
 * origins.
 */
function otherSite(
  request: FastifyRequest,
  kind: ServerKind,
  http: HttpConfig,
  allowed: readonly string[]
): string | undefined {
  const { headers } = request
  if (!isOfBrowser(headers)) return undefined
  const { origin, host = '' } = headers
  if (allowed.includes('*') || (origin !== undefined && allowed.includes(origin))) return undefined
  const rest =
    'may not do that: http.cors_allowed_origins names those that may change something, none may operate the server'
  if (origin !== undefined && !isHost(origin, host)) return `pages of ${origin} ${rest}`
  if (headers['sec-fetch-site'] === 'cross-site') return `pages of other sites ${rest}`
  if (isOwnHost(host, request, kind, http)) return undefined
  return `a page that calls this server ${host} may not do that: http.allowed_hosts does not name it`
}

function isOfBrowser(headers: IncomingHttpHeaders): boolean {
  if (headers.origin !== undefined || headers.referer !== undefined) return true
  for (const name in headers) if (name.startsWith('sec-fetch-')) return true
  return false
}

function isHost(origin: string, host: string): boolean {
  return URL.canParse(origin) && new URL(origin).host === host.toLowerCase()
}

/**
 * Whether a host is loopback, the listening address, or one of `http.allowed_hosts`. Any other name may have been pointed here by an attacker
 * (DNS rebinding).
 */
function isOwnHost(host: string, { raw }: FastifyRequest, kind: ServerKind, http: HttpConfig): boolean {
  const url = `http://${host}`
  if (!URL.canParse(url)) return false
  const name = new URL(url).hostname.replace(/^\[|\]$/g, '')
  if (name === 'localhost' || name.endsWith('.localhost') || name === '::1') return true
  if (isIP(name) === 4 && name.startsWith('127.')) return true
  const bound = parseAddress(kind === 'main' ? http.addr : http.api_server_addr).host
  const local = raw.socket.localAddress?.replace(/^::ffff:/, '')
  if (name === bound || (isIP(name) !== 0 && name === local)) return true
  return http.allowed_hosts.some(
    allowed => allowed.toLowerCase() === name || allowed.toLowerCase() === host.toLowerCase()
  )
}

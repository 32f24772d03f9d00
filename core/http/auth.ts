// Authentication: with a user provider, requests under /v1, and other routes that ask for it, need a user.
import type { IncomingHttpHeaders } from 'node:http'
import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import basicAuth from '@fastify/basic-auth'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Audit } from '../audit.ts'
import { parseCredentials } from '../auth/credentials.ts'
import { type Credentials, defaultUser, type User, type UserProvider } from '../auth/provider.ts'
import { DbError, isDbError } from '../errors.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { PluginSpec } from '../plugin.ts'
import type { ServerKind } from './context.ts'
import { atOnce, toDbError } from './errors.ts'
import { needsUser } from './fence.ts'

declare module 'fastify' {
  interface FastifyRequest {
    user: User
  }
}

interface AuthOptions {
  /** Undefined: every request runs as the default user. */
  readonly users: UserProvider | undefined
  readonly metrics: Metrics
  readonly audit: Pick<Audit, 'record'>
  readonly server: ServerKind
  readonly plugins: ReadonlyMap<string, PluginSpec>
}

/**
 * Sets `request.user` before the body is read. Tries the header `x-svc-auth`, then the plugin's own scheme, then `Authorization`. Unknown
 * paths under /v1 need a user, too, so that strangers cannot find out which paths exist.
 */
export async function authenticate(
  app: FastifyInstance,
  { users, metrics, audit, server, plugins }: AuthOptions
): Promise<void> {
  app.decorateRequest('user', null as unknown as User)
  const failures = metrics.counter('svc_servers_auth_failure_count', 'Refused credentials.', ['code'])
  if (users === undefined) {
    app.addHook('onRequest', (request, _reply, done) => {
      request.user = defaultUser
      done()
    })
    return
  }
  await app.register(basicAuth, {
    validate: async (user, password, request) => {
      request.user = await users.authenticate({ kind: 'password', user, password })
    }
  })
  app.addHook('onRequest', async (request, reply) => {
    request.user = defaultUser
    // By the route that was found, not by the URL's text, which may be percent-encoded.
    const { url, config } = request.routeOptions
    if (!needsUser(url ?? request.url, config)) return
    try {
      await identify(request, reply, users, plugins)
    } catch (error) {
      const isRefusal = !isDbError(error) && (error as FastifyError | undefined)?.statusCode === 401
      const known = isRefusal ? malformed(error) : toDbError(error)
      failures.add(1, { code: known.code })
      audit.record({
        action: 'login',
        user: nameOf(request),
        address: request.ip,
        server,
        target: request.url.split('?')[0]!,
        result: known.code
      })
      throw known
    }
  })
}

/** The user name the request claims, for log and audit. */
function nameOf({ headers }: FastifyRequest): string {
  try {
    const first = headers['x-svc-auth']
    const credentials = parseCredentials(typeof first === 'string' ? first : headers.authorization)
    return credentials.kind === 'bearer' ? '(token)' : credentials.user
  } catch {
    return ''
  }
}

async function identify(
  request: FastifyRequest,
  reply: FastifyReply,
  users: UserProvider,
  plugins: ReadonlyMap<string, PluginSpec>
): Promise<void> {
  const first = request.headers['x-svc-auth']
  const header = request.headers.authorization
  const own =
    typeof first === 'string'
      ? parseCredentials(first)
      : ownCredentials(plugins.get(request.routeOptions.config.plugin ?? ''), request)
  if (own !== undefined) request.user = await users.authenticate(own)
  else if (header !== undefined && /^basic /i.test(header)) await basic(request, reply)
  else request.user = await users.authenticate(credentialsOf(request.headers, request.raw.socket))
}

/** Reads header `x-svc-auth`, else `authorization`, else the client's certificate. Throws DbError `AuthHeaderNotFound` if there is none. */
export function credentialsOf(headers: IncomingHttpHeaders, socket: Socket | undefined): Credentials {
  const first = headers['x-svc-auth']
  const header = typeof first === 'string' ? first : headers.authorization
  return (header === undefined && certified(socket)) || parseCredentials(header)
}

/** Credentials from a client certificate that an authority of `client_ca_path` has signed. */
function certified(socket: Socket | undefined): Credentials | undefined {
  if (!(socket instanceof TLSSocket) || !socket.authorized) return undefined
  const name = socket.getPeerCertificate().subject?.CN
  return typeof name === 'string' && name !== '' ? { kind: 'certificate', user: name } : undefined
}

/** Credentials by the plugin's own scheme. If the plugin throws, the request is refused. */
function ownCredentials(plugin: PluginSpec | undefined, request: FastifyRequest): Credentials | undefined {
  return atOnce(plugin?.credentials?.(request), `credentials of plugin ${plugin?.name}`)
}

function basic(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  return new Promise((resolve, reject) => {
    request.server.basicAuth(request, reply, error => (error ? reject(error) : resolve()))
  })
}

function malformed(cause: unknown): DbError {
  return new DbError(
    'InvalidAuthHeader',
    'invalid Authorization header: expected Basic and the base64 of user:password',
    {
      cause
    }
  )
}

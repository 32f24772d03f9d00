// Sets `request.ctx`, the request context.
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { modeIn } from '../auth/permission.ts'
import type { User } from '../auth/provider.ts'
import { DbError } from '../errors.ts'
import { parseZone } from '../model/time.ts'
import { memoryOf } from './budget.ts'
import type { RequestContext, ServerKind } from './context.ts'
import { isUnder } from './fence.ts'
import { headerText } from './header.ts'
import { readHints } from './hints.ts'
import { firstValue, formOf, type Parameters } from './query.ts'
import type { Quotas } from './quota.ts'

/** Sets `request.ctx` before the body is read; a form's field `db` changes it afterwards. */
export function setContexts(
  app: FastifyInstance,
  channel: ServerKind,
  { timezone, quotas }: { readonly timezone: string; readonly quotas: Quotas }
): void {
  app.decorateRequest('ctx', null as unknown as RequestContext)
  app.addHook('onRequest', (request, _reply, done) => {
    const quota = isUnder(request.routeOptions.url ?? request.url, '/v1')
      ? quotas.of(request.user.name, request.ip)
      : undefined
    // Refuses clients that have used up their quota before their body is read.
    quota?.charge('bytes', 0)
    const named = firstValue(request.query as Parameters, 'db') || headerText(request.headers, 'x-svc-db-name')
    request.ctx = {
      ...inDatabase(request.user, named),
      channel,
      address: request.ip,
      timezone: zoneName(request.headers) ?? timezone,
      signal: request.lifetime.signal,
      log: request.log as unknown as RequestContext['log'],
      plugin: request.routeOptions.config.plugin ?? 'core',
      hints: readHints(request.headers),
      memory: memoryOf(request.lifetime.lease, request.lifetime.signal),
      ...(quota && { quota })
    }
    done()
  })
  app.addHook('preValidation', (request, _reply, done) => {
    const { body, ctx, lifetime } = request
    ctx.quota?.charge('bytes', Math.max(lifetime.received, Buffer.isBuffer(body) ? body.length : 0))
    const form = formOf(request)
    const named = form && firstValue(form, 'db')
    if (named && !firstValue(request.query as Parameters, 'db'))
      request.ctx = { ...request.ctx, ...inDatabase(request.user, named) }
    done()
  })
}

/**
 * The database a request works in, and the user with his mode there: the named database, else `public`, or the user's first one if he may not
 * use that. Throws DbError `AccessDenied`.
 */
export function inDatabase(user: User, named: string): Pick<RequestContext, 'db' | 'user'> {
  const name = named.replace(/^svc-/, '')
  const { databases } = user
  if (databases === undefined) return { db: name || 'public', user }
  const [first = 'public'] = databases.keys()
  const db = name || (databases.has('public') ? 'public' : first)
  // Names that are no database (`information_schema`), and `database/retention` of one protocol, are checked where they are used.
  const own = db === 'information_schema' ? user.mode : modeIn(user, databases.has(db) ? db : db.split('/')[0]!)
  return { db, user: { ...user, mode: own } }
}

/** The time zone of header `x-svc-timezone`. Throws DbError `InvalidArguments` for an unknown one. */
export function zoneName(headers: IncomingHttpHeaders): string | undefined {
  const text = String(headers['x-svc-timezone'] ?? '').trim()
  if (text === '') return undefined
  const zone = parseZone(text)
  if (zone !== undefined) return zone.name
  throw new DbError(
    'InvalidArguments',
    `header x-svc-timezone: unknown time zone ${text}, expected an IANA name such as Europe/Berlin, an offset such as +02:00, or SYSTEM`
  )
}

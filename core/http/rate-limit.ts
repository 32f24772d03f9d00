// Limits requests per client: by address before authentication, by user after it.
import rateLimit from '@fastify/rate-limit'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Config } from '../config/schema.ts'
import { DbError } from '../errors.ts'
import type { Counter, Metrics } from '../metrics/metrics.ts'
import { isUnder } from './fence.ts'

type Limits = Config['http']['rate_limit']

/** Clients counted at a time; beyond that, the one that was silent longest starts anew. */
const maxClients = 50_000

/** Refuses requests under /v1 beyond the limits with 429 and `Retry-After`. */
interface RateLimits {
  /** Call it before credentials are checked, so that passwords cannot be tried faster. */
  byAddress(): void
  /** Call it once `request.user` is known. */
  byUser(): void
}

/** Reads the limits from the configuration at each request. */
export async function limitRates(
  app: FastifyInstance,
  http: { readonly rate_limit: Limits },
  metrics: Metrics
): Promise<RateLimits> {
  await app.register(rateLimit, { global: false })
  const help = 'Requests refused because a client made too many (http.rate_limit).'
  const refused = metrics.counter('svc_servers_rate_limited_total', help, ['limit'])
  const isCounted = (key: 'per_address' | 'per_user', request: FastifyRequest) => {
    if (http.rate_limit[key] === 0) return false
    const { url = request.url, config } = request.routeOptions
    // Routes without authentication have no user to count for.
    return isUnder(url, '/v1') && !(key === 'per_user' && config.public)
  }
  for (const limit of ['per_address', 'per_user']) refused.add(0, { limit })
  const add = (key: 'per_address' | 'per_user', keyGenerator?: (request: FastifyRequest) => string) => {
    const options = {
      max: () => http.rate_limit[key],
      timeWindow: () => http.rate_limit.window,
      cache: maxClients,
      ...(keyGenerator && { keyGenerator })
    }
    const check = app.createRateLimit(options)
    app.addHook('onRequest', (request, _reply, done) => {
      if (!isCounted(key, request)) return done()
      check(request).then(result => {
        const exceeded = !result.isAllowed && result.isExceeded
        done(exceeded ? tooMany(key, http.rate_limit, result.ttl, refused) : undefined)
      }, done)
    })
  }
  return {
    byAddress: () => add('per_address'),
    byUser: () => add('per_user', request => request.user.name)
  }
}

function tooMany(key: 'per_address' | 'per_user', limits: Limits, milliseconds: number, refused: Counter): DbError {
  refused.add(1, { limit: key })
  const whose = key === 'per_user' ? 'this user' : 'this address'
  const message = `${whose} may make ${limits[key]} requests in ${limits.window} ms (http.rate_limit.${key})`
  return new DbError('RateLimited', message, { retryAfter: Math.max(1, Math.ceil(milliseconds / 1000)) })
}

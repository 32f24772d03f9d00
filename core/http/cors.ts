// CORS: which web pages of other origins may use the server.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isUnder } from './fence.ts'

const methods = 'GET,POST,PUT,DELETE,HEAD'
const vary = 'origin, access-control-request-method, access-control-request-headers'

/**
 * Answers preflight requests and adds CORS headers under `/v1` and `/dashboard`. `origins` are allowed; `*` allows all; with an empty list no
 * header is sent.
 */
export function shareWithOrigins(app: FastifyInstance, origins: readonly string[]): void {
  const all = origins.includes('*')
  app.addHook('onRequest', (request, reply, done) => {
    const origin = request.headers.origin
    if (origins.length === 0 || !isShared(request)) return done()
    reply.header('vary', vary)
    const allowed = all ? '*' : origin !== undefined && origins.includes(origin) ? origin : undefined
    if (allowed !== undefined) reply.header('access-control-allow-origin', allowed)
    if (request.method !== 'OPTIONS' || request.headers['access-control-request-method'] === undefined) return done()
    if (allowed !== undefined) {
      reply.header('access-control-allow-methods', methods)
      reply.header('access-control-allow-headers', allowedHeaders(request))
    }
    reply.code(200).send()
  })
}

/** Browsers do not accept `*` for `Authorization`. */
function allowedHeaders(request: FastifyRequest): string {
  const asked = request.headers['access-control-request-headers']
  return asked?.toLowerCase().includes('authorization') ? '*, authorization' : '*'
}

function isShared(request: FastifyRequest): boolean {
  return isUnder(request.url, '/v1') || isUnder(request.url, '/dashboard')
}

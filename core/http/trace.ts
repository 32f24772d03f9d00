// Makes a span of every request, as part of the client's trace if it has one.
import type { FastifyInstance } from 'fastify'
import type { Tracing } from '../trace/trace.ts'
import type { ServerKind } from './context.ts'

/** Facts of the span: no queries, bodies or credentials. */
export function traceRequests(app: FastifyInstance, server: ServerKind, tracing: Tracing): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (!tracing.isOn()) return done()
    const { url = 'unknown', config } = request.routeOptions
    const facts = {
      'http.request.method': request.method,
      'http.route': url,
      'client.address': request.ip,
      'weir.server': server,
      'weir.plugin': config.plugin ?? 'core'
    }
    const { traceparent } = request.headers
    const parent = typeof traceparent === 'string' ? traceparent : undefined
    const span = tracing.begin(`${request.method} ${url}`, facts, { request: { traceparent: parent } })
    if (span === undefined) return done()
    request.lifetime.onEnd(() => {
      span.set({ 'http.response.status_code': reply.statusCode })
      if (reply.statusCode >= 500) span.fail(`answered ${reply.statusCode}`)
      span.end()
    })
    tracing.within(span, done)
  })
}

// Counts and times every request, including refused ones, by server, plugin and route.
import type { FastifyInstance } from 'fastify'
import type { Metrics } from '../metrics/metrics.ts'
import type { ServerKind } from './context.ts'

export function observeRequests(app: FastifyInstance, server: ServerKind, metrics: Metrics): void {
  const labels = ['server', 'plugin', 'method', 'path', 'code']
  const requests = metrics.counter('svc_servers_http_requests_total', 'Requests answered.', labels)
  const elapsed = metrics.histogram(
    'svc_servers_http_requests_elapsed',
    'Seconds from the first byte of a request to the end of its answer.',
    labels
  )
  const received = metrics.counter('svc_servers_http_received_bytes_total', 'Bytes of request bodies, as sent.', [
    'server',
    'plugin',
    'path'
  ])
  const errors = metrics.counter(
    'svc_servers_error',
    'Requests answered with an error, by its code (docs/errors.md).',
    ['plugin', 'code']
  )
  let running = 0
  const inFlight = metrics.gauge('svc_servers_http_requests_in_flight', 'Requests being answered.', ['server'])
  app.addHook('onRequest', (request, _reply, done) => {
    inFlight.set(++running, { server })
    request.lifetime.onEnd(() => inFlight.set(--running, { server }))
    done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    const { url, config } = request.routeOptions
    const route = { server, plugin: config.plugin ?? 'core', path: url ?? 'unknown' }
    const answer = { ...route, method: request.method, code: String(reply.statusCode) }
    requests.add(1, answer)
    elapsed.observe(reply.elapsedTime / 1000, answer)
    const failure = reply.getHeader('x-svc-err-code')
    if (failure !== undefined) errors.add(1, { plugin: route.plugin, code: String(failure) })
    if (request.lifetime?.received > 0) received.add(request.lifetime.received, route)
    const { method, path, code } = answer
    request.log.debug(
      { method, path, code, ms: Math.round(reply.elapsedTime), bytes: request.lifetime?.received },
      'request'
    )
    done()
  })
}

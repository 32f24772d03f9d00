// `GET` and `POST /v1/logs`: log queries as JSON, answered in the formats of SQL; `/v1/logs/tail`: the same queries, followed.
import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import {
  authorise,
  DbError,
  firstValue,
  type Parameters,
  type PluginApp,
  readBody,
  resultEncoding,
  sendAnswers,
  watchQuery
} from '../../core/index.ts'
import type { QueryLimits } from './document/query.ts'
import { readFor, runQuery } from './run.ts'
import type { LogqueryService } from './service.ts'
import { startTail, type TailOptions } from './tail/start.ts'

const method = ['GET', 'POST']

export function routes(
  app: PluginApp<never, never>,
  options: QueryLimits & TailOptions,
  service: LogqueryService
): void {
  const { core } = app
  const { counters } = service
  const elapsed = core.metrics.histogram('svc_servers_http_logs_elapsed', 'Seconds of requests of `/v1/logs`.', ['db'])
  app.route({
    method,
    url: '',
    async handler(request, reply) {
      const { ctx } = request
      request.life.onEnd(() => elapsed.observe(reply.elapsedTime / 1000, { db: core.store.label(ctx.db) }))
      authorise(ctx.user, 'read')
      const parameters = request.query as Parameters
      const { format, encoding } = resultEncoding(name => firstValue(parameters, name))
      const text = await documentOf(request, core.config.http.body_limit)
      try {
        const query = readFor(ctx, text, options)
        const answer = await watchQuery(core.slowQueries, ctx, text.toString(), () => runQuery(core, ctx, query))
        counters.query()
        return await sendAnswers(reply, format, [answer], encoding)
      } catch (error) {
        counters.query(error)
        throw error
      }
    }
  })

  const stopping = new AbortController()
  // Tails have no end of their own: a server that stops would wait for them.
  app.addHook('preClose', async () => {
    stopping.abort(new DbError('Suspended', 'the server is stopping', { retryAfter: 1 }))
  })
  app.route({
    method,
    url: '/tail',
    config: { timeLimit: false },
    async handler(request, reply) {
      authorise(request.ctx.user, 'read')
      const text = await documentOf(request, core.config.http.body_limit)
      const left = new AbortController()
      // A HEAD request is over before the tail is.
      reply.raw.once('close', () => left.abort(new DbError('Cancelled', 'the client closed the connection')))
      const signal = AbortSignal.any([request.ctx.signal, stopping.signal, left.signal])
      const ctx = { ...request.ctx, signal }
      try {
        const events = await startTail(core, ctx, readFor(ctx, text, options), service, options)
        counters.tail()
        reply.header('content-type', 'text/event-stream; charset=utf-8').header('cache-control', 'no-store')
        // Proxies would hold events back until there are many.
        reply.header('x-accel-buffering', 'no')
        return await reply.send(Readable.from(events, { objectMode: false, highWaterMark: 1 << 16 }))
      } catch (error) {
        counters.tail(error)
        throw error
      }
    }
  })
}

/** The query: of the body, with GET too, or the parameter `query`, which is all that some clients can send. */
async function documentOf(request: FastifyRequest, bodyLimit: number): Promise<Buffer> {
  const body = request.method === 'POST' ? request.body : await readBody(request, bodyLimit)
  if (Buffer.isBuffer(body) && body.length > 0) return body
  const parameter = firstValue(request.query as Parameters, 'query')
  if (parameter !== undefined) return Buffer.from(parameter)
  throw new DbError('InvalidArguments', 'the query is missing: send it as JSON, in the body or the parameter query')
}

// `GET` and `POST /v1/logs` answer log queries in the result formats; `/v1/logs/patterns` clusters their lines; `/v1/logs/tail` follows them.
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import {
  DbError,
  firstValue,
  type Parameters,
  type PluginApp,
  type RequestContext,
  readBody,
  resultBodies,
  resultParameters,
  sendAnswers,
  sendJson
} from '../../core/index.ts'
import type { QueryLimits } from './document/query.ts'
import type { LogQuery } from './document/tree.ts'
import type { PatternLimits } from './patterns/query.ts'
import { findPatterns, type PatternsAnswer } from './patterns/run.ts'
import { readFor, runQuery } from './run.ts'
import type { LogqueryService } from './service.ts'
import { startTail, type TailOptions } from './tail/start.ts'

const method = ['GET', 'POST']
/** Levels written piece by piece: the answer and its list of patterns. */
const patternLevels = 2

const query = Type.Optional(Type.String({ description: 'The query as JSON, where there is no body.' }))
const consumes = { 'application/json': Type.Object({}, { description: 'A log query: docs/logquery.md.' }) }
const asking = {
  ...{ summary: 'Search logs', parameters: Type.Object({ ...resultParameters, query }), consumes },
  produces: resultBodies
}
const pattern = Type.Object({
  pattern: Type.String({ description: 'A line of it, with `<*>` where its lines differ.' }),
  regex: Type.String({ description: 'A regular expression that finds its lines.' }),
  count: Type.Integer(),
  first: Type.String({ format: 'date-time' }),
  last: Type.String({ format: 'date-time' }),
  examples: Type.Array(Type.String())
})
const patternsBody = Type.Object({
  column: Type.String(),
  lines: Type.Integer({ description: 'Lines of the range: those of all patterns, `others`, `empty` and `older`.' }),
  older: Type.Integer({ description: 'Lines that were not looked at, because there are so many newer ones.' }),
  empty: Type.Integer({ description: 'Lines without a text.' }),
  others: Type.Integer({ description: 'Lines of no pattern of the answer.' }),
  patterns: Type.Array(pattern),
  execution_time_ms: Type.Integer()
})
const grouping = {
  ...{ summary: 'Group similar logs', parameters: Type.Object({ db: resultParameters.db, query }), consumes },
  produces: { 'application/json': patternsBody }
}
const tailing = {
  ...{ summary: 'Follow logs', parameters: Type.Object({ db: resultParameters.db, query }), consumes },
  produces: { 'text/event-stream': Type.String() }
}

export function routes(
  app: PluginApp<never, 'slowquery'>,
  options: QueryLimits & PatternLimits & TailOptions,
  service: LogqueryService
): void {
  const { core } = app
  const { counters } = service
  const elapsed = core.metrics.histogram('svc_servers_http_logs_elapsed', 'Seconds of requests of `/v1/logs`.', ['db'])
  /** Answers a document; counts it and records slow ones. */
  const answerQuery = async <T extends object>(
    request: FastifyRequest,
    reply: FastifyReply,
    run: (ctx: RequestContext, query: LogQuery) => Promise<T>,
    send: (answer: T) => FastifyReply | Promise<FastifyReply>
  ) => {
    const { ctx } = request
    request.lifetime.onEnd(() => elapsed.observe(reply.elapsedTime / 1000, { db: core.store.label(ctx.db) }))
    const text = await documentOf(request, core.config.http.body_limit)
    try {
      const query = readFor(ctx, text, options)
      const work = () => run(ctx, query)
      const answer = await (app.services.slowquery?.watch(ctx, text.toString(), work) ?? work())
      counters.query()
      return await send(answer)
    } catch (error) {
      counters.query(error)
      throw error
    }
  }
  app.route({
    method,
    url: '',
    schema: asking,
    config: { action: 'read' },
    async handler(request, reply) {
      const parameters = request.query as Parameters
      const { format, encoding } = core.formats.choose(name => firstValue(parameters, name))
      const run = (ctx: RequestContext, query: LogQuery) => runQuery(core, ctx, query)
      return answerQuery(request, reply, run, answer => sendAnswers(reply, format, [answer], encoding))
    }
  })
  app.route({
    method,
    url: '/patterns',
    schema: grouping,
    config: { action: 'read' },
    async handler(request, reply) {
      const run = (ctx: RequestContext, query: LogQuery) => findPatterns(core, ctx, query, options)
      const send = (answer: PatternsAnswer) =>
        sendJson(reply, { ...answer, execution_time_ms: Math.round(reply.elapsedTime) }, patternLevels)
      return answerQuery(request, reply, run, send)
    }
  })

  const stopping = new AbortController()
  // Tails have no end, so a stopping server must end them.
  app.addHook('preClose', async () => {
    stopping.abort(new DbError('Suspended', 'the server is stopping', { retryAfter: 1 }))
  })
  app.route({
    method,
    url: '/tail',
    schema: tailing,
    config: { action: 'read', timeLimit: false },
    async handler(request, reply) {
      const text = await documentOf(request, core.config.http.body_limit)
      const left = new AbortController()
      // A HEAD request ends before its tail.
      reply.raw.once('close', () => left.abort(new DbError('Cancelled', 'the client closed the connection')))
      const signal = AbortSignal.any([request.ctx.signal, stopping.signal, left.signal])
      const ctx = { ...request.ctx, signal }
      try {
        const events = await startTail(core, ctx, readFor(ctx, text, options), service, options)
        counters.tail()
        reply.header('content-type', 'text/event-stream; charset=utf-8').header('cache-control', 'no-store')
        // Proxies would otherwise buffer events.
        reply.header('x-accel-buffering', 'no')
        return await reply.send(Readable.from(events, { objectMode: false, highWaterMark: 1 << 16 }))
      } catch (error) {
        counters.tail(error)
        throw error
      }
    }
  })
}

/** The document: the body (also with GET), or the parameter `query` for clients that cannot send a body with GET. */
async function documentOf(request: FastifyRequest, bodyLimit: number): Promise<Buffer> {
  const body = request.method === 'POST' ? request.body : await readBody(request, bodyLimit)
  if (Buffer.isBuffer(body) && body.length > 0) return body
  const parameter = firstValue(request.query as Parameters, 'query')
  if (parameter !== undefined) return Buffer.from(parameter)
  throw new DbError('InvalidArguments', 'the query is missing: send it as JSON, in the body or the parameter query')
}

// `GET` and `POST /v1/logs`: log queries as JSON, answered in the formats of SQL.
import type { FastifyRequest } from 'fastify'
import {
  authorise,
  DbError,
  firstValue,
  type Parameters,
  type PluginApp,
  readBody,
  resultCompression,
  resultEpoch,
  resultFormat,
  sendAnswers,
  watchQuery
} from '../../core/index.ts'
import { createCounters } from './counters.ts'
import type { QueryLimits } from './document/query.ts'
import { readFor, runQuery } from './run.ts'

export function routes(app: PluginApp<never, never>, limits: QueryLimits): void {
  const { core } = app
  const counters = createCounters(core)
  app.route({
    method: ['GET', 'POST'],
    url: '',
    async handler(request, reply) {
      const { ctx } = request
      authorise(ctx.user, 'read')
      const parameters = request.query as Parameters
      const format = resultFormat(firstValue(parameters, 'format'))
      const epoch = resultEpoch(firstValue(parameters, 'epoch'))
      const compression = resultCompression(firstValue(parameters, 'compression'))
      const text = await documentOf(request, core.config.http.body_limit)
      try {
        const query = readFor(ctx, text, limits)
        const answer = await watchQuery(core.slowQueries, ctx, text.toString(), () => runQuery(core, ctx, query))
        counters.query()
        const options = { ...(epoch && { epoch }), ...(compression && { compression }) }
        return await sendAnswers(reply, format, [answer], options)
      } catch (error) {
        counters.query(error)
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

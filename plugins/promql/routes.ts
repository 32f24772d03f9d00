// `GET` and `POST /v1/promql`: range queries, answered in the formats of SQL.
import { Type } from 'typebox'
import {
  acceptForms,
  invalidParameter,
  maxDate,
  type PluginApp,
  parameterOf,
  parseDuration,
  resultBodies,
  resultParameters,
  sendAnswers
} from '../../core/index.ts'
import type { PromqlService } from '../services.ts'

const time = (description: string) => Type.String({ description: `${description}: Unix seconds or RFC 3339.` })
const parameters = Type.Object({
  ...resultParameters,
  query: Type.String({ description: 'PromQL.' }),
  start: time('First moment'),
  end: time('Last moment'),
  step: Type.String({ description: 'Time between two moments: a duration such as `15s`, or seconds.' }),
  lookback: Type.Optional(Type.String({ description: 'How old a sample may be that counts, `5m` without it.' }))
})
const schema = {
  summary: 'A PromQL query over a time range, answered as SQL is',
  ...{ parameters, consumes: { 'application/x-www-form-urlencoded': parameters }, produces: resultBodies }
}

export function routes(app: PluginApp<never, never>, promql: PromqlService): void {
  const { store, metrics } = app.core
  const elapsed = metrics.histogram('svc_servers_http_promql_elapsed', 'Seconds of requests of `/v1/promql`.', ['db'])
  acceptForms(app)
  app.route({
    method: ['GET', 'POST'],
    url: '',
    schema,
    config: { action: 'read' },
    async handler(request, reply) {
      const { ctx } = request
      request.lifetime.onEnd(() => elapsed.observe(reply.elapsedTime / 1000, { db: store.label(ctx.db) }))
      const parameter: ReadParameter = key => parameterOf(request, key)
      const { format, encoding } = app.core.formats.choose(parameter)
      const times = { start: requiredTime(parameter, 'start'), end: requiredTime(parameter, 'end') }
      const step = duration(parameter, 'step')
      if (times.end < times.start) throw invalidParameter('end lies before start')
      const lookback = parameter('lookback') === undefined ? undefined : duration(parameter, 'lookback')
      store.requireDatabase(ctx.db)
      const text = required(parameter, 'query')
      const result = await promql.query(ctx, { text, ...times, step, ...(lookback !== undefined && { lookback }) })
      return sendAnswers(reply, format, [result.records()], encoding)
    }
  })
}

type ReadParameter = (key: string) => string | undefined

function required(parameter: ReadParameter, name: string): string {
  const value = parameter(name)
  if (value === undefined || value === '') throw invalidParameter(`${name} is missing`)
  return value
}

/** Milliseconds since 1970, from Unix seconds or RFC 3339. */
function requiredTime(parameter: ReadParameter, name: string): number {
  const text = required(parameter, name)
  const time = /^[+-]?\d+(\.\d*)?$/.test(text) ? Math.round(Number(text) * 1_000) : Date.parse(text)
  if (!(Math.abs(time) <= maxDate))
    throw invalidParameter(`${name} is ${JSON.stringify(text)}, expected Unix seconds or RFC 3339`)
  return time
}

/** Milliseconds, from a duration or seconds. */
function duration(parameter: ReadParameter, name: string): number {
  const text = required(parameter, name)
  const milliseconds = /^\d+(\.\d+)?$/.test(text) ? Math.round(Number(text) * 1_000) : parseDuration(text)
  if (milliseconds === undefined || !(milliseconds > 0 && milliseconds <= maxDate)) {
    throw invalidParameter(`${name} is ${JSON.stringify(text)}, expected a duration such as 15s or seconds, above 0`)
  }
  return milliseconds
}

// `POST /v1/tsdbput/api/put`.
import type { FastifyReply } from 'fastify'
import { authorise, bodyBytes, checkJsonValues, type Parameters, type PluginApp } from '../../core/index.ts'
import { decodePoints, type Points } from './decode.ts'
import type { Receive } from './receive.ts'

export function routes(app: PluginApp<never, never>, receive: Receive): void {
  app.post('/api/put', { config: { anyContentType: true } }, async (request, reply) => {
    const { ctx } = request
    authorise(ctx.user, 'write')
    app.core.store.requireDatabase(ctx.db)
    const query = request.query as Parameters
    const isPartial = 'summary' in query || 'details' in query
    const bytes = bodyBytes(request)
    checkJsonValues(bytes, app.core.config.http.max_body_values)
    const points = decodePoints(bytes)
    const failures = await receive(ctx, points, isPartial)
    if (isPartial) return tell(reply, points, failures, 'details' in query)
    return reply.code(204).send()
  })
}

/** Counts of what was stored and what was not; with details each point that was not, as it came, and why. */
function tell(
  reply: FastifyReply,
  { body, count, starts, ends }: Points,
  failures: ReadonlyMap<number, string>,
  isDetailed: boolean
): FastifyReply {
  const counts = `"success":${count - failures.size},"failed":${failures.size}`
  const errors = () =>
    Array.from(failures, ([i, reason]) => {
      const point = body.toString('utf8', starts[i], ends[i])
      return `{"datapoint":${point},"error":${JSON.stringify(reason)}}`
    })
  return reply.type('application/json').send(`{${counts}${isDetailed ? `,"errors":[${errors().join()}]` : ''}}`)
}

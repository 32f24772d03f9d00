// `POST /v1/tsdbput/api/put`.
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import {
  bodyBytes,
  checkJsonValues,
  noBody,
  Pace,
  type Parameters,
  type PluginApp,
  runPaced
} from '../../core/index.ts'
import { decodePoints, type Points } from './decode.ts'
import type { Receive } from './receive.ts'

interface PutRoutes {
  /** Bytes of one point. */
  readonly max_point_size: number
}

const point = Type.Object({
  metric: Type.String(),
  timestamp: Type.Number({ description: 'Unix seconds or milliseconds.' }),
  value: Type.Union([Type.Number(), Type.String()]),
  tags: Type.Optional(Type.Record(Type.String(), Type.String()))
})
const flag = (description: string) => Type.Optional(Type.String({ description }))
const schema = {
  summary: 'Write points',
  parameters: Type.Object({
    summary: flag('Present: good points are stored, and counts are answered.'),
    details: flag('Present: the same, with each point that was not stored.')
  }),
  consumes: { 'application/json': Type.Union([point, Type.Array(point)]) },
  produces: noBody
}

export function routes(app: PluginApp<never, never>, receive: Receive, options: PutRoutes): void {
  app.post('/api/put', { schema, config: { action: 'write', anyContentType: true } }, async (request, reply) => {
    const { ctx } = request
    app.core.store.requireDatabase(ctx.db)
    const query = request.query as Parameters
    const isPartial = 'summary' in query || 'details' in query
    const bytes = bodyBytes(request)
    const pace = new Pace(ctx)
    await runPaced(pace, checkJsonValues(bytes, app.core.config.http.max_body_values))
    const points = await runPaced(pace, decodePoints(bytes, options.max_point_size))
    const failures = await receive(ctx, points, isPartial)
    if (isPartial) return tell(reply, pace, points, failures, 'details' in query)
    return reply.code(204).send()
  })
}

/** Answers with the number of stored and of failed points; with `details` also with each failed point as it was sent, and its error. */
function tell(
  reply: FastifyReply,
  pace: Pace,
  { body, count, starts, ends }: Points,
  failures: ReadonlyMap<number, string>,
  isDetailed: boolean
): FastifyReply {
  const counts = `"success":${count - failures.size},"failed":${failures.size}`
  reply.type('application/json')
  if (!isDetailed) return reply.send(`{${counts}}`)
  const pieces = async function* () {
    let text = `{${counts},"errors":[`
    let between = ''
    for (let i = 0; i < count; i++) {
      const reason = failures.get(i)
      if (reason === undefined) continue
      text += `${between}{"datapoint":${body.toString('utf8', starts[i], ends[i])},"error":${JSON.stringify(reason)}}`
      between = ','
      if (text.length < pieceLength) continue
      if (pace.isDue) await pace.pause()
      yield Buffer.from(text)
      text = ''
    }
    yield Buffer.from(`${text}]}`)
  }
  return reply.send(Readable.from(pieces()))
}

/** Characters of an answer that are made at once. */
const pieceLength = 64 * 1024

// `POST /v1/telemetry/v1/{metrics,traces,logs}`: the same route function for the three signals.
import { Type } from 'typebox'
import { anyContent, bodyBytes, Pace, type PluginApp, runPaced } from '../../core/index.ts'
import type { TelemetryService } from '../services.ts'
import { contentTypes, encodingOf } from './content.ts'
import { encodeResponse } from './encode.ts'
import { protobufOf } from './wire/from-json.ts'
import { requests } from './wire/message.ts'

/** Default of `Retry-After`, in seconds. */
const retryAfter = '1'
const retryable: ReadonlySet<number> = new Set([429, 503])

const bodies = { 'application/x-protobuf': anyContent, 'application/json': Type.Object({}) }

export function routes(app: PluginApp<never, never>, { receive }: TelemetryService): void {
  app.addHook('onSend', async (_request, reply) => {
    if (retryable.has(reply.statusCode) && !reply.hasHeader('retry-after')) reply.header('retry-after', retryAfter)
  })

  for (const signal of ['metrics', 'traces', 'logs'] as const) {
    const schema = { summary: `Write OTLP ${signal}`, consumes: bodies, produces: bodies }
    app.post(`/v1/${signal}`, { schema, config: { action: 'write' } }, async (request, reply) => {
      const { ctx, headers } = request
      const encoding = encodingOf(headers['content-type'])
      const bytes = bodyBytes(request)
      const maxValues = app.core.config.http.max_body_values
      const read = protobufOf(requests[signal], bytes, maxValues)
      const body = encoding === 'json' ? await runPaced(new Pace(ctx), read) : bytes
      const taken = await receive(signal, { ctx, headers, body })
      const answer = encodeResponse(signal, encoding, taken)
      return reply.header('content-type', contentTypes[encoding]).send(answer)
    })
  }
}

// `POST /v1/telemetry/v1/{metrics,traces,logs}`: one way in for the three signals.
import { answerError, authorise, bodyBytes, type PluginApp } from '../../core/index.ts'
import { errorBody, type SignalName, successBody } from './answer.ts'
import { answerEncodingOf, contentTypes, encodingOf } from './content.ts'
import type { CountRejected } from './counters.ts'
import type { Receive } from './signal.ts'
import { protobufOf } from './wire/from-json.ts'
import { requests } from './wire/message.ts'

/** Seconds after which a sender may try again where nothing else says so. */
const retryAfter = '1'
const retryable: ReadonlySet<number> = new Set([429, 503])

export interface Service {
  readonly receivers: Readonly<Record<SignalName, Receive>>
  readonly count: CountRejected
}

export function routes(app: PluginApp<never, never>, { receivers, count }: Service): void {
  app.setErrorHandler((error, request, reply) => {
    const encoding = answerEncodingOf(request.headers['content-type'])
    answerError(error, request, reply, { name: 'telemetry', formatError: each => errorBody(each, encoding) })
  })
  app.addHook('onSend', async (_request, reply) => {
    if (retryable.has(reply.statusCode) && !reply.hasHeader('retry-after')) reply.header('retry-after', retryAfter)
  })

  for (const signal of ['metrics', 'traces', 'logs'] as const) {
    app.post(`/v1/${signal}`, async (request, reply) => {
      const { ctx, headers } = request
      authorise(ctx.user, 'write')
      const encoding = encodingOf(headers['content-type'])
      app.core.store.requireDatabase(ctx.db)
      const bytes = bodyBytes(request)
      const mostValues = app.core.config.http.max_body_values
      const body = encoding === 'json' ? protobufOf(requests[signal], bytes, mostValues) : bytes
      const taken = await receivers[signal]({ ctx, headers, body })
      count(signal, taken.rejected)
      const answer = successBody(signal, encoding, taken)
      return reply.header('content-type', contentTypes[encoding]).send(answer)
    })
  }
}

// `POST /v1/logpush/api/v1/push`.
import { Type } from 'typebox'
import { anyContent, bodyBytes, headerText, type PluginApp, sendWritten, writtenBody } from '../../core/index.ts'
import { requestedPipeline } from '../services.ts'
import type { Receive } from './receive.ts'

const defaultTable = 'logpush_logs'

const entry = Type.Array(Type.Unknown(), { description: 'Nanoseconds as text, the line, and what is known of it.' })
const stream = Type.Object({ stream: Type.Record(Type.String(), Type.String()), values: Type.Array(entry) })
const schema = {
  summary: 'Write streams of log lines',
  consumes: { 'application/x-protobuf': anyContent, 'application/json': Type.Object({ streams: Type.Array(stream) }) },
  produces: writtenBody
}

export function routes(app: PluginApp<never, 'pipelines'>, receive: Receive): void {
  app.post(
    '/api/v1/push',
    { schema, config: { action: 'write', ownEncodings: ['snappy'] } },
    async (request, reply) => {
      const { ctx, headers } = request
      const { written, skipped } = await receive(ctx, {
        body: bodyBytes(request),
        contentType: headers['content-type'],
        table: headerText(headers, 'x-svc-log-table-name').trim() || defaultTable,
        pipeline: requestedPipeline(app.services.pipelines, headers)
      })
      return sendWritten(reply, written, skipped)
    }
  )
}

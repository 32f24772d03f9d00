// `POST /v1/logpush/api/v1/push`.
import { bodyBytes, headerText, type PluginApp, sendWritten } from '../../core/index.ts'
import type { Receive } from './receive.ts'

const defaultTable = 'logpush_logs'

export function routes(app: PluginApp<never, 'pipelines'>, receive: Receive): void {
  const { pipelines } = app.services

  app.post('/api/v1/push', { config: { ownEncodings: ['snappy'] } }, async (request, reply) => {
    const { ctx, headers, life } = request
    const { written, skipped } = await receive(ctx, {
      body: bodyBytes(request),
      contentType: headers['content-type'],
      table: headerText(headers, 'x-svc-log-table-name').trim() || defaultTable,
      pipelines,
      headers: pipelines?.readHeaders(headers) ?? {},
      hold: bytes => life.lease.force(bytes)
    })
    return sendWritten(reply, written, skipped)
  })
}

// `POST /v1/logpush/api/v1/push`.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { PluginApp } from '../../core/index.ts'
import type { Receive } from './receive.ts'

const defaultTable = 'logpush_logs'

export function routes(app: PluginApp<never, 'pipelines'>, receive: Receive): void {
  const { pipelines } = app.services

  app.post('/api/v1/push', { config: { ownEncodings: ['snappy'] } }, async (request, reply) => {
    const { ctx, headers, life } = request
    const { written, skipped } = await receive(ctx, {
      body: bodyOf(request),
      contentType: headers['content-type'],
      table: textOf(headers['x-svc-log-table-name']) || defaultTable,
      pipelines,
      headers: pipelines?.readHeaders(headers) ?? {},
      hold: bytes => life.lease.force(bytes)
    })
    return answer(reply, written, skipped)
  })
}

function bodyOf({ body }: FastifyRequest): Buffer {
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0)
}

/** Node reads headers as Latin-1; clients write names in UTF-8. */
function textOf(header: string | string[] | undefined): string {
  return Buffer.from(String(header ?? ''), 'latin1')
    .toString()
    .trim()
}

function answer(reply: FastifyReply, written: readonly number[], skipped: { readonly count: number }): FastifyReply {
  const elapsed = Math.round(reply.elapsedTime)
  reply.header('x-svc-format', 'svc_v1').header('x-svc-execution-time', String(elapsed))
  return reply.send({
    output: written.map(affectedrows => ({ affectedrows })),
    execution_time_ms: elapsed,
    ...(skipped.count > 0 && { skipped })
  })
}

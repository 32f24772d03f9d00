// Answers writes in the format svc_v1.
import type { FastifyReply } from 'fastify'

/**
 * Answers a write. `written` has the affected rows per group, in an order that the plugin documents; `skipped` items are reported, if any.
 */
export function sendWritten(
  reply: FastifyReply,
  written: readonly number[],
  skipped: { readonly count: number }
): FastifyReply {
  const elapsed = Math.round(reply.elapsedTime)
  reply.header('x-svc-format', 'svc_v1').header('x-svc-execution-time', String(elapsed))
  return reply.send({
    output: written.map(affectedrows => ({ affectedrows })),
    execution_time_ms: elapsed,
    ...(skipped.count > 0 && { skipped })
  })
}

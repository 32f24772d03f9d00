// Answers writes in the format svc_v1.
import type { FastifyReply } from 'fastify'

/**
 * Answers a write with 200 and `{"output":[{"affectedrows":n}],"execution_time_ms":n}`. `written` has the affected rows per group, in an order
 * that the plugin documents; `skipped` is added as it is if its count is above 0.
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

// Answers a write in the form of svc_v1.
import type { FastifyReply } from 'fastify'

/** `written` are rows by group, in the order that the plugin documents; items that were `skipped` are told where there are some. */
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

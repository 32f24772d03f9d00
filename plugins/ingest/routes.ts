// `POST /v1/ingest`: decode, run the pipeline, write, answer.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { authorise, decodeItems, type Parameters, type PluginApp, type TableWrite } from '../../core/index.ts'
import type { PipelineResult } from '../services.ts'
import { createCounters } from './counters.ts'
import { readParameters } from './parameters.ts'

export function routes(app: PluginApp<'pipelines', never>): void {
  const { core, services } = app
  const counters = createCounters(core)

  app.post('', async (request, reply) => {
    const { ctx } = request
    authorise(ctx.user, 'write')
    const { pipeline, contentType, options } = readParameters(
      request.query as Parameters,
      request.headers,
      services.pipelines.readHeaders(request.headers)
    )
    core.store.requireDatabase(ctx.db)
    const observed = counters.start(ctx)
    request.life.onEnd(() => observed.end(reply.statusCode))
    const items = decodeItems(bodyOf(request), contentType, options)
    const result = await observed.transform(() => services.pipelines.run(ctx, pipeline, items, options))
    const { rows, perWrite } = await core.store.write(ctx, result.writes)
    observed.rows(rows)
    return answer(reply, rowsPerGroup(result.writes, perWrite), result)
  })
}

function bodyOf({ body }: FastifyRequest): Buffer {
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0)
}

/** Rows by option set: tables that differ only by a suffix share theirs. */
function rowsPerGroup(writes: readonly TableWrite[], perWrite: readonly number[]): readonly number[] {
  const groups = new Map<unknown, number>()
  for (const [i, { options }] of writes.entries()) groups.set(options, (groups.get(options) ?? 0) + perWrite[i]!)
  return groups.size === 0 ? [0] : [...groups.values()]
}

function answer(reply: FastifyReply, written: readonly number[], { skipped }: PipelineResult): FastifyReply {
  const elapsed = Math.round(reply.elapsedTime)
  reply.header('x-svc-format', 'svc_v1').header('x-svc-execution-time', String(elapsed))
  return reply.send({
    output: written.map(affectedrows => ({ affectedrows })),
    execution_time_ms: elapsed,
    ...(skipped.count > 0 && { skipped })
  })
}

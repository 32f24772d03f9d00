// `POST /v1/ingest`: decode, run the pipeline, write, answer.
import {
  authorise,
  bodyBytes,
  type Parameters,
  type PluginApp,
  sendWritten,
  type TableWrite
} from '../../core/index.ts'
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
    const body = bodyBytes(request)
    const result = await observed.transform(() => services.pipelines.runBody(ctx, pipeline, body, contentType, options))
    const { rows, perWrite } = await core.store.write(ctx, result.writes)
    observed.rows(rows)
    return sendWritten(reply, rowsPerGroup(result.writes, perWrite), result.skipped)
  })
}

/** Rows by option set: tables that differ only by a suffix share theirs. */
function rowsPerGroup(writes: readonly TableWrite[], perWrite: readonly number[]): readonly number[] {
  const groups = new Map<unknown, number>()
  for (const [i, { options }] of writes.entries()) groups.set(options, (groups.get(options) ?? 0) + perWrite[i]!)
  return groups.size === 0 ? [0] : [...groups.values()]
}

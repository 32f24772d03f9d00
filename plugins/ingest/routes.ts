// `POST /v1/ingest`: decode, run the pipeline, write, answer.
import { Type } from 'typebox'
import {
  bodyBytes,
  dbParameter,
  itemContentTypes,
  type Parameters,
  type PluginApp,
  sendWritten,
  type TableWrite,
  writtenBody
} from '../../core/index.ts'
import { createCounters } from './counters.ts'
import { readParameters } from './parameters.ts'

const flag = (description: string) => Type.Optional(Type.Boolean({ default: false, description }))
const schema = {
  summary: 'Store log items through a pipeline',
  parameters: Type.Object({
    db: dbParameter,
    table: Type.String({ description: 'Table; a pipeline may add a suffix to it.' }),
    pipeline_name: Type.Optional(
      Type.String({ description: 'Pipeline, unless a header names it; `svc_identity` stores items as they are.' })
    ),
    version: Type.Optional(Type.String({ description: 'Version of the pipeline; the latest without it.' })),
    skip_error: flag('Leave out items that fail, and report them.'),
    ignore_errors: flag('Leave out items that cannot be decoded, and report them.'),
    custom_time_index: Type.Optional(
      Type.String({ description: 'Of `svc_identity`: `field;epoch;s` (`ms`, `us`, `ns`) or `field;datestr;FORMAT`.' })
    )
  }),
  consumes: Object.fromEntries(itemContentTypes.map(type => [type, Type.String({ contentMediaType: type })])),
  produces: writtenBody
}

export function routes(app: PluginApp<'pipelines', never>): void {
  const { core, services } = app
  const counters = createCounters(core)

  app.post('', { schema, config: { action: 'write' } }, async (request, reply) => {
    const { ctx } = request
    const { pipeline, contentType, options } = readParameters(
      request.query as Parameters,
      request.headers,
      services.pipelines.readHeaders(request.headers)
    )
    core.store.requireDatabase(ctx.db)
    const observed = counters.start(ctx)
    request.lifetime.onEnd(() => observed.end(reply.statusCode))
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

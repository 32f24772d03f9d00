// Routes for operators. They need no user, because only operators may reach the main server.
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import {
  bodyBytes,
  type Core,
  DbError,
  invalidParameter,
  type Parameters,
  type PluginApp,
  plainText,
  printConfig
} from '../../core/index.ts'
import { changeLogLevel } from './log-level.ts'
import { status } from './status.ts'

const json = { 'application/json': Type.Object({}) }
const schemas = {
  health: { summary: 'Whether the server answers', produces: json },
  ready: { summary: 'Whether the server takes requests', produces: json },
  status: { summary: 'How the server and its plugins are', produces: json },
  metrics: { summary: 'Metrics of the server, for Prometheus', produces: plainText },
  config: { summary: 'The configuration, without its secrets', produces: plainText },
  trace: { summary: 'Switch tracing: `true` or `false`', consumes: plainText, produces: plainText },
  level: { summary: 'Change the level of the log', consumes: plainText, produces: plainText }
}

export function routes(app: PluginApp<never, never>): void {
  const { core } = app
  const options = Object.fromEntries(core.plugins.map(plugin => [plugin.name, plugin.options]))
  const alive = async () => ({})
  app.route({ method: ['GET', 'POST'], url: '/health', schema: schemas.health, handler: alive })
  app.route({ method: ['GET', 'POST'], url: '/ready', schema: schemas.ready, handler: async () => ready(core) })
  app.get('/status', { schema: schemas.status }, async () => status(core))
  app.get('/metrics', { schema: schemas.metrics }, async (_request, reply) =>
    reply.type(core.metrics.contentType).send(await core.metrics.expose())
  )
  app.get('/config', { schema: schemas.config, config: { sameOrigin: true } }, async (_request, reply) =>
    reply.type('text/plain; charset=utf-8').send(printConfig(core.config, { plugins: options }))
  )
  const switches = { sameOrigin: true, timeLimit: false }
  app.post('/debug/enable_trace', { schema: schemas.trace, config: switches }, async (request, reply) => {
    const said = await switchTrace(core, shortText(request))
    request.log.info(said)
    return reply.type('text/plain; charset=utf-8').send(said)
  })
  app.post('/debug/log_level', { schema: schemas.level, config: switches }, async (request, reply) => {
    const said = changeLogLevel(core, shortText(request), request.query as Parameters)
    request.log.info(said)
    return reply.type('text/plain; charset=utf-8').send(said)
  })
}

/** Bytes of a body that is a few words. */
const maxText = 65_536

/** The body as text. Throws DbError `InvalidArguments` (413) for a long one. */
function shortText(request: FastifyRequest): string {
  const body = bodyBytes(request)
  if (body.length <= maxText) return body.toString()
  throw new DbError('InvalidArguments', `the body has ${body.length} bytes, at most ${maxText} are read`, {
    status: 413
  })
}

/** The texts of the answer are those of the interface. */
async function switchTrace({ tracing }: Core, body: string): Promise<string> {
  const wanted = body.trim()
  if (wanted === 'true') await tracing.enable()
  else if (wanted === 'false') tracing.disable()
  else throw invalidParameter(`expected true or false, got ${wanted}`)
  return wanted === 'true' ? 'trace enabled' : 'trace disabled'
}

function ready(core: Core): object {
  const reason = core.whyNotReady()
  const troubled = core.components.list().filter(({ state }) => state !== 'ok')
  if (reason === undefined) return troubled.length === 0 ? {} : { components: troubled }
  throw new DbError('StorageUnavailable', `the server answers, but ${reason}`, { retryAfter: 1 })
}

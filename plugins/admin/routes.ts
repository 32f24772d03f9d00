// The admin routes for everybody who reaches the main server: it is for operators.
import { type Core, DbError, type Parameters, type PluginApp, printConfig } from '../../core/index.ts'
import { changeLogLevel } from './log-level.ts'
import { status } from './status.ts'

export function routes(app: PluginApp<never, never>): void {
  const { core } = app
  const options = Object.fromEntries(core.plugins.map(plugin => [plugin.name, plugin.options]))
  const alive = async () => ({})
  app.route({ method: ['GET', 'POST'], url: '/health', handler: alive })
  app.route({ method: ['GET', 'POST'], url: '/ready', handler: async () => ready(core) })
  app.get('/status', async () => status(core))
  app.get('/metrics', async (_request, reply) => reply.type(core.metrics.contentType).send(await core.metrics.expose()))
  app.get('/config', { config: { sameOrigin: true } }, async (_request, reply) =>
    reply.type('text/plain; charset=utf-8').send(printConfig(core.config, { plugins: options }))
  )
  app.post('/debug/enable_trace', { config: { sameOrigin: true, timeLimit: false } }, async (request, reply) => {
    const said = await switchTrace(core, String(request.body ?? ''))
    request.log.info(said)
    return reply.type('text/plain; charset=utf-8').send(said)
  })
  app.post('/debug/log_level', { config: { sameOrigin: true, timeLimit: false } }, async (request, reply) => {
    const said = changeLogLevel(core, String(request.body ?? ''), request.query as Parameters)
    request.log.info(said)
    return reply.type('text/plain; charset=utf-8').send(said)
  })
}

/** The answer is what other servers of this interface say. */
async function switchTrace({ tracing }: Core, body: string): Promise<string> {
  const wanted = body.trim()
  if (wanted === 'true') await tracing.enable()
  else if (wanted === 'false') tracing.disable()
  else throw new DbError('InvalidArguments', `Invalid request parameter: expected true or false, got ${wanted}`)
  return wanted === 'true' ? 'trace enabled' : 'trace disabled'
}

function ready(core: Core): object {
  const reason = core.whyNotReady()
  if (reason === undefined) return {}
  throw new DbError('StorageUnavailable', `the server answers, but ${reason}`, { retryAfter: 1 })
}

// The admin routes for everybody who reaches the main server: it is for operators.
import { type Core, DbError, type PluginApp, printConfig } from '../../core/index.ts'
import { levels, parseLevel } from './level.ts'
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
  app.post('/debug/log_level', { config: { sameOrigin: true, timeLimit: false } }, async (request, reply) => {
    const text = String(request.body ?? '').trim()
    const level = parseLevel(text)
    if (level === undefined) {
      throw new DbError(
        'InvalidArguments',
        `Invalid request parameter: Invalid filter ${text}: expected ${levels.join(', ')}`
      )
    }
    const before = core.log.level
    core.log.level = level
    return reply.type('text/plain; charset=utf-8').send(`Log Level changed from ${before} to ${level}`)
  })
}

function ready(core: Core): object {
  if (core.isReady()) return {}
  throw new DbError('StorageUnavailable', 'the server answers, but its data files are still being checked', {
    retryAfter: 1
  })
}

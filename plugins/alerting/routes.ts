// `GET /v1/alerting/rules` and `/alerts`: all databases, or the one that is named.
import type { FastifyRequest } from 'fastify'
import { authorise, authoriseAll, type PluginApp, parameterOf } from '../../core/index.ts'
import type { OwnService } from './service.ts'

export function routes(app: PluginApp<never, 'promql' | 'sql' | 'metricsys'>, alerting: OwnService): void {
  app.get('/rules', async request => ({ groups: alerting.rules({ db: databaseOf(request) }) }))
  app.get('/alerts', async request => ({ alerts: alerting.alerts(databaseOf(request)) }))
}

/** The one that is named; undefined for all, which users who are limited to some may not see. */
function databaseOf(request: FastifyRequest): string | undefined {
  const { user, db } = request.ctx
  if (parameterOf(request, 'db') === undefined) {
    authoriseAll(user, 'read')
    return undefined
  }
  authorise(user, 'read')
  return db
}

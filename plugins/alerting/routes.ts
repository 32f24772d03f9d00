// `GET /v1/alerting/rules` and `/alerts`, of all databases or one.
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { authoriseAll, dbParameter, type PluginApp, parameterOf } from '../../core/index.ts'
import type { OwnService } from './service.ts'

const parameters = Type.Object({ db: dbParameter })
const listing = (summary: string, name: string) => ({
  ...{ summary, parameters },
  produces: { 'application/json': Type.Object({ [name]: Type.Array(Type.Object({})) }) }
})
const schemas = {
  rules: listing('Groups of rules and how they are', 'groups'),
  alerts: listing('Alerts that are pending or firing', 'alerts')
}

export function routes(app: PluginApp<never, 'promql' | 'sql' | 'metricsys'>, alerting: OwnService): void {
  const config = { action: 'read' } as const
  app.get('/rules', { schema: schemas.rules, config }, async request => ({
    groups: alerting.rules({ db: databaseOf(request) })
  }))
  app.get('/alerts', { schema: schemas.alerts, config }, async request => ({
    alerts: alerting.alerts(databaseOf(request))
  }))
}

/** The requested database; undefined for all, which users limited to some databases may not request. */
function databaseOf(request: FastifyRequest): string | undefined {
  const { user, db } = request.ctx
  if (parameterOf(request, 'db') !== undefined) return db
  authoriseAll(user, 'read')
  return undefined
}

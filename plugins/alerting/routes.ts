// `GET /v1/alerting/rules` and `/alerts`: all databases, or the one that is named.
import { authoriseAll, type PluginApp, parameterOf } from '../../core/index.ts'
import type { OwnService } from './service.ts'

export function routes(app: PluginApp<never, 'promql' | 'sql' | 'metricsys'>, alerting: OwnService): void {
  app.get('/rules', async request => {
    authoriseAll(request.ctx.user, 'read')
    return { groups: alerting.rules({ db: parameterOf(request, 'db') }) }
  })
  app.get('/alerts', async request => {
    authoriseAll(request.ctx.user, 'read')
    return { alerts: alerting.alerts(parameterOf(request, 'db')) }
  })
}

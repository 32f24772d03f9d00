// Prometheus remote write, remote read and query API. Each metric is a logical table; many metrics share a physical table.
import { Type } from 'typebox'
import { count, definePlugin, flag } from '../../core/index.ts'
import { apiRoutes } from './api/routes.ts'
import { formatError } from './errors.ts'
import { routes } from './routes.ts'
import { createService } from './write/service.ts'

export default definePlugin({
  name: 'metricsys',
  servers: ['main', 'public'],
  uses: ['pipelines', 'promql'],
  config: Type.Object({
    native_histograms: flag(true, 'Accepts native histograms; `false` refuses them.', { live: true }),
    max_read_metrics: count(1024, 'Metrics one query of remote read may ask for; more are refused with 400.', {
      live: true
    }),
    max_status_series: count(2_000_000, 'Series that `status/tsdb` counts; if there are more, the answer says so.', {
      live: true
    }),
    max_read_samples: count(50_000_000, 'Samples one remote read may answer with; more are refused with 400.', {
      live: true
    })
  }),
  setup: (core, config) => createService(core, config),
  async routes(app, config) {
    const { promql, metricsys } = app.services
    const { receive, rules } = metricsys
    routes(app, config, receive)
    if (promql === undefined) return
    await app.register(api => apiRoutes(api as typeof app, promql, rules, config), { prefix: '/api/v1' })
  },
  formatError
})

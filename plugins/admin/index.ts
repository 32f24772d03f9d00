// Operating the server: health, status, configuration, metrics, log level, backup, and what it keeps of itself. Only on the main server.
import { Type } from 'typebox'
import { count, definePlugin, duration } from '../../core/index.ts'
import { createBackups } from './backup.ts'
import { backupRoutes } from './backup-routes.ts'
import { routes } from './routes.ts'
import { countSelf, observeSelf } from './self/observation.ts'

export default definePlugin({
  name: 'admin',
  prefix: '',
  servers: ['main'],
  // Says how metrics are kept.
  uses: ['metricsys'],
  config: Type.Object({
    backup_idle: duration(600_000, 'A backup nobody fetches from for this time ends and keeps no files any more.', {
      minimum: 1
    }),
    max_backups: count(
      4,
      'Backups under way at the same time, further ones are refused with 429: each keeps its files on disk.'
    ),
    self_interval: duration(30_000, 'Time between two looks at the own metrics, where `enable_telemetry` keeps them.', {
      minimum: 100
    }),
    self_ttl: duration(
      7 * 24 * 3_600_000,
      "How long the server's own metrics and log are kept, where `enable_telemetry` keeps them; counts for tables that are not there yet.",
      { minimum: 1000 }
    )
  }),
  setup(core, config, { metricsys }) {
    const backups = createBackups(core, config)
    const counted = countSelf(core.metrics)
    const self = core.config.enable_telemetry ? observeSelf(core, config, counted, metricsys) : undefined
    return {
      ...backups,
      async close() {
        await self?.close()
        backups.close()
      }
    }
  },
  routes(app) {
    routes(app)
    backupRoutes(app, app.services.admin)
  }
})

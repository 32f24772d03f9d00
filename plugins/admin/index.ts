// Administration: health, status, configuration, metrics, log level, backups, and the server's record of its own metrics and log. Main server
// only.
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
  // For storing metrics.
  uses: ['metricsys'],
  config: Type.Object({
    backup_idle: duration(600_000, 'A backup ends, and its files are released, after this time without a request.', {
      minimum: 1
    }),
    max_backups: count(
      4,
      'Concurrent backups; further ones are refused with 429, because each keeps its files on disk.'
    ),
    self_interval: duration(30_000, "With `enable_telemetry`: interval at which the server's own metrics are stored.", {
      minimum: 100
    }),
    self_ttl: duration(
      7 * 24 * 3_600_000,
      "With `enable_telemetry`: time to live of the tables for the server's own metrics and log; used when they are created.",
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

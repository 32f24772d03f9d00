// Operating the server: health, status, configuration, metrics, log level, backup. Only on the main server.
import { Type } from 'typebox'
import { definePlugin, duration } from '../../core/index.ts'
import { createBackups } from './backup.ts'
import { backupRoutes } from './backup-routes.ts'
import { routes } from './routes.ts'

export default definePlugin({
  name: 'admin',
  prefix: '',
  servers: ['main'],
  config: Type.Object({
    backup_idle: duration(600_000, 'A backup nobody fetches from for this time ends and keeps no files any more.', {
      minimum: 1
    })
  }),
  setup: (core, config) => createBackups(core, config.backup_idle),
  routes(app) {
    routes(app)
    backupRoutes(app, app.services.admin)
  }
})

// The dashboard: serves the built web application (source in web/) and saved dashboards; other plugins add pages.
import { fileURLToPath } from 'node:url'
import { Type } from 'typebox'
import { count, definePlugin, size } from '../../core/index.ts'
import { openBoards } from './boards/store.ts'
import { createPages } from './pages.ts'
import { type OwnService, routes } from './routes.ts'

/** `folder` contains the built web application. */
export function dashboardPlugin(folder: string) {
  return definePlugin({
    name: 'dashboard',
    prefix: '/dashboard',
    servers: ['main', 'public'],
    config: Type.Object({
      max_dashboards: count(1_000, 'Dashboards that are saved, of all users; more are refused.', { live: true }),
      max_dashboard_size: size(2 ** 20, 'Bytes of one saved dashboard; a larger one is refused.', {
        minimum: 1,
        live: true
      })
    }),
    setup: async (core, config) => ({ ...createPages(), boards: await openBoards(core, config) }) satisfies OwnService,
    routes: app => routes(app, app.services.dashboard, folder)
  })
}

export default dashboardPlugin(fileURLToPath(new URL('./assets', import.meta.url)))

// The dashboard: a page to look at one's data, built apart (web/) and served as files; other plugins add pages of their own.
import { fileURLToPath } from 'node:url'
import { Type } from 'typebox'
import { definePlugin } from '../../core/index.ts'
import { createPages } from './pages.ts'
import { routes } from './routes.ts'

/** `folder`: where the built dashboard lies. */
export function dashboardPlugin(folder: string) {
  return definePlugin({
    name: 'dashboard',
    prefix: '/dashboard',
    servers: ['main', 'public'],
    config: Type.Object({}),
    setup: () => createPages(),
    routes: app => routes(app, app.services.dashboard, folder)
  })
}

export default dashboardPlugin(fileURLToPath(new URL('./assets', import.meta.url)))

// The dashboard: a page to look at one's data, built apart (web/) and served as files; other plugins add pages of their own.
import { Type } from 'typebox'
import { definePlugin } from '../../core/index.ts'
import { createPages } from './pages.ts'
import { routes } from './routes.ts'

export default definePlugin({
  name: 'dashboard',
  prefix: '/dashboard',
  servers: ['main', 'public'],
  config: Type.Object({}),
  setup: () => createPages(),
  routes: app => routes(app, app.services.dashboard)
})

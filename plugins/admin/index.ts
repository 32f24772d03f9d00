// Operating the server: health, status, configuration, metrics, log level. Only on the main server.
import { Type } from 'typebox'
import { definePlugin } from '../../core/index.ts'
import { routes } from './routes.ts'

export default definePlugin({
  name: 'admin',
  prefix: '',
  servers: ['main'],
  config: Type.Object({}),
  routes
})

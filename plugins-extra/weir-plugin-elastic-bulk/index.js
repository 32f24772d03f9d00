// Logs of senders that speak to Elasticsearch: its bulk API and what they ask before, into pipelines.
import { definePlugin } from 'weir-server'
import { credentialsOf } from './credentials.js'
import { options } from './options.js'
import { createReceive } from './receive.js'
import { errorBody } from './reply.js'
import { routes } from './routes.js'

/** @import {} from 'weir-server/services' */

export default definePlugin({
  name: 'elastic',
  api: 1,
  prefix: '/v1/elastic',
  servers: ['main', 'public'],
  needs: ['pipelines'],
  config: options,
  setup: (core, config, { pipelines }) => createReceive(core, config, pipelines),
  routes: (app, config) => routes(app, config, app.services.elastic),
  credentials: request => credentialsOf(request.headers.authorization),
  formatError: error => errorBody(error)
})

// JSON put requests: each metric becomes a table with tags, a time and a value.
import { Type } from 'typebox'
import { count, definePlugin, size } from '../../core/index.ts'
import { formatError } from './errors.ts'
import { createReceive } from './receive.ts'
import { routes } from './routes.ts'

export default definePlugin({
  name: 'tsdbput',
  servers: ['main', 'public'],
  config: Type.Object({
    max_point_size: size(
      64 * 2 ** 10,
      'Bytes of one point in the body; a request with a larger one is refused with 400.',
      { minimum: 1 }
    ),
    max_request_tables: count(10_000, 'Metrics of one request; a request with more is refused with 400.')
  }),
  setup: (core, config) => createReceive(core, config),
  routes: (app, config) => routes(app, app.services.tsdbput, config),
  formatError
})

// Points of JSON put requests: a metric is a table with its tags, a time and a number.
import { Type } from 'typebox'
import { count, definePlugin, size, tableLimits } from '../../core/index.ts'
import { formatError } from './errors.ts'
import { createReceive } from './receive.ts'
import { routes } from './routes.ts'

export default definePlugin({
  name: 'tsdbput',
  prefix: '/v1/tsdbput',
  servers: ['main', 'public'],
  config: Type.Object({
    max_series: count(
      1_000_000,
      'Series of one table. Points of further ones are refused; each takes some 300 bytes of memory.'
    ),
    max_columns: count(1_000, 'Columns of one table. Points whose tags would need further ones are refused.'),
    max_tables: count(20_000, 'Tables of one database. Points of metrics that would need further ones are refused.'),
    max_point_size: size(
      64 * 2 ** 10,
      'Bytes of one point in the body; a request with a larger one is refused with 400.',
      { minimum: 1 }
    ),
    max_request_tables: count(10_000, 'Metrics of one request; a request with more is refused with 400.')
  }),
  setup(core, config) {
    const requestTables = { most: config.max_request_tables, key: 'plugins.tsdbput.max_request_tables' }
    return createReceive(core, { ...tableLimits(core.plugin, config), requestTables })
  },
  routes: (app, config) => routes(app, app.services.tsdbput, config),
  formatError
})

// Log lines in as log shippers push them: streams with labels, as protobuf or JSON.
import { Type } from 'typebox'
import { count, definePlugin, size, tableLimits } from '../../core/index.ts'
import { formatError } from './errors.ts'
import { createReceive } from './receive.ts'
import { routes } from './routes.ts'

export default definePlugin({
  name: 'logpush',
  prefix: '/v1/logpush',
  servers: ['main', 'public'],
  uses: ['pipelines'],
  config: Type.Object({
    max_entry_size: size(
      2 ** 20,
      'Bytes of one entry, its structured metadata included; larger ones are left out and told in the answer.',
      { minimum: 1 }
    ),
    max_series: count(
      1_000_000,
      'Series (sets of label values) of one table. Pushes with further ones are refused with 400; each takes some 300 bytes of memory.'
    ),
    max_columns: count(
      1_000,
      'Columns of one table. Pushes whose labels would need further ones are refused with 400.'
    ),
    max_tables: count(20_000, 'Tables of one database. Pushes that would need a further one are refused with 400.')
  }),
  setup: (core, config) =>
    createReceive(core, { ...tableLimits(core.plugin, config), entrySize: config.max_entry_size }),
  routes: app => routes(app, app.services.logpush),
  formatError
})

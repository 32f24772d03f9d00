// Log lines in as log shippers push them: streams with labels, as protobuf or JSON.
import { Type } from 'typebox'
import { definePlugin } from '../../core/index.ts'
import { formatError } from './errors.ts'
import { createReceive, type Receive } from './receive.ts'
import { routes } from './routes.ts'

const count = (byDefault: number, description: string) => Type.Integer({ default: byDefault, minimum: 1, description })

export default definePlugin({
  name: 'logpush',
  prefix: '/v1/logpush',
  servers: ['main', 'public'],
  uses: ['pipelines'],
  config: Type.Object({
    max_series: count(
      1_000_000,
      'Series (sets of label values) of one table. Pushes to a table that has as many are refused with 400; each takes some 300 bytes of memory.'
    ),
    max_columns: count(1_000, 'Columns of one table. Pushes whose labels would need further ones are refused with 400.')
  }),
  setup: (core, { max_series, max_columns }) =>
    createReceive(core, {
      series: { most: max_series, key: 'plugins.logpush.max_series' },
      columns: { most: max_columns, key: 'plugins.logpush.max_columns' }
    }),
  routes(app) {
    routes(app, (app.services as unknown as { readonly logpush: Receive }).logpush)
  },
  formatError
})

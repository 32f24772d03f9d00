// Log queries as JSON: `/v1/logs`.
import { Type } from 'typebox'
import { definePlugin, size } from '../../core/index.ts'
import { routes } from './routes.ts'

const count = (byDefault: number, description: string) => Type.Integer({ default: byDefault, minimum: 1, description })

export default definePlugin({
  name: 'logquery',
  prefix: '/v1/logs',
  servers: ['main', 'public'],
  config: Type.Object({
    default_rows: count(1_000, 'Rows of an answer where the query does not say how many.'),
    max_rows: count(1_000_000, 'Rows one query may ask for, those it skips included; one that asks for more fails.'),
    max_query_size: size(2 ** 20, 'Bytes of one query; a longer one fails.', { minimum: 1 }),
    max_query_nodes: count(10_000, 'Filters, expressions and values of one query; one with more fails.')
  }),
  routes: (app, config) => routes(app, config)
})

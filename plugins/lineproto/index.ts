// Receives line protocol: a measurement becomes a table, tags and fields its columns.
import { Type } from 'typebox'
import { count, definePlugin, size } from '../../core/index.ts'
import { readCredentials } from './credentials.ts'
import { formatError } from './errors.ts'
import { createReceive } from './receive.ts'
import { routes } from './routes.ts'

export default definePlugin({
  name: 'lineproto',
  servers: ['main', 'public'],
  config: Type.Object({
    merge_mode: Type.Union([Type.Literal('last_non_null'), Type.Literal('last_row')], {
      default: 'last_non_null',
      description: '`merge_mode` of tables that writes create: how rows with the same tags and time are merged.'
    }),
    max_request_tables: count(10_000, 'Measurements of one request; more are refused with 400.'),
    max_request_cells: count(
      1 << 24,
      'Values of one request, those that lines leave out included; more are refused with 400.'
    ),
    max_key_size: size(
      1 << 20,
      'Bytes of the measurement and the tags of one line, as they are written; a request with more is refused with 400.',
      { minimum: 1 }
    ),
    max_text_size: size(
      16 << 20,
      'Bytes of the text of one field, as it is written; a request with a longer one is refused with 400.',
      { minimum: 1 }
    ),
    cache_size: size(32 << 20, 'Memory for cached measurements and fields; beyond it the cache is rebuilt.')
  }),
  setup: (core, config) => createReceive(core, config),
  routes: app => routes(app, app.services.lineproto),
  formatError,
  credentials: readCredentials
})

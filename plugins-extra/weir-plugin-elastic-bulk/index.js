// Logs of senders that speak to Elasticsearch: its bulk API and what they ask before, into pipelines.

import { Type } from 'typebox'
import { count, definePlugin, flag } from 'weir-server'
import { credentialsOf } from './credentials.js'
import { createReceive } from './receive.js'
import { errorBody } from './reply.js'
import { routes } from './routes.js'

export default definePlugin({
  name: 'elastic',
  prefix: '/v1/elastic',
  servers: ['main', 'public'],
  needs: ['pipelines'],
  config: Type.Object({
    version: Type.String({
      default: '8.17.0',
      pattern: '^\\d+\\.\\d+\\.\\d+$',
      description: 'Version senders are told; some refuse to send to an older one than their own.'
    }),
    pipeline: Type.String({
      default: 'svc_identity',
      minLength: 1,
      description: 'Pipeline of documents whose request names none.'
    }),
    table: Type.String({ default: '', description: 'Table of all documents; empty: the one named like their index.' }),
    strip_dates: flag(true, 'Dates at the end of an index, `logs-2026.11.23`, are no part of the name of its table.'),
    time_index: Type.String({
      default: '@timestamp;datestr;%+',
      description:
        'Field of the time, for `svc_identity`: `field;datestr;format` or `field;epoch;unit`. Without it the time of arrival counts.'
    }),
    max_documents: count(100_000, 'Documents of one request; one with more is refused with 413.'),
    max_tables: count(
      100,
      'Tables that the documents of one request may go to; documents for further ones are refused.'
    )
  }),
  setup: (core, config, { pipelines }) => createReceive(core, config, pipelines),
  routes: (app, config) => routes(app, config, app.services.elastic),
  credentials: request => credentialsOf(request.headers.authorization),
  formatError: error => errorBody(error)
})

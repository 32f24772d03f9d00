// Receives log lines in the push protocol of log shippers: streams with labels, as protobuf or JSON.
import { Type } from 'typebox'
import { definePlugin, size } from '../../core/index.ts'
import { formatError } from './errors.ts'
import { createReceive } from './receive.ts'
import { routes } from './routes.ts'

export default definePlugin({
  name: 'logpush',
  servers: ['main', 'public'],
  uses: ['pipelines'],
  config: Type.Object({
    max_entry_size: size(
      2 ** 20,
      'Bytes of one entry, its structured metadata included; larger ones are left out and reported in the answer. Labels of a stream that take more are refused with 413.',
      { minimum: 1 }
    )
  }),
  setup: (core, config) => createReceive(core, config),
  routes: app => routes(app, app.services.logpush),
  formatError
})

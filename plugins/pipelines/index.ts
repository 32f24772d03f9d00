// Log pipelines: documents that say how items become rows, their versions, and the service that runs them.
import { Type } from 'typebox'
import { definePlugin, size } from '../../core/index.ts'
import { routes } from './routes.ts'
import { createService, type OwnService } from './service.ts'

export default definePlugin({
  name: 'pipelines',
  prefix: '/v1/pipelines',
  servers: ['main', 'public'],
  config: Type.Object({
    variables_from_input: Type.Boolean({
      default: false,
      description:
        'Table-option variables count also where the items bring them, not only where a processor wrote them.'
    }),
    dry_run_max_items: Type.Integer({ default: 10, minimum: 1, description: 'More items than this are refused.' }),
    max_document_size: size(128 * 1024, 'Larger YAML documents are refused.', { minimum: 1 }),
    max_groups: Type.Integer({
      default: 1000,
      minimum: 1,
      description: 'Rows of one request go to at most so many combinations of table and table options.'
    }),
    max_dispatch_depth: Type.Integer({
      default: 8,
      minimum: 1,
      maximum: 100,
      description:
        'Dispatch rules may hand an item on from pipeline to pipeline this often; then the request is refused.'
    })
  }),
  setup: (core, config) => createService(core, config),
  routes: (app, config) => routes(app, app.services.pipelines as OwnService, config)
})

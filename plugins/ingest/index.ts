// Log ingestion: items in three content types, through a pipeline, into a table.
import { Type } from 'typebox'
import { definePlugin } from '../../core/index.ts'
import { routes } from './routes.ts'

export default definePlugin({
  name: 'ingest',
  servers: ['main', 'public'],
  config: Type.Object({}),
  needs: ['pipelines'],
  routes
})

// Slow queries: counted, logged and kept in a table, for every plugin that runs queries. The keys are those of `[slow_query]`.
import { Type } from 'typebox'
import { definePlugin } from '../../core/index.ts'
import { createService } from './service.ts'

export default definePlugin({
  name: 'slowquery',
  prefix: '',
  servers: [],
  config: Type.Object({}),
  setup: core => createService(core)
})

// Flows: tables of aggregates over windows of time, kept up to date as rows are written to their source tables.
import { Type } from 'typebox'
import { count, definePlugin, duration, size } from '../../core/index.ts'
import { openFlows } from './service.ts'

export default definePlugin({
  name: 'flows',
  prefix: '/v1/flows',
  servers: ['main'],
  uses: ['sql'],
  config: Type.Object({
    interval: duration(1_000, 'Time between two looks at what was written to the tables that flows read.', {
      minimum: 50
    }),
    queue: size(
      16 * 2 ** 20,
      'Bytes of rows that may wait for a look of one flow. Where more were written, the flow computes all its windows anew.',
      { minimum: 1024 }
    ),
    max_flows: count(100, 'Flows of all databases; more are refused.')
  }),
  setup: (core, config, { sql }) => openFlows(core, sql, config),
  // Its statements are those of SQL.
  routes: () => {}
})

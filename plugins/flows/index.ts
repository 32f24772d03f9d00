// Flows: tables of aggregates over windows of time, kept up to date as rows are written to their source tables.
import { Type } from 'typebox'
import { count, definePlugin, duration, size } from '../../core/index.ts'
import { openFlows } from './service.ts'

export default definePlugin({
  name: 'flows',
  servers: ['main'],
  uses: ['sql'],
  config: Type.Object({
    interval: duration(1_000, 'Interval at which flows read new rows of their source tables.', {
      minimum: 50
    }),
    queue: size(
      16 * 2 ** 20,
      'Bytes of new rows that may wait for one flow. If more are written, the flow recomputes all its windows.',
      { minimum: 1024 }
    ),
    max_flows: count(100, 'Flows of all databases; more are refused.')
  }),
  setup: (core, config, { sql }) => openFlows(core, sql, config),
  // No routes: flows are created by SQL statements.
  routes: () => {}
})

// PromQL: the language, its engine, and `/v1/promql`.
import { Type } from 'typebox'
import { count, countedLength, defaultPatternLength, definePlugin, duration, flag } from '../../core/index.ts'
import { routes } from './routes.ts'
import { createService } from './service.ts'
import { reducerModule } from './source/store-source.ts'

export default definePlugin({
  name: 'promql',
  servers: ['main', 'public'],
  uses: ['slowquery'],
  config: Type.Object({
    experimental: flag(false, 'Accepts functions and syntax that Prometheus itself calls experimental.', {
      live: true
    }),
    lookback: duration(300_000, 'Lookback delta: how long a sample remains the current value of its series.', {
      minimum: 1,
      live: true
    }),
    timeout: duration(
      120_000,
      'How long one query may take, waiting included; one that takes longer fails with 408 (the query API: 503).',
      { live: true }
    ),
    max_concurrent_queries: count(
      20,
      'Queries that run at the same time; further ones wait (`max_waiting_queries`, `query_wait_timeout`), and users take turns.',
      { live: true }
    ),
    max_samples: count(50_000_000, 'Samples one query may hold at a time; a query that needs more fails with 422.', {
      live: true
    }),
    max_total_samples: count(
      100_000_000,
      'Samples all running queries may hold together, those read and those computed, some 16 bytes each; a series that is read counts as 30 more. A query that needs more is refused with 429.',
      { live: true }
    ),
    max_points: count(
      11_000,
      'Steps of a range query; one with more fails with 400. Subqueries are bounded by max_samples.',
      { live: true }
    ),
    max_metrics: count(1_024, 'Tables one selector may name; a selector that names more fails with 400.', {
      live: true
    }),
    max_selectors: count(
      100,
      'Selectors (`match[]`) of one request for series, labels or values of a label; one with more fails with 400.',
      { live: true }
    ),
    max_query_length: count(100_000, 'Characters of one query.', { live: true }),
    max_query_depth: count(200, 'How deep one query may nest.', { live: true }),
    max_pattern_length: count(
      defaultPatternLength,
      `Characters of the regular expressions of one query; ${countedLength}. Choices of plain words such as \`a|b\` in matchers do not count.`,
      { live: true, maximum: 100_000 }
    ),
    max_query_operators: count(2_000, 'Operators between operands of one query.', { live: true, maximum: 5_000 })
  }),
  reducers: [reducerModule],
  setup: (core, config, { slowquery }) => createService(core, config, slowquery),
  routes: app => routes(app, app.services.promql)
})

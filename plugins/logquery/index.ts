// Log queries as JSON (`/v1/logs`), live tails (`/v1/logs/tail`) and patterns of log lines (`/v1/logs/patterns`).
import { Type } from 'typebox'
import { count, definePlugin, duration, size } from '../../core/index.ts'
import { routes } from './routes.ts'
import { createService } from './service.ts'

export default definePlugin({
  name: 'logquery',
  prefix: '/v1/logs',
  servers: ['main', 'public'],
  uses: ['slowquery'],
  config: Type.Object({
    default_rows: count(1_000, 'Rows of an answer where the query does not say how many.'),
    max_rows: count(1_000_000, 'Rows one query may ask for, those it skips included; one that asks for more fails.'),
    max_query_size: size(2 ** 20, 'Bytes of one query; a longer one fails.', { minimum: 1 }),
    max_query_nodes: count(10_000, 'Filters, expressions and values of one query; one with more fails.'),
    max_pattern_lines: count(1_000_000, 'Lines used for patterns: the latest ones of the range.'),
    max_pattern_length: count(1_000, 'Characters of each line used for patterns; the rest is ignored.'),
    max_pattern_templates: count(
      10_000,
      'Templates (lines that differ in more than numbers) used for patterns: the most frequent ones. Lines of other templates are in no pattern.'
    ),
    max_tails: count(50, 'Live tails that run at the same time, on both servers; further ones are refused with 429.'),
    tail_buffer: size(
      16 * 2 ** 20,
      'Bytes of rows that may wait for one live tail whose client reads slowly; further ones are left out, and the client is told how many.',
      { minimum: 1 }
    ),
    tail_heartbeat: duration(15_000, 'Time without an event after which a live tail sends a heartbeat.', {
      minimum: 100
    })
  }),
  setup: (core, config) => createService(core, config.max_tails),
  routes: (app, config) => routes(app, config, app.services.logquery)
})

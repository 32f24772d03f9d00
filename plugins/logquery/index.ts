// Log queries as JSON, `/v1/logs`, their live tail, `/v1/logs/tail`, and patterns of lines, `/v1/logs/patterns`.
import { Type } from 'typebox'
import { count, definePlugin, duration, size } from '../../core/index.ts'
import { routes } from './routes.ts'
import { createService } from './service.ts'

export default definePlugin({
  name: 'logquery',
  prefix: '/v1/logs',
  servers: ['main', 'public'],
  config: Type.Object({
    default_rows: count(1_000, 'Rows of an answer where the query does not say how many.'),
    max_rows: count(1_000_000, 'Rows one query may ask for, those it skips included; one that asks for more fails.'),
    max_query_size: size(2 ** 20, 'Bytes of one query; a longer one fails.', { minimum: 1 }),
    max_query_nodes: count(10_000, 'Filters, expressions and values of one query; one with more fails.'),
    max_pattern_lines: count(1_000_000, 'Lines that patterns are made of: the newest of the range.'),
    max_pattern_length: count(
      1_000,
      'Characters of a line that patterns are made of; what is behind them is left aside.'
    ),
    max_pattern_templates: count(
      10_000,
      'Lines that differ in more than numbers, which patterns are made of: the most frequent. The others are of no pattern.'
    ),
    max_tails: count(50, 'Live tails that run at the same time, on both servers; further ones are refused with 429.'),
    tail_buffer: size(
      16 * 2 ** 20,
      'Bytes of rows that may wait for one live tail whose client reads slowly; further ones are left out, and the client is told how many.',
      { minimum: 1 }
    ),
    tail_heartbeat: duration(15_000, 'How long a live tail is silent before it sends a heartbeat.', { minimum: 100 })
  }),
  setup: (core, config) => createService(core, config.max_tails),
  routes: (app, config) => routes(app, config, app.services.logquery)
})

// The Jaeger query API over stored traces, for the Jaeger UI and Grafana.
import { Type } from 'typebox'
import { count, definePlugin, duration, size } from '../../core/index.ts'
import { formatError } from './errors.ts'
import { routes } from './routes.ts'

export default definePlugin({
  name: 'jaeger',
  servers: ['main', 'public'],
  config: Type.Object({
    max_traces: count(1500, 'Traces one search may ask for; more are refused with 400.'),
    max_spans: count(200_000, 'Spans one answer may hold; an answer that would have more is refused with 400.'),
    max_answer_size: size(
      128 * 2 ** 20,
      'Bytes that the spans of one answer may hold; an answer that would have more is refused with 400.',
      { minimum: 1 }
    ),
    max_names: count(
      100_000,
      'Services or operations one answer may list; an answer that would have more is refused with 400.'
    ),
    lookback: duration(172_800_000, 'How far back a search without `start` goes.', { minimum: 1 }),
    trace_window: duration(
      21_600_000,
      'Spans of found traces are read from this long before the first matching span until this long after the last.'
    )
  }),
  routes,
  formatError
})

// OTLP over HTTP: metrics, traces and logs, as protobuf and JSON.
import { Type } from 'typebox'
import { count, definePlugin, flag, size } from '../../core/index.ts'
import { encodeResponse } from './encode.ts'
import { formatError } from './errors.ts'
import { promotedByDefault, type Strategy, strategies } from './metrics/policy.ts'
import { createReceive } from './receive.ts'
import { routes } from './routes.ts'

const texts = (byDefault: readonly string[], description: string) =>
  Type.Array(Type.String(), { default: [...byDefault], description })

export default definePlugin({
  name: 'telemetry',
  servers: ['main', 'public'],
  uses: ['pipelines', 'metricsys'],
  config: Type.Object({
    metric_translation_strategy: Type.Unsafe<Strategy>({
      type: 'string',
      enum: strategies,
      default: 'UnderscoreEscapingWithSuffixes',
      description: 'How names of metrics and labels are translated, unless a header of the request says otherwise.'
    }),
    promote_resource_attributes: texts(promotedByDefault, 'Resource attributes that become labels of metrics.'),
    promote_all_resource_attributes: flag(false, 'All resource attributes become labels of metrics.'),
    ignore_resource_attributes: texts([], 'Attributes left out when `promote_all_resource_attributes` is on.'),
    promote_scope_attributes: flag(
      false,
      'Name, version, schema URL and attributes of the scope become labels of metrics, `otel_scope_*`.'
    ),
    start_times: flag(
      true,
      'Stores the start times of counters, histograms and summaries in `svc_metric_start_times`.'
    ),
    max_items: count(
      1_000_000,
      'Resources, scopes, and spans, metrics or log records of one request, all together; one with more is refused with 413.'
    ),
    max_item_size: size(
      2 ** 20,
      'Bytes of one span, log record or data point as protobuf; larger ones are left out and reported as rejected. A request with a larger resource or scope is refused with 413.',
      { minimum: 1 }
    ),
    max_item_values: count(
      100_000,
      'Values nested in one log record, in its resource and in its scope, each by itself, that a pipeline takes; a request with more is refused with 413.'
    ),
    max_extract_keys: count(
      64,
      'Attributes of log records that one request may store in columns of their own; more are refused with 400.',
      { minimum: 0 }
    ),
    max_series_size: size(
      2 ** 16,
      'Bytes of the names and values of the labels of one series of metrics; points of longer ones are left out.',
      { minimum: 1 }
    ),
    max_attribute_columns: count(
      1000,
      'Attributes of spans, scopes and resources that have a column of their own in a table of traces; further ones share a JSON column.',
      { minimum: 0 }
    ),
    max_operations: count(
      10_000,
      'Operations stored in the table of operations beside a table of traces; further ones are left out.',
      { minimum: 0 }
    )
  }),
  setup(core, config, services) {
    return {
      receive: createReceive(core, config, services),
      answer: taken => encodeResponse('logs', 'protobuf', taken)
    }
  },
  routes: app => routes(app, app.services.telemetry),
  formatError
})

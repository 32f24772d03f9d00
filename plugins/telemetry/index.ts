// Metrics, traces and logs by OTLP over HTTP, as protobuf and as JSON.
import { Type } from 'typebox'
import { definePlugin } from '../../core/index.ts'
import { createCounters } from './counters.ts'
import { createReceiveLogs } from './logs/receive.ts'
import { createReceiveMetrics } from './metrics/receive.ts'
import { routes } from './routes.ts'
import { createReceiveTraces } from './traces/receive.ts'

export default definePlugin({
  name: 'telemetry',
  prefix: '/v1/telemetry',
  servers: ['main', 'public'],
  uses: ['pipelines'],
  config: Type.Object({}),
  setup: core => ({
    count: createCounters(core.metrics),
    receivers: {
      metrics: createReceiveMetrics(core),
      traces: createReceiveTraces(core),
      logs: createReceiveLogs(core)
    }
  }),
  routes(app) {
    const { telemetry } = app.services as unknown as { readonly telemetry: Service }
    routes(app, telemetry.receivers, telemetry.count)
  }
})

interface Service {
  readonly count: Parameters<typeof routes>[2]
  readonly receivers: Parameters<typeof routes>[1]
}

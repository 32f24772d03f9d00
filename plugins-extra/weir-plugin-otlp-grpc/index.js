// Metrics, traces and logs by OTLP over gRPC, as the plugin telemetry keeps them.

import { Type } from 'typebox'
import { definePlugin, grpcOptions } from 'weir-server'

const signals = {
  '/opentelemetry.proto.collector.metrics.v1.MetricsService/Export': 'metrics',
  '/opentelemetry.proto.collector.trace.v1.TraceService/Export': 'traces',
  '/opentelemetry.proto.collector.logs.v1.LogsService/Export': 'logs'
}

export default definePlugin({
  name: 'otlpgrpc',
  prefix: '/v1/otlpgrpc',
  servers: [],
  needs: ['telemetry'],
  config: Type.Object({ grpc: grpcOptions('127.0.0.1:4317', 'OTLP over gRPC; TLS where there is a certificate.') }),
  setup: (_core, _config, { telemetry }) => ({
    export:
      signal =>
      async ({ ctx, headers, message }) =>
        telemetry.answer(await telemetry.receive(signal, { ctx, headers, body: message }))
  }),
  listeners: (_core, { grpc }, service) => [
    {
      transport: 'grpc',
      name: 'grpc',
      options: grpc,
      methods: Object.fromEntries(Object.entries(signals).map(([path, signal]) => [path, service.export(signal)]))
    }
  ]
})

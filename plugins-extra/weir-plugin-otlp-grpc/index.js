// Metrics, traces and logs by OTLP over gRPC, as the plugin telemetry keeps them.
import { definePlugin, grpcOptions, Type } from 'weir-server'

/** @import { GrpcCall } from 'weir-server' */
/** @import { TelemetrySignal } from 'weir-server/services' */

/** Methods of the protocol, and the signal each takes in. @type {ReadonlyMap<string, TelemetrySignal>} */
const signals = new Map([
  ['/opentelemetry.proto.collector.metrics.v1.MetricsService/Export', 'metrics'],
  ['/opentelemetry.proto.collector.trace.v1.TraceService/Export', 'traces'],
  ['/opentelemetry.proto.collector.logs.v1.LogsService/Export', 'logs']
])

export default definePlugin({
  name: 'otlpgrpc',
  api: 1,
  prefix: '/v1/otlpgrpc',
  servers: [],
  needs: ['telemetry'],
  config: Type.Object({ grpc: grpcOptions('127.0.0.1:4317', 'OTLP over gRPC; TLS where there is a certificate.') }),
  setup: (_core, _config, { telemetry }) => ({
    /**
     * Stores an Export…ServiceRequest and resolves to the Export…ServiceResponse, both as bytes of Protocol Buffers. Rejects with a DbError
     * where nothing of the request is stored.
     * @param {TelemetrySignal} signal
     * @param {GrpcCall} call
     */
    async export(signal, { ctx, headers, message }) {
      return telemetry.answer(await telemetry.receive(signal, { ctx, headers, body: message }))
    }
  }),
  listeners: (_core, { grpc }, service) => [
    {
      transport: 'grpc',
      name: 'grpc',
      options: grpc,
      methods: Object.fromEntries(Array.from(signals, ([path, signal]) => [path, call => service.export(signal, call)]))
    }
  ]
})

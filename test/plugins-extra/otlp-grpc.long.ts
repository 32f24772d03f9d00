// OTLP over gRPC: the exporters of the OpenTelemetry SDK for the three signals, with users, compression and TLS.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { credentials, Metadata, type ServiceError } from '@grpc/grpc-js'
import { SeverityNumber } from '@opentelemetry/api-logs'
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-grpc'
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-grpc'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-grpc'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs'
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics'
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import type { Test } from 'tap'
import t from 'tap'
import { pause } from '../../core/index.ts'
import { pluginContract } from '../contract/index.ts'
import { askSql, startServer, temporaryFolder } from '../helpers.ts'
import { findProgram } from '../programs.ts'
import { installExtra } from './install.ts'

const resource = resourceFromAttributes({ 'service.name': 'shop' })
const users = 'user_provider = "static_user_provider:cmd:agent:wo=w,reader:ro=r"\n'

async function serve(t: Test, top = '', grpc = '') {
  const { folder } = installExtra(t, 'weir-plugin-otlp-grpc')
  const toml = `${top}[plugins.otlpgrpc]\nmodule = "weir-plugin-otlp-grpc"\n[plugins.otlpgrpc.grpc]\naddr = "127.0.0.1:0"\n${grpc}`
  const server = await startServer(t, toml, { folder })
  return { server, url: `http://127.0.0.1:${server.listeners.get('otlpgrpc.grpc')!.port}` }
}

function metadataOf(user: string, more: Readonly<Record<string, string>> = {}): Metadata {
  const metadata = new Metadata()
  metadata.set('authorization', `Basic ${Buffer.from(user).toString('base64')}`)
  for (const [name, value] of Object.entries(more)) metadata.set(name, value)
  return metadata
}

/** The error of the export, undefined where there is none. */
async function logOnce(exporter: OTLPLogExporter, body: string): Promise<Partial<ServiceError> | undefined> {
  let failure: Partial<ServiceError> | undefined
  const provider = new LoggerProvider({
    resource,
    processors: [
      new BatchLogRecordProcessor({
        exporter: {
          export: (records, done) =>
            exporter.export(records, result => {
              failure = result.error
              done(result)
            }),
          shutdown: () => exporter.shutdown(),
          forceFlush: async () => {}
        }
      })
    ]
  })
  provider.getLogger('orders').emit({ body, severityNumber: SeverityNumber.INFO })
  await provider.forceFlush().catch(() => {})
  await provider.shutdown().catch(() => {})
  return failure
}

t.test('metrics, traces and logs of the SDK', async t => {
  const { server, url } = await serve(t, users)
  const sql = (text: string) => askSql(server, text, { user: 'reader:r' })
  const gzip = 'gzip' as never

  const metrics = new OTLPMetricExporter({ url, metadata: metadataOf('agent:w'), compression: gzip })
  const meters = new MeterProvider({
    resource,
    readers: [new PeriodicExportingMetricReader({ exporter: metrics, exportIntervalMillis: 60_000 })]
  })
  const meter = meters.getMeter('orders')
  meter.createCounter('orders').add(5, { shop: 'a' })
  meter.createHistogram('took', { unit: 's', advice: { explicitBucketBoundaries: [1, 5] } }).record(3)
  await meters.shutdown()
  t.same(await sql('SELECT svc_value, shop, job FROM orders_total'), [[5, 'a', 'shop']])
  t.same(await sql('SELECT le, svc_value FROM took_seconds_bucket ORDER BY svc_value, le'), [
    ['1', 0],
    ['+Inf', 1],
    ['5', 1]
  ])

  const traces = new OTLPTraceExporter({ url, metadata: metadataOf('agent:w') })
  const tracers = new TracerProvider({ resource, spanProcessors: [new BatchSpanProcessor({ exporter: traces })] })
  const span = tracers.getTracer('orders').startSpan('pay', { attributes: { order: 7 } })
  span.addEvent('asked')
  span.end()
  await tracers.shutdown()
  t.same(await sql('SELECT service_name, span_name, "span_attributes.order", trace_id FROM telemetry_traces'), [
    ['shop', 'pay', 7, span.spanContext().traceId]
  ])

  const logs = new OTLPLogExporter({
    url,
    metadata: metadataOf('agent:w', { 'x-svc-log-table-name': 'app' }),
    compression: gzip
  })
  t.equal(await logOnce(logs, 'order is late'), undefined)
  t.same(await sql('SELECT body, severity_number FROM app'), [['order is late', 9]])
  const counted = await server.core.metrics.expose()
  for (const service of ['metrics.v1.MetricsService', 'trace.v1.TraceService', 'logs.v1.LogsService'])
    t.match(counted, `method="/opentelemetry.proto.collector.${service}/Export",status="0"} 1`)
})

t.test('senders without permission are told, and do not try again', async t => {
  const { server, url } = await serve(t, users)
  const failureAs = (metadata: Metadata) =>
    logOnce(new OTLPLogExporter({ url, metadata }), 'x').then(error => error?.message ?? '')
  t.match(await failureAs(new Metadata()), /UNAUTHENTICATED/)
  t.match(await failureAs(metadataOf('agent:no')), /UNAUTHENTICATED/)
  t.match(await failureAs(metadataOf('reader:r')), /PERMISSION_DENIED/)
  t.match(await failureAs(metadataOf('agent:w', { 'x-svc-db-name': 'none' })), /INVALID_ARGUMENT.*none/)
  t.match(await failureAs(metadataOf('agent:w', { 'x-svc-pipeline-name': 'none' })), /INVALID_ARGUMENT.*none/)
  t.match(await server.core.metrics.expose(), 'svc_refused_total{plugin="otlpgrpc",code="PermissionDenied"} 1')
})

t.test('requests may be sent again, when the server says, while it has no room', async t => {
  const top = 'max_in_flight_write_bytes = "64KiB"\nwrite_bytes_exhausted_policy = "fail"\n'
  const { server, url } = await serve(t, top)
  // What fills the room for a while.
  const { port } = server.main.server.address() as { port: number }
  const holding = request({ port, method: 'POST', path: '/v1/lineproto/write' })
  holding.on('error', () => {}).write(Buffer.alloc(60_000))
  const refused = async () => (await server.core.metrics.expose()).includes('in_use_bytes 60416')
  while (!(await refused())) await pause(20)
  const body = `late ${'x'.repeat(10_000)}`
  const failure = await logOnce(new OTLPLogExporter({ url }), body)
  t.match(failure?.message, /RESOURCE_EXHAUSTED.*max_in_flight_write_bytes/)
  t.match(String(failure?.metadata?.get('grpc-status-details-bin')[0]), 'google.rpc.RetryInfo')
  holding.destroy()
  while (await refused()) await pause(20)
  t.equal(await logOnce(new OTLPLogExporter({ url }), body), undefined)
  t.same(await askSql(server, 'SELECT count(*) FROM telemetry_logs'), [[1]])
  t.match(await server.core.metrics.expose(), 'svc_refused_total{plugin="otlpgrpc",code="RateLimited"} 1')
})

t.test('over TLS', async t => {
  const folder = temporaryFolder(t)
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '9']
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  execFileSync(findProgram('openssl')!, ['req', ...kind, ...subject, '-keyout', key, '-out', cert], { stdio: 'pipe' })
  const { server, url } = await serve(t, '', `cert_path = "${cert}"\nkey_path = "${key}"\n`)
  const exporter = new OTLPLogExporter({
    url: url.replace('http://127.0.0.1', 'https://localhost'),
    credentials: credentials.createSsl(readFileSync(cert))
  })
  t.equal(await logOnce(exporter, 'sealed'), undefined)
  t.same(await askSql(server, 'SELECT body FROM telemetry_logs'), [['sealed']])
})

t.test('it keeps the contract of plugins', async t => {
  const { module } = installExtra(t, 'weir-plugin-otlp-grpc')
  const { default: plugin } = await import(join(module, 'index.js'))
  await pluginContract(t, { plugin, options: 'grpc.addr = "127.0.0.1:0"' })
})

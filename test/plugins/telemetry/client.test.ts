// The exporters of the OpenTelemetry SDK for metrics and logs, in both encodings, against the real routes.
import { ValueType } from '@opentelemetry/api'
import { SeverityNumber } from '@opentelemetry/api-logs'
import { OTLPLogExporter as JsonLogs } from '@opentelemetry/exporter-logs-otlp-http'
import { OTLPLogExporter as ProtoLogs } from '@opentelemetry/exporter-logs-otlp-proto'
import { OTLPMetricExporter as JsonMetrics } from '@opentelemetry/exporter-metrics-otlp-http'
import { OTLPMetricExporter as ProtoMetrics } from '@opentelemetry/exporter-metrics-otlp-proto'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs'
import { AggregationType, MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics'
import t from 'tap'
import { askSql, startServer } from '../../helpers.ts'

const server = await startServer(t, 'user_provider = "static_user_provider:cmd:agent:wo=w,reader:ro=r"')
const basic = (user: string) => ({ authorization: `Basic ${Buffer.from(user).toString('base64')}` })
const url = (signal: string) => `${server.addresses.main}/v1/telemetry/v1/${signal}`

const sql = (text: string) => askSql(server, text, { user: 'reader:r' })

for (const [name, Exporter] of [
  ['proto', ProtoMetrics],
  ['json', JsonMetrics]
] as const) {
  t.test(`a meter that exports ${name}`, async t => {
    const exporter = new Exporter({
      url: url('metrics'),
      headers: basic('agent:w'),
      ...(name === 'proto' && { compression: 'gzip' as never })
    })
    const provider = new MeterProvider({
      resource: resourceFromAttributes({ 'service.name': `shop-${name}` }),
      readers: [new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 60_000 })],
      views: [
        {
          instrumentName: `${name}.exponential`,
          aggregation: { type: AggregationType.EXPONENTIAL_HISTOGRAM }
        }
      ]
    })
    const meter = provider.getMeter('orders', '1.0')
    meter.createCounter(`${name}.orders`, { description: 'Orders.', valueType: ValueType.INT }).add(5, { shop: 'a' })
    meter.createUpDownCounter(`${name}.queue`).add(-2.5)
    meter.createObservableGauge(`${name}.heat`, { unit: 'Cel' }).addCallback(result => result.observe(21.5))
    const took = meter.createHistogram(`${name}.took`, { unit: 's', advice: { explicitBucketBoundaries: [1, 5] } })
    const fine = meter.createHistogram(`${name}.exponential`)
    for (const value of [0.5, 3, 9]) {
      took.record(value)
      fine.record(value)
    }
    // Exports what there is.
    await provider.shutdown()

    t.same(await sql(`SELECT svc_value, shop, job FROM ${name}_orders_total`), [[5, 'a', `shop-${name}`]])
    t.same(await sql(`SELECT svc_value FROM ${name}_queue`), [[-2.5]])
    t.same(await sql(`SELECT svc_value FROM ${name}_heat_celsius`), [[21.5]])
    t.same(await sql(`SELECT le, svc_value FROM ${name}_took_seconds_bucket ORDER BY svc_value`), [
      ['1', 1],
      ['5', 2],
      ['+Inf', 3]
    ])
    const [[stored]] = await sql(`SELECT svc_native_histogram FROM ${name}_exponential`)
    t.match(typeof stored === 'string' ? JSON.parse(stored) : stored, { count_i64: 3, sum: 12.5 })
    t.same(await sql(`SELECT type, help FROM svc_metric_metadata WHERE metric = '${name}_orders_total'`), [
      ['counter', 'Orders.']
    ])
  })
}

for (const [name, Exporter] of [
  ['proto', ProtoLogs],
  ['json', JsonLogs]
] as const) {
  t.test(`a logger that exports ${name}`, async t => {
    const exporter = new Exporter({
      url: url('logs'),
      headers: { ...basic('agent:w'), 'x-svc-log-table-name': `app_${name}` },
      ...(name === 'json' && { compression: 'gzip' as never })
    })
    const provider = new LoggerProvider({
      resource: resourceFromAttributes({ 'service.name': 'shop' }),
      processors: [new BatchLogRecordProcessor({ exporter })]
    })
    const logger = provider.getLogger('orders', '1.0')
    const time = new Date('2026-01-02T03:04:05.678Z')
    logger.emit({
      ...{ timestamp: time, severityNumber: SeverityNumber.WARN, severityText: 'WARN' },
      body: 'order is late',
      attributes: { order: 7, late: true, tags: ['a', 'b'] }
    })
    logger.emit({ timestamp: new Date(time.getTime() + 1), body: { order: { id: 8 } }, eventName: 'order.done' })
    // Exports what there is.
    await provider.shutdown()

    const columns = 'timestamp, severity_text, severity_number, body, log_attributes, scope_name, event_name'
    const rows = await sql(`SELECT ${columns} FROM app_${name} ORDER BY timestamp`)
    const parse = (value: unknown) => (typeof value === 'string' ? JSON.parse(value) : value)
    t.equal(rows.length, 2)
    t.same(
      rows.map((row: unknown[]) => row.with(4, parse(row[4]))),
      [
        [1767323045678000000, 'WARN', 13, 'order is late', { order: 7, late: true, tags: ['a', 'b'] }, 'orders', ''],
        [1767323045679000000, '', 0, '{"order":{"id":8}}', {}, 'orders', 'order.done']
      ]
    )
    const [[resource]] = await sql(`SELECT resource_attributes FROM app_${name} LIMIT 1`)
    t.equal(parse(resource)['service.name'], 'shop')
  })
}

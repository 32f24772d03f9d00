// The exporters of the OpenTelemetry SDK and its instrumentation of a real application, read back by the Jaeger API.
import { FastifyOtelInstrumentation } from '@fastify/otel'
import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { OTLPTraceExporter as ProtoExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import Fastify from 'fastify'
import t from 'tap'
import { startServer } from '../../../helpers.ts'

const server = await startServer(t, 'user_provider = "static_user_provider:cmd:agent:wo=w,reader:ro=r"')
const basic = (user: string) => ({ authorization: `Basic ${Buffer.from(user).toString('base64')}` })

async function ask(path: string) {
  const answer = await server.main.inject({ url: `/v1/jaeger/api${path}`, headers: basic('reader:r') })
  return answer.json().data
}

const options = { url: `${server.addresses.main}/v1/telemetry/v1/traces`, headers: basic('agent:w') }

for (const [name, createExporter] of [
  ['protobuf', () => new ProtoExporter({ ...options, compression: 'gzip' as never })],
  ['JSON', () => new JsonExporter(options)]
] as const) {
  t.test(`a Fastify application that exports ${name}`, async t => {
    const service = `shop-${name}`
    const exporter = createExporter()
    const provider = new TracerProvider({
      resource: resourceFromAttributes({ 'service.name': service, 'service.version': '1.2.3' }),
      spanProcessors: [new BatchSpanProcessor({ exporter })]
    })
    const instrumentation = new FastifyOtelInstrumentation()
    instrumentation.setTracerProvider(provider)
    const app = Fastify()
    await app.register(instrumentation.plugin())
    const tracer = provider.getTracer('orders', '0.1')
    app.get('/orders/:id', async request => {
      const parent = trace.setSpan(context.active(), request.opentelemetry().span!)
      const span = tracer.startSpan(
        'load order',
        { kind: SpanKind.CLIENT, attributes: { 'db.rows': 3, cached: false, share: 0.25, tags: ['a', 'b'] } },
        parent
      )
      span.addEvent('slow', { ms: 12 })
      span.setStatus({ code: SpanStatusCode.ERROR, message: 'gone' })
      span.end()
      return { ok: true }
    })
    t.equal((await app.inject('/orders/7')).statusCode, 200)
    await app.close()
    await provider.forceFlush()
    await provider.shutdown()

    t.ok((await ask('/services')).includes(service))
    t.ok((await ask(`/services/${service}/operations`)).includes('load order'))
    const [found, ...others] = await ask(`/traces?service=${service}&operation=load+order&lookback=1h`)
    t.equal(others.length, 0)
    const span = found.spans.find(({ operationName }: { operationName: string }) => operationName === 'load order')
    const tags = Object.fromEntries(span.tags.map(({ key, value }: { key: string; value: unknown }) => [key, value]))
    t.match(tags, {
      'db.rows': 3,
      cached: false,
      share: 0.25,
      tags: '["a","b"]',
      error: true,
      'otel.status_description': 'gone',
      'span.kind': 'client',
      'otel.scope.name': 'orders'
    })
    t.match(span.logs, [
      {
        fields: [
          { key: 'event', value: 'slow' },
          { key: 'ms', type: 'int64', value: 12 }
        ]
      }
    ])
    const [{ spanID: parentId }] = span.references
    const parent = found.spans.find(({ spanID }: { spanID: string }) => spanID === parentId)
    t.match(
      parent.tags.find(({ key }: { key: string }) => key === 'http.route'),
      { value: '/orders/:id' }
    )
    t.match(found.processes[span.processID], { serviceName: service })
    const [again] = await ask(`/traces/${found.traceID}`)
    t.equal(again.spans.length, found.spans.length)
    t.ok(found.spans.length >= 3, 'the request, its handler, and what it did')
  })
}

// Spans as OpenTelemetry has them, sent by OTLP. Only loaded when somebody traces: the one door to these packages.
import { randomBytes } from 'node:crypto'
import {
  type Context,
  type Span as OtelSpan,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace
} from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  type SpanExporter,
  type SpanProcessor,
  TraceIdRatioBasedSampler,
  TracerProvider
} from '@opentelemetry/sdk-trace'
import { version } from '../version.ts'
import type { Span, SpanFacts, TraceBackend } from './trace.ts'

export interface OtlpOptions {
  readonly endpoint: string
  readonly headers: Readonly<Record<string, string>>
  /** Of the traces that begin here, 0 to 1; those of a client are traced as the client wants it. */
  readonly ratio: number
  /** Told of each batch. */
  readonly sent: (spans: number, failure: Error | undefined) => void
  /** Called for each span that is dropped because the queue is full. */
  readonly dropped: () => void
}

/** Spans that wait to be sent, or for an answer; further ones are dropped. */
const maxWaiting = 4096
const maxBatchSpans = 512
/** Milliseconds between two batches, and until one that is not answered is given up. */
const pause = 500
const patience = 5000

const texts = { limit: 1024 }

export function openOtlp(options: OtlpOptions): TraceBackend {
  const { endpoint, headers, ratio } = options
  const exporter = new OTLPTraceExporter({
    url: endpoint,
    // A server that traces itself must not make traces of sending traces: its own requests say that they are not sampled.
    headers: { ...headers, traceparent: `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-00` },
    timeoutMillis: patience
  })
  const batches = new BatchSpanProcessor({
    exporter: counted(exporter, (spans, failure) => {
      waiting -= spans
      options.sent(spans, failure)
    }),
    maxQueueSize: maxWaiting,
    maxExportBatchSize: maxBatchSpans,
    scheduledDelayMillis: pause,
    exportTimeoutMillis: patience
  })
  // The queue of the batches drops spans without telling.
  let waiting = 0
  const processor: SpanProcessor = {
    onStart: (span, context) => batches.onStart(span, context),
    onEnd(span) {
      if (waiting >= maxWaiting) return options.dropped()
      waiting++
      batches.onEnd(span)
    },
    forceFlush: () => batches.forceFlush(),
    shutdown: () => batches.shutdown()
  }
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'weir', 'service.version': version }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
    spanLimits: { attributeValueLengthLimit: texts.limit },
    spanProcessors: [processor]
  })
  const tracer = provider.getTracer('weir', version)
  return {
    start: (name, facts, parent, request) => {
      const isServer = request !== undefined
      const context = isServer ? remoteContext(request.traceparent) : (parent as OwnSpan | undefined)?.context
      return makeSpan(tracer, name, facts, context ?? ROOT_CONTEXT, isServer)
    },
    close: () => provider.shutdown().catch(() => {})
  }
}

/** With the context its parts are in. */
interface OwnSpan extends Span {
  readonly context: Context
}

function makeSpan(tracer: Tracer, name: string, facts: SpanFacts, parent: Context, isServer: boolean): OwnSpan {
  const kind = isServer ? SpanKind.SERVER : SpanKind.INTERNAL
  const span: OtelSpan = tracer.startSpan(name, { kind, attributes: { ...facts } }, parent)
  return {
    context: trace.setSpan(parent, span),
    set: facts => void span.setAttributes({ ...facts }),
    fail(error) {
      const message = error instanceof Error ? error.message : String(error)
      span.setStatus({ code: SpanStatusCode.ERROR, message: message.slice(0, texts.limit) })
    },
    end: () => span.end()
  }
}

/** W3C Trace Context, 3.2; anything else counts as none. */
function remoteContext(traceparent: string | undefined): Context | undefined {
  const [, traceId, spanId, flags] =
    /^[0-9a-e][0-9a-f]-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})/.exec(traceparent ?? '') ?? []
  if (traceId === undefined || /^0+$/.test(traceId) || /^0+$/.test(spanId!)) return undefined
  const isSampled = (Number.parseInt(flags!, 16) & TraceFlags.SAMPLED) !== 0
  const traceFlags = isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId: spanId!, traceFlags, isRemote: true })
}

function counted(exporter: SpanExporter, sent: OtlpOptions['sent']): SpanExporter {
  return {
    export(spans, done) {
      exporter.export(spans, result => {
        sent(spans.length, result.code === 0 ? undefined : (result.error ?? new Error('the batch was refused')))
        done(result)
      })
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.()
  }
}

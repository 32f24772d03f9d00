// OpenTelemetry spans sent by OTLP. Loaded only when tracing is enabled; the only module that imports these packages.
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
  /** Sampling ratio (0 to 1) of traces that begin here; a client's traces are sampled as the client decides. */
  readonly ratio: number
  /** Called for each batch. */
  readonly sent: (spans: number, failure: Error | undefined) => void
  /** Called for each span dropped because the queue is full. */
  readonly dropped: () => void
}

/** Spans in the queue or being sent; further ones are dropped. */
const maxWaiting = 4096
const maxBatchSpans = 512
/** Milliseconds between two batches, and the timeout of one. */
const pause = 500
const patience = 5000

const texts = { limit: 1024 }

export function openOtlp(options: OtlpOptions): TraceBackend {
  const { endpoint, headers, ratio } = options
  const exporter = new OTLPTraceExporter({
    url: endpoint,
    // Marks the server's own requests as not sampled, so that a server that sends traces to itself does not trace that.
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
  // The SDK's queue drops spans silently, so they are counted here.
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

/** A span with the context for its children. */
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

/** Parses `traceparent` (W3C Trace Context, 3.2); undefined if it is invalid. */
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

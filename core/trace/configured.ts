// Tracing as `[tracing]` configures it: the target, the sampling ratio, and its metrics.
import type { Config } from '../config/schema.ts'
import type { Logger } from '../log/log.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { createTracing, type TraceSwitch } from './trace.ts'

/** Milliseconds between two log lines about spans that cannot be sent. */
const quiet = 60_000

/** Tracing that is off at first; it reads the configuration each time it is enabled. */
export function configuredTracing(config: Config['tracing'], log: Logger, metrics: Metrics): TraceSwitch {
  const help = 'Spans `sent` to tracing.otlp_endpoint, `failed` to be, or `dropped` because too many waited.'
  const spans = metrics.counter('svc_tracing_spans_total', help, ['result'])
  for (const result of ['sent', 'failed', 'dropped']) spans.add(0, { result })
  let warned = Number.NEGATIVE_INFINITY
  const sent = (count: number, failure: Error | undefined) => {
    spans.add(count, { result: failure === undefined ? 'sent' : 'failed' })
    if (failure === undefined || performance.now() - warned < quiet) return
    warned = performance.now()
    log.warn({ endpoint: config.otlp_endpoint, reason: failure.message }, 'spans could not be sent')
  }
  const dropped = () => spans.add(1, { result: 'dropped' })
  const tracing = createTracing(async () => {
    const { openOtlp } = await import('./otlp.ts')
    const headers = readHeaders(config.otlp_headers)
    return openOtlp({ endpoint: config.otlp_endpoint, headers, ratio: config.sample_ratio, sent, dropped })
  })
  metrics.gauge('svc_tracing_enabled', '1 while requests are traced.', [], gauge => gauge.set(tracing.isOn() ? 1 : 0))
  return tracing
}

/** Parses `name=value,other=value`. */
function readHeaders(text: string): Record<string, string> {
  const pairs = text.split(',').filter(pair => pair.includes('='))
  return Object.fromEntries(
    pairs.map(pair => {
      const equals = pair.indexOf('=')
      return [pair.slice(0, equals).trim(), pair.slice(equals + 1).trim()]
    })
  )
}

// From a span to the metrics of its service at that time, those with an exemplar of its trace first.
import { exemplarsOfTrace } from '../../api/exemplars.ts'
import { labelValues, metadata, type Span as Seconds } from '../../api/promql.ts'
import { type Span, serviceOf, type Trace } from '../../api/traces.ts'
import { firstExpression, kindOf } from '../../metric-expressions.ts'
import { addressOf } from '../../router.ts'
import { database } from '../../session.ts'
import { useLoaded } from '../../task.ts'

/** Seconds before and after a span: rates need some. */
const reach = 600
/** Panels of the page it leads to. */
const maxPanels = 4

export function SpanMetrics({ trace, span }: { readonly trace: Trace; readonly span: Span }) {
  const service = serviceOf(trace, span)
  const times = { from: span.startTime / 1e6 - reach, to: (span.startTime + span.duration) / 1e6 + reach }
  const { value } = useLoaded(
    signal => expressionsOf(trace.traceID, service, times, { signal, db: database.value }),
    [trace.traceID, service, span.spanID, database.value]
  )
  if (value === undefined) return null
  if (value.length === 0) return <span class="quiet">no metrics of {service}</span>
  const [from, to] = [times.from, times.to].map(at => new Date(at * 1000).toISOString())
  return (
    <a class="button" href={addressOf('metrics', { panels: value.join('\n'), from, to })}>
      Metrics of {service}
    </a>
  )
}

interface Options {
  readonly signal: AbortSignal
  readonly db: string
}

async function expressionsOf(
  trace: string,
  service: string,
  times: Seconds,
  options: Options
): Promise<readonly string[]> {
  const [exemplars, { matcher, names }, about] = await Promise.all([
    exemplarsOfTrace(trace, times, options),
    metricsOf(service, times, options),
    metadata(options)
  ])
  const first = exemplars.filter(({ metric }) => names.includes(metric)).map(({ metric }) => metric)
  const rest = names.filter(name => !isPart.test(name)).toSorted((a, b) => rankOf(a) - rankOf(b) || (a < b ? -1 : 1))
  return [...new Set([...first, ...rest])]
    .slice(0, maxPanels)
    .map(name => firstExpression(name, kindOf(name, about[name]?.[0]?.type), matcher))
}

/** Names of a service's metrics, by the label that has its name: OpenTelemetry's own, else that of whoever scrapes. */
async function metricsOf(service: string, times: Seconds, options: Options) {
  const text = JSON.stringify(service)
  const job = JSON.stringify(`(.*/)?${service.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}`)
  for (const matcher of [`service_name=${text}`, `job=${text}`, `job=~${job}`]) {
    const names = await labelValues('__name__', `{${matcher}}`, times, options)
    if (names.length > 0) return { matcher, names }
  }
  return { matcher: '', names: [] }
}

/** Metrics that say little about a request. */
const isPart = /^(up|target_info|scrape_.*)$|_(sum|created|info)$/

/** How much a metric tells of a request, by its name: durations first. */
function rankOf(name: string): number {
  const ranks = [
    /(duration|latency|seconds|milliseconds)(_.*)?_bucket$/,
    /duration|latency/,
    /request|call|rpc/,
    /error|fail/
  ]
  const rank = ranks.findIndex(pattern => pattern.test(name))
  return rank < 0 ? ranks.length : rank
}

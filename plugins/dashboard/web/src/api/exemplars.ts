// Exemplars: single observations behind a metric, with the trace each was made in.
import { hasTable } from './catalog.ts'
import type { Span } from './promql.ts'
import { quoteText, rowsOf } from './sql.ts'

export interface Exemplar {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly value: number
  readonly trace_id: string | null
  /** Labels of its series, as JSON. */
  readonly series: string
}

/** The newest `most` of these metrics. */
export async function loadExemplars(
  metrics: readonly string[],
  { from, to }: Span,
  max: number,
  { signal, db }: { readonly signal: AbortSignal; readonly db: string }
): Promise<readonly Exemplar[]> {
  if (metrics.length === 0 || !(await hasTable(db, 'svc_exemplars', { signal }))) return []
  const times = [from, to].map(at => quoteText(new Date(at * 1000).toISOString()))
  return rowsOf<Exemplar>(
    `SELECT CAST(epoch_ms(svc_timestamp) AS BIGINT) AS at, svc_value AS value, trace_id, series FROM svc_exemplars WHERE metric IN (${metrics.map(quoteText)}) AND svc_timestamp BETWEEN ${times[0]} AND ${times[1]} ORDER BY svc_timestamp DESC LIMIT ${max}`,
    { signal, db }
  )
}

/** Metrics with exemplars that a trace left. */
export async function exemplarsOfTrace(
  trace: string,
  { from, to }: Span,
  options: { readonly signal: AbortSignal; readonly db: string }
): Promise<readonly { readonly metric: string }[]> {
  if (!(await hasTable(options.db, 'svc_exemplars', options))) return []
  const [first, last] = [from, to].map(at => new Date(at * 1000).toISOString())
  return rowsOf(
    'SELECT metric FROM svc_exemplars WHERE trace_id = $trace AND svc_timestamp BETWEEN $first AND $last GROUP BY metric ORDER BY count(*) DESC LIMIT 20',
    { ...options, params: { trace, first: first!, last: last! } }
  )
}

export function labelsText(series: string): string {
  const labels = Object.entries(JSON.parse(series) as Record<string, string>)
  return labels.map(([name, value]) => `${name}=${value}`).join(' ')
}

// Summaries of the traces of a time span, one row each: many more than a search could answer with all spans.
import { hasTable } from './catalog.ts'
import { spanTable, within } from './spans.ts'
import { rowsOf } from './sql.ts'
import { readTags, type TraceSearch } from './traces.ts'

export interface TraceFacts {
  readonly id: string
  /** Service and operation of its first span. */
  readonly title: string
  /** Microseconds since 1970. */
  readonly start: number
  /** Microseconds. */
  readonly duration: number
  readonly spans: number
  readonly failed: number
}

export interface FoundTraces {
  readonly traces: readonly TraceFacts[]
  /** About so many there are. */
  readonly all: number
}

interface Row {
  readonly trace_id: string
  readonly service: string | null
  readonly operation: string | null
  /** Nanoseconds since 1970. */
  readonly began: bigint
  readonly ended: bigint
  readonly spans: number
  readonly failed: number
}

interface Options {
  readonly db: string
  readonly signal: AbortSignal
}

/** Traces asked for at most, and how many of these are the longest ones where it is a sample. */
const maxTraces = 2_000
const maxLongest = 100
/** Milliseconds before and after the time in which spans of its traces may be. */
const reach = 600_000

/** The traces a search finds; of more than some 2,000 a sample and the longest. Undefined where only the search itself can tell. */
export async function loadTraceFacts(
  search: Omit<TraceSearch, 'limit'>,
  options: Options
): Promise<FoundTraces | undefined> {
  const conditions = conditionsOf(search)
  if (conditions === undefined || !(await hasTable(options.db, spanTable, options))) return undefined
  const { where, params } = conditions
  const [counted] = await rowsOf<{ n: number }>(
    `SELECT approx_count_distinct(trace_id) AS n FROM ${spanTable} WHERE ${where}`,
    { ...options, params }
  )
  const all = Number(counted?.n ?? 0)
  const ids = `SELECT trace_id FROM ${spanTable} WHERE ${where}`
  const wanted = all <= maxTraces ? ids : `${ids} AND ${isSampled(maxTraces / all)} UNION ${longestOf(ids)}`
  const rows = await rowsOf<Row>(
    `SELECT trace_id, arg_min(service_name, timestamp) AS service, arg_min(span_name, timestamp) AS operation,
       epoch_ns(min(timestamp)) AS began, epoch_ns(max(timestamp_end)) AS ended, count(*) AS spans,
       count(*) FILTER (WHERE span_status_code = 'STATUS_CODE_ERROR') AS failed
     FROM ${spanTable} WHERE ${within('', { from: search.from - reach, to: search.to + reach })} AND trace_id IN (${wanted})
     GROUP BY trace_id LIMIT ${2 * maxTraces}`,
    { ...options, params }
  )
  const traces = rows.map(({ trace_id, service, operation, began, ended, spans, failed }) => ({
    id: trace_id,
    title: `${service ?? ''}: ${operation ?? ''}`,
    start: Number(began) / 1000,
    duration: Math.max(1, Number(BigInt(ended) - BigInt(began)) / 1000),
    spans: Number(spans),
    failed: Number(failed)
  }))
  return { traces, all: all <= maxTraces ? traces.length : all }
}

/** Traces are picked by the last digits of their ids, which are random. */
function isSampled(share: number): string {
  const digits = Math.floor(share * 16 ** 4)
    .toString(16)
    .padStart(4, '0')
  return `right(trace_id, 4) < '${digits}'`
}

function longestOf(ids: string): string {
  return `(${ids} GROUP BY trace_id ORDER BY max(duration_nano) DESC LIMIT ${maxLongest})`
}

function conditionsOf({
  service,
  operation = '',
  tags = '',
  minDuration = '',
  maxDuration = '',
  ...span
}: Omit<TraceSearch, 'limit'>) {
  const { error, ...others } = readTags(tags)
  const [shortest, longest] = [minDuration, maxDuration].map(nanoseconds)
  const isKnown = shortest !== undefined && longest !== undefined && Object.keys(others).length === 0
  if (!isKnown || (error !== undefined && error !== 'true' && error !== 'false')) return undefined
  const parts = [
    'service_name = $service',
    within('', span),
    ...(operation === '' ? [] : ['span_name = $operation']),
    ...(minDuration === '' ? [] : [`duration_nano >= ${shortest}`]),
    ...(maxDuration === '' ? [] : [`duration_nano <= ${longest}`]),
    ...(error === undefined ? [] : [`span_status_code ${error === 'true' ? '=' : '<>'} 'STATUS_CODE_ERROR'`])
  ]
  return { where: parts.join(' AND '), params: { service, ...(operation !== '' && { operation }) } }
}

const units: Readonly<Record<string, number>> = { ns: 1, us: 1e3, µs: 1e3, ms: 1e6, s: 1e9, m: 60e9, h: 3600e9 }

/** Of a duration such as `1.5s`; 0 for none, undefined for what is no duration. */
function nanoseconds(text: string): number | undefined {
  if (text === '') return 0
  if (!/^(?:\d+(?:\.\d*)?(?:ns|us|µs|ms|s|m|h))+$/.test(text)) return undefined
  const parts = text.matchAll(/([\d.]+)([a-zµ]+)/g)
  return Math.round(Array.from(parts, ([, count, unit]) => Number(count) * units[unit!]!).reduce((a, b) => a + b, 0))
}

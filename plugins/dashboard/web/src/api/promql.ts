// PromQL over the Prometheus HTTP API of the server.
import { json, type Request } from './http.ts'

export interface Series {
  readonly labels: Readonly<Record<string, string>>
  /** Seconds since 1970. */
  readonly times: readonly number[]
  readonly values: readonly number[]
  /** Of native histograms, which have no values. */
  readonly histograms: readonly HistogramPoint[]
}

interface HistogramPoint {
  /** Seconds since 1970. */
  readonly time: number
  readonly buckets: readonly Bucket[]
}

interface Bucket {
  readonly lower: number
  readonly upper: number
  readonly count: number
}

export interface PromResult {
  readonly type: string
  readonly series: readonly Series[]
  readonly warnings: readonly string[]
}

type Point = readonly [time: number, value: string]
type WireBucket = readonly [bounds: number, lower: string, upper: string, count: string]
type WireHistogram = readonly [time: number, { readonly buckets?: readonly WireBucket[] }]

interface Reply {
  readonly data: {
    readonly resultType: string
    readonly result:
      | Point
      | readonly {
          readonly metric: Record<string, string>
          readonly value?: Point
          readonly values?: readonly Point[]
          readonly histogram?: WireHistogram
          readonly histograms?: readonly WireHistogram[]
        }[]
  }
  readonly warnings?: readonly string[]
  readonly infos?: readonly string[]
}

const root = '/v1/metricsys/api/v1'

export interface Span {
  /** Seconds since 1970. */
  readonly from: number
  readonly to: number
}

type Options = Pick<Request, 'signal' | 'db'>

/** At every step, in seconds, of a span. */
export async function queryRange(
  query: string,
  { from, to }: Span,
  step: number,
  options: Options = {}
): Promise<PromResult> {
  return readResult(
    await json<Reply>(`${root}/query_range`, { ...options, form: { query, start: from, end: to, step } })
  )
}

export async function queryAt(query: string, time: number, options: Options = {}): Promise<PromResult> {
  return readResult(await json<Reply>(`${root}/query`, { ...options, form: { query, time } }))
}

export async function labelValues(
  label: string,
  match: string | undefined,
  { from, to }: Span,
  options: Options = {}
): Promise<string[]> {
  const query = { 'match[]': match, start: from, end: to }
  return (await json<{ data: string[] }>(`${root}/label/${encodeURIComponent(label)}/values`, { ...options, query }))
    .data
}

export async function labelNames(
  match: string | undefined,
  { from, to }: Span,
  options: Options = {}
): Promise<string[]> {
  const query = { 'match[]': match, start: from, end: to }
  return (await json<{ data: string[] }>(`${root}/labels`, { ...options, query })).data
}

export interface Metadata {
  readonly type: string
  readonly help: string
  readonly unit: string
}

export async function metadata(options: Options = {}): Promise<Readonly<Record<string, readonly Metadata[]>>> {
  return (await json<{ data: Record<string, Metadata[]> }>(`${root}/metadata`, options)).data
}

export interface Counted {
  readonly name: string
  readonly value: number
}

interface Cardinality {
  readonly series: number
  readonly metrics: readonly Counted[]
  /** By values. */
  readonly labels: readonly Counted[]
  /** `name=value`, by series. */
  readonly pairs: readonly Counted[]
  readonly warnings: readonly string[]
}

/** The metrics, labels and label values with most series in a span, of all metrics or of one. */
export async function cardinality(
  { from, to }: Span,
  metric: string | undefined,
  options: Options = {}
): Promise<Cardinality> {
  const query = { start: from, end: to, metric, limit: 20 }
  const { data, warnings = [] } = await json<{ data: Record<string, Counted[]>; warnings?: string[] }>(
    `${root}/status/tsdb`,
    { ...options, query }
  )
  return {
    series: (data['headStats'] as unknown as { numSeries: number }).numSeries,
    metrics: data['seriesCountByMetricName']!,
    labels: data['labelValueCountByLabelName']!,
    pairs: data['seriesCountByLabelValuePair']!,
    warnings
  }
}

/** A step that gives a chart about so many points, in whole seconds. */
export function stepOf({ from, to }: Span, points = 240): number {
  return Math.max(1, Math.ceil((to - from) / points))
}

/** `name{a="b"}` as PromQL writes it. */
export function seriesName(labels: Readonly<Record<string, string>>): string {
  const { __name__: name = '', ...rest } = labels
  const pairs = Object.entries(rest).map(([label, value]) => `${label}=${JSON.stringify(value)}`)
  return pairs.length === 0 && name !== '' ? name : `${name}{${pairs.join(', ')}}`
}

/** A series' name as a legend says it: `{{job}}`. */
export function legendOf(legend: string, labels: Readonly<Record<string, string>>): string {
  return legend.replace(/\{\{\s*([^}]+?)\s*\}\}/g, (_, name: string) => labels[name] ?? '')
}

function readResult({ data, warnings = [], infos = [] }: Reply): PromResult {
  const { resultType, result } = data
  const lists =
    resultType === 'scalar' || resultType === 'string'
      ? [{ metric: {}, values: [result as Point], histograms: [] }]
      : (result as Exclude<typeof result, Point>).map(({ metric, value, values, histogram, histograms }) => ({
          metric,
          values: values ?? (value ? [value] : []),
          histograms: histograms ?? (histogram ? [histogram] : [])
        }))
  return {
    type: resultType,
    series: lists.map(({ metric, values, histograms }) => ({
      labels: metric,
      times: values.map(([time]) => time),
      values: values.map(([, value]) => Number(value)),
      histograms: histograms.map(([time, { buckets = [] }]) => ({ time, buckets: buckets.map(readBucket) }))
    })),
    warnings: [...warnings, ...infos]
  }
}

function readBucket([, lower, upper, count]: WireBucket): Bucket {
  return { lower: readBound(lower), upper: readBound(upper), count: Number(count) }
}

/** A bound as PromQL writes it: JavaScript writes `+Inf` in another way. */
export function readBound(text: string): number {
  return text.endsWith('Inf') ? (text.startsWith('-') ? -Infinity : Infinity) : Number(text)
}

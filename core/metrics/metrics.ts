// Metrics: prom-client behind a small interface, with its own registry.
import {
  collectDefaultMetrics,
  Counter as PromCounter,
  Gauge as PromGauge,
  Histogram as PromHistogram,
  Registry
} from 'prom-client'

type Labels = Readonly<Record<string, string>>

/** A metric that only increases. */
export interface Counter {
  add(amount: number, labels?: Labels): void
}

interface Gauge {
  set(value: number, labels?: Labels): void
}

/** A metric that counts values in buckets. */
export interface Histogram {
  /** Adds a value: seconds, unless the metric's name says otherwise. */
  observe(value: number, labels?: Labels): void
}

/** The metrics of the server. */
export interface Metrics {
  /** Creates a family, or returns the existing one of that name. Names start with `svc_`. */
  counter(name: string, help: string, labels?: readonly string[]): Counter
  gauge(name: string, help: string, labels?: readonly string[], collect?: (gauge: Gauge) => void | Promise<void>): Gauge
  histogram(name: string, help: string, labels?: readonly string[], buckets?: readonly number[]): Histogram
  /** All metrics in the Prometheus text format. */
  expose(): Promise<string>
  readonly contentType: string
  /** All metrics as values. */
  samples(): Promise<readonly MetricSample[]>
  /** The exposed families, by name. */
  families(): readonly MetricFamily[]
}

/** One value of a metric. */
export interface MetricSample {
  /** For histograms with the suffix `_bucket`, `_sum` or `_count`. */
  readonly name: string
  readonly labels: Labels
  readonly value: number
}

interface MetricFamily {
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram' | 'summary'
  readonly help: string
  readonly labels: readonly string[]
}

/** `process` adds the usual `process_*` and `nodejs_*` families. */
export function createMetrics(options: { readonly process?: boolean } = {}): Metrics {
  const registry = new Registry()
  if (options.process) collectDefaultMetrics({ register: registry })
  // Removes gauges that are named like counters; other families have the same values by type.
  for (const what of ['handles', 'requests', 'resources']) registry.removeSingleMetric(`nodejs_active_${what}_total`)
  const families = new Map<string, Counter | Gauge | Histogram>()
  const once = <F extends Counter | Gauge | Histogram>(name: string, make: () => F): F => {
    const known = families.get(name) as F | undefined
    if (known !== undefined) return known
    const made = make()
    families.set(name, made)
    return made
  }
  /** Shared by all callers within one turn of the event loop, because it takes some milliseconds. */
  let exposing: Promise<string> | undefined
  return {
    contentType: registry.contentType,
    expose() {
      exposing ??= new Promise<void>(resolve => setImmediate(resolve)).then(() => {
        exposing = undefined
        return registry.metrics()
      })
      return exposing
    },
    async samples() {
      const families = await registry.getMetricsAsJSON()
      return families.flatMap(({ name, values }) => values.map(value => sampleOf(name, value)))
    },
    families: () =>
      registry
        .getMetricsAsArray()
        .map(family => family as unknown as MetricFamily & { readonly labelNames: readonly string[] })
        .map(({ name, type, help, labelNames }) => ({ name, type, help, labels: labelNames }))
        .sort((a, b) => (a.name < b.name ? -1 : 1)),
    counter: (name, help, labels = []) =>
      once(name, () => {
        const family = new PromCounter({ name, help, labelNames: [...labels], registers: [registry] })
        return { add: (amount, values) => (values ? family.inc(values, amount) : family.inc(amount)) }
      }),
    gauge: (name, help, labels = [], collect) =>
      once(name, () => {
        const gauge: Gauge = { set: (value, values) => (values ? family.set(values, value) : family.set(value)) }
        const family = new PromGauge({
          name,
          help,
          labelNames: [...labels],
          registers: [registry],
          ...(collect && { collect: () => collect(gauge) })
        })
        return gauge
      }),
    histogram: (name, help, labels = [], buckets = [0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60, 300]) =>
      once(name, () => {
        const family = new PromHistogram({
          name,
          help,
          labelNames: [...labels],
          buckets: [...buckets],
          registers: [registry]
        })
        return { observe: (value, values) => (values ? family.observe(values, value) : family.observe(value)) }
      })
  }
}

/** Samples of histograms have their own exposed name. */
function sampleOf(family: string, value: object): MetricSample {
  const {
    metricName = family,
    labels,
    value: number
  } = value as {
    readonly metricName?: string
    readonly labels: Readonly<Record<string, string | number>>
    readonly value: number
  }
  const texts = Object.entries(labels).map(([name, text]) => [name, String(text)] as const)
  return { name: metricName, labels: Object.fromEntries(texts), value: number }
}

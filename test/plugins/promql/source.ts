// An engine's source with series in memory, and short forms of query results.
import { runAtOnce } from '../../../core/pace.ts'
import { Labels } from '../../../plugins/promql/engine/labels.ts'
import { type QueryAnswer, type QueryRequest, runQuery } from '../../../plugins/promql/engine/query.ts'
import { at, type Series, timeOf } from '../../../plugins/promql/engine/series.ts'
import type { RawSeries, SeriesSource } from '../../../plugins/promql/engine/source.ts'
import { type Histogram, noBuckets } from '../../../plugins/promql/histogram/histogram.ts'
import { histogramText } from '../../../plugins/promql/histogram/text.ts'
import type { VectorSelector } from '../../../plugins/promql/language/ast.ts'
import { compileMatcher } from '../../../plugins/promql/language/matcher.ts'
import { parse } from '../../../plugins/promql/language/parse.ts'
import { createReducer } from '../../../plugins/promql/source/reducer.ts'

/** Nothing, the end of the series, or a value. */
export type Point = null | 'stale' | number | Histogram

/** Points `step` milliseconds apart from time 0 on, by selectors such as `m{a="1"}`. */
export type Load = Readonly<Record<string, readonly Point[]>>

export const limits = {
  maxSamples: 1_000_000,
  maxPoints: 11_000,
  length: 10_000,
  depth: 200,
  operators: 2_000,
  patterns: 10_000
}

export function memorySource(step: number, load: Load): SeriesSource {
  const all = Object.entries(load).map(([name, points]) => toSeries(name, points, step))
  return {
    async select({ matchers, from, to }, _signal, room) {
      const tests = matchers.map(matcher => ({ name: matcher.name, test: compileMatcher(matcher) }))
      const found = all
        .filter(({ labels }) => tests.every(({ name, test }) => test(labels.get(name))))
        .map(series => between(series, from, to))
      for (const { floats, histograms } of found) room.take(floats.times.length + (histograms?.times.length ?? 0))
      return found
    }
  }
}

/** The same source, but for series that come reduced wherever steps are asked for. */
export function reducing(source: SeriesSource): SeriesSource {
  return {
    async select(selection, signal, room) {
      const found = await source.select(selection, signal, room)
      const { steps } = selection
      if (steps === undefined) return found
      const reduce = createReducer({ steps, perMilli: 1 })
      return (found as readonly RawSeries[]).flatMap((series): (RawSeries | Series)[] => {
        if (series.histograms !== undefined) return [series]
        const [kinds, values] = [new Uint8Array(steps.count), new Float64Array(steps.count)]
        const left = reduce(series.floats.times.slice(), series.floats.values.slice(), values, kinds)
        if (left !== undefined) runAtOnce(left)
        return kinds.includes(1) ? [{ labels: series.labels, kinds, values }] : []
      })
    }
  }
}

function toSeries(name: string, points: readonly Point[], step: number): RawSeries {
  const { matchers } = parse(name, limits) as VectorSelector
  const floats = new Map<number, number | undefined>()
  const histograms = new Map<number, Histogram>()
  for (const [i, point] of points.entries()) {
    if (point === 'stale') floats.set(i * step, undefined)
    else if (typeof point === 'number') floats.set(i * step, point)
    else if (point !== null) histograms.set(i * step, point)
  }
  const values = Float64Array.from(floats.values(), value => value ?? 0)
  const words = new BigUint64Array(values.buffer)
  for (const [i, value] of [...floats.values()].entries()) if (value === undefined) words[i] = 0x7ff0000000000002n
  return {
    labels: Labels.from(matchers.map(matcher => [matcher.name, matcher.value] as const)),
    floats: { times: Float64Array.from(floats.keys()), values },
    ...(histograms.size > 0 && {
      histograms: { times: Float64Array.from(histograms.keys()), values: [...histograms.values()] }
    })
  }
}

function between({ labels, floats, histograms }: RawSeries, from: number, to: number): RawSeries {
  const cut = (times: Float64Array) => {
    const first = times.findIndex(time => time >= from)
    const last = times.findLastIndex(time => time <= to) + 1
    return first < 0 ? ([0, 0] as const) : ([first, Math.max(first, last)] as const)
  }
  const [f, h] = [cut(floats.times), cut(histograms?.times ?? new Float64Array(0))]
  return {
    labels,
    floats: { times: floats.times.slice(...f), values: floats.values.slice(...f) },
    ...(histograms && {
      histograms: { times: histograms.times.slice(...h), values: histograms.values.slice(...h) }
    })
  }
}

/** A histogram with exponential buckets of schema 0: counts of the buckets (0.5, 1], (1, 2], (2, 4] … */
export function native(sum: number, counts: readonly number[], hint: Histogram['hint'] = 'unknown'): Histogram {
  return {
    schema: 0,
    zeroThreshold: 0,
    zeroCount: 0,
    count: counts.reduce((all, count) => all + count, 0),
    sum,
    positive: { indexes: Int32Array.from(counts.keys()), counts: Float64Array.from(counts) },
    negative: noBuckets,
    bounds: [],
    hint
  }
}

export interface Asked {
  /** Milliseconds. */
  readonly start?: number
  readonly end?: number
  /** Of a range query. */
  readonly step?: number
  readonly lookback?: number
  readonly experimental?: boolean
  readonly limits?: Partial<QueryRequest['limits']>
}

export async function run(source: SeriesSource, text: string, asked: Asked = {}): Promise<QueryAnswer> {
  const { start = 0, end = start, step, lookback = 300_000, experimental = true } = asked
  const request: QueryRequest = {
    text,
    times: { start, end, step: step ?? 0 },
    instant: step === undefined,
    lookback,
    experimental,
    limits: { ...limits, ...asked.limits }
  }
  return runQuery(source, request, new AbortController().signal)
}

/** Series of an instant query with their values: `{a="1"} 3`; one line for a scalar or a text. */
export async function ask(source: SeriesSource, text: string, asked: Asked = {}): Promise<string[]> {
  const { value, grid } = await run(source, text, asked)
  if (value.type === 'string') return [JSON.stringify(value.text)]
  if (value.type === 'scalar') return [[...value.values].map(short).join(' ')]
  if (value.type === 'matrix') {
    return value.samples.map(({ labels, floats, histograms }) => {
      const all = [...floats.times].map((time, i) => [time, short(floats.values[i]!)] as const)
      const others = [...histograms.times].map((time, i) => [time, histogramText(histograms.values[i]!)] as const)
      const points = [...all, ...others].sort(([a], [b]) => a - b)
      return `${labels} ${points.map(([time, point]) => `${point}@${time / 1_000}`).join(' ')}`
    })
  }
  return value.series.map(series => {
    const points = Array.from({ length: grid.count }, (_, step) => at(series, step))
    return `${series.labels} ${points.map(short).join(' ')}`
  })
}

/** Samples by labels and time, for comparing queries with each other. */
export async function samplesOf(source: SeriesSource, text: string, asked: Asked): Promise<Map<string, string>> {
  const { value, grid } = await run(source, text, asked)
  const found = new Map<string, string>()
  for (let step = 0; step < grid.count; step++) {
    const time = timeOf(grid, step)
    if (value.type === 'scalar') found.set(`${time}`, short(value.values[step]))
    if (value.type !== 'vector') continue
    for (const series of value.series) {
      const sample = at(series, step)
      if (sample !== undefined) found.set(`${series.labels} ${time}`, short(sample))
    }
  }
  return found
}

function short(value: number | Histogram | undefined): string {
  if (value === undefined) return '_'
  return typeof value === 'number' ? String(Number(value.toPrecision(10))) : histogramText(value)
}

// Runs queries over made-up samples while a server that started rests, so that the first real ones meet code that is compiled already.
import { runAtRest } from '../../core/index.ts'
import { resultPieces } from './api/result.ts'
import { Labels } from './engine/labels.ts'
import { runQuery } from './engine/query.ts'
import type { RawSeries, SeriesSource } from './engine/source.ts'

export interface WarmUp {
  /** Milliseconds a server must have rested for before each slice. */
  readonly rest: number
  /** Milliseconds of computing, all together. */
  readonly time: number
  readonly signal: AbortSignal
}

/** What dashboards are made of. */
const texts = [
  'made{host="a"}',
  '{host="a"}',
  'rate(made{host="a"}[1m])',
  'sum by (zone) (rate(made[1m]))',
  'topk(3, avg_over_time(made[1m]))',
  'max_over_time(sum(rate(made[1m]))[1m:30s])',
  'histogram_quantile(0.9, sum by (le) (rate(made[1m])))',
  'made / on (zone) group_left () sum by (zone) (made) * 100 > 0'
]

/** Resolves when the time is spent or the signal fires, with the number of queries. */
export function warmUp({ rest, time, signal }: WarmUp): Promise<number> {
  return runAtRest({ rest, time, signal, run: turn => runOne(texts[turn % texts.length]!, signal) })
}

/** Returns how long the answer is. */
async function runOne(text: string, signal: AbortSignal): Promise<number> {
  const times = { start: 0, end: step * (steps - 1), step }
  const request = { text, times, instant: false, lookback: step, experimental: false, limits }
  const answer = await runQuery(madeUp, request, signal)
  let length = 0
  for (const piece of resultPieces(answer, false, 0)) length += piece.length
  return length
}

const step = 10_000
const steps = 120
const hosts = 40
const limits = { maxSamples: 100_000, maxPoints: 1_000, length: 1_000, depth: 20 }

const madeUp: SeriesSource = {
  async select() {
    return Array.from({ length: hosts }, (_, host): RawSeries => {
      const labels = { __name__: 'made', host: `${host}`, le: `${host}`, zone: `${host % 2}` }
      const times = Float64Array.from({ length: steps }, (_, i) => i * step)
      return { labels: Labels.from(Object.entries(labels)), floats: { times, values: times.map(at => at / 7 + host) } }
    })
  }
}

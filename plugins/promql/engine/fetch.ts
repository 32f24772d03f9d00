// The samples a query needs: every selector with the times it looks at, asked for at once.
import { children, type Expr, type Shift, type VectorSelector } from '../language/ast.ts'
import type { Budget } from './limits.ts'
import type { RawSeries, Selection, SeriesSource } from './source.ts'

/** By selector of the prepared query. */
export type Fetched = ReadonlyMap<VectorSelector, readonly RawSeries[]>

interface Interval {
  readonly from: number
  readonly to: number
}

/** Reads the samples of every selector; `from` and `to` are the first and last evaluation time in milliseconds. */
export async function fetchSamples(
  source: SeriesSource,
  expr: Expr,
  times: Interval,
  lookback: number,
  budget: Budget
): Promise<Fetched> {
  const selections = new Map<VectorSelector, Selection>()
  collect(expr, times, lookback, selections)
  const asked = new Map<string, Promise<readonly RawSeries[]>>()
  const read = (selection: Selection) => {
    const key = JSON.stringify(selection)
    let samples = asked.get(key)
    if (samples === undefined) {
      samples = source.select(selection, budget.signal)
      asked.set(key, samples)
    }
    return samples
  }
  const found = await Promise.all(
    [...selections].map(async ([node, selection]) => [node, await read(selection)] as const)
  )
  for (const series of await Promise.all(asked.values())) budget.take(countSamples(series))
  return new Map(found)
}

function collect(expr: Expr, times: Interval, lookback: number, into: Map<VectorSelector, Selection>): void {
  const look = (selector: VectorSelector, back: number) => {
    const { from, to } = shifted(times, selector)
    // The left end of what is looked at is not part of it.
    into.set(selector, { matchers: selector.matchers, from: from - back + 1, to })
  }
  switch (expr.kind) {
    case 'selector':
      look(expr, lookback)
      return
    case 'matrix':
      look(expr.selector, expr.range as number)
      return
    case 'subquery': {
      const { from, to } = shifted(times, expr)
      collect(expr.expr, { from: from - (expr.range as number), to }, lookback, into)
      return
    }
    default:
      for (const child of children(expr)) collect(child, times, lookback, into)
  }
}

function shifted(times: Interval, { at, offset }: Shift): Interval {
  const [from, to] = at === undefined ? [times.from, times.to] : [at as number, at as number]
  return { from: from - (offset as number), to: to - (offset as number) }
}

function countSamples(series: readonly RawSeries[]): number {
  return series.reduce((sum, { floats, histograms }) => sum + floats.times.length + (histograms?.times.length ?? 0), 0)
}

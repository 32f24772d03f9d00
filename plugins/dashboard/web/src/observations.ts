// Single observations behind an expression: exemplars as dots on its chart, and the unit of what was observed.
import { type Exemplar, labelsText } from './api/exemplars.ts'
import type { Metadata } from './api/promql.ts'
import type { Dot } from './components/chart/dot.ts'
import { addressOf } from './router.ts'
import { formatTime } from './time.ts'
import { formatValue, type Unit, unitOfMetric } from './units.ts'

/** Exemplars drawn at most. */
export const maxDots = 100

/** Words of an expression outside of texts and selectors: its metrics are among them. */
export function wordsOf(expression: string): readonly string[] {
  const bare = expression.replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\{[^}]*\}|\[[^\]]*\]/g, ' ')
  return [...new Set(bare.match(/[a-zA-Z_:][a-zA-Z0-9_:]*/g) ?? [])]
}

/** Whether its values are such as were observed. */
export function isQuantile(expression: string): boolean {
  return /^\s*histogram_quantile\s*\(/.test(expression)
}

/** Unit of what a histogram of the expression counts. `about`: what the server says of its metrics. */
export function unitOfObserved(
  expression: string,
  about: Readonly<Record<string, readonly Metadata[]>> | undefined
): Unit {
  const units = wordsOf(expression).map(name => unitOfMetric(name, about?.[name]?.[0]?.unit))
  return units.find(unit => unit !== 'none') ?? 'none'
}

/** The exemplars that have a trace. Where the chart does not show the observed values themselves, the dots are drawn on the time axis. */
export function dotsOf(exemplars: readonly Exemplar[], unit: Unit, isObserved: boolean, db: string): readonly Dot[] {
  return exemplars.flatMap(({ at, value, trace_id, series }) => {
    if (trace_id === null || trace_id === '') return []
    const text = `Trace of ${formatValue(value, unit)}, ${formatTime(at)}, ${labelsText(series)}`
    const href = addressOf('traces', { trace: trace_id, db })
    return [{ time: at / 1000, value: isObserved ? value : undefined, text, href }]
  })
}

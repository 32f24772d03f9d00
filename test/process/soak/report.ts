// Prints a soak: memory by minute, where it is used, and the answers.
import type { Measure, Reading } from './measure.ts'
import { measures } from './measure.ts'
import type { SoakResult } from './run.ts'
import { median } from './verdict.ts'

const headings = `${'minute'.padStart(7)}${measures.map(name => name.padStart(12)).join('')}`

/** One line a minute, or one of twelve parts of a shorter run: medians, of the delay the largest. */
export function reportMinutes(readings: readonly Reading[]): string[] {
  const start = readings[0]?.at ?? 0
  const length = (readings.at(-1)?.at ?? 0) - start
  const part = Math.max(1, Math.min(60_000, length / 12))
  const groups = Map.groupBy(readings, ({ at }) => Math.floor((at - start) / part))
  const lines = [...groups].map(([, group]) => {
    const cells = measures.map(measure => {
      const values = group.map(reading => reading[measure])
      return format(measure, measure === 'delay' ? Math.max(...values) : median(values)).padStart(12)
    })
    return `${(group[0]!.at / 60_000).toFixed(1).padStart(7)}${cells.join('')}`
  })
  return [headings, ...lines]
}

export function reportResult({ verdicts, tallies, errors, rows }: SoakResult): string[] {
  const judged = verdicts.map(({ measure, median, slope, growth, limit, isFlat }) => {
    const trend = `${signed(measure, slope)} an hour, ${signed(measure, growth)} after the warm-up`
    const bound = Number.isFinite(limit) ? `, at most ${format(measure, limit)}: ${isFlat ? 'flat' : 'GROWS'}` : ''
    return `${measure.padEnd(9)} ${format(measure, median).padStart(10)}   ${trend}${bound}`
  })
  const answered = [...tallies].map(([name, { answered, spent, longest }]) => {
    const mean = answered === 0 ? 0 : spent / answered
    return `${name.padEnd(18)} ${String(answered).padStart(7)} answered, ${mean.toFixed(0)} ms, at most ${longest.toFixed(0)} ms`
  })
  const stored = [...rows].map(([table, count]) => `${table} ${count}`)
  const failed = [...errors].map(([error, count]) => `${count} × ${error}`)
  return [
    ...judged,
    ...answered,
    `rows that have not expired: ${stored.join(', ')}`,
    ...failed,
    `errors: ${failed.length === 0 ? 'none' : failed.length}`
  ]
}

function format(measure: Measure, value: number): string {
  if (measure === 'delay') return `${(value * 1000).toFixed(0)} ms`
  if (measure === 'rss' || measure === 'heap' || measure === 'external') return `${(value / 2 ** 20).toFixed(1)} MiB`
  return value.toFixed(value === Math.round(value) ? 0 : 1)
}

function signed(measure: Measure, value: number): string {
  return `${value < 0 ? '' : '+'}${format(measure, value)}`
}

// Windows of time as SQL, and runs of them.
import type { FlowDefinition, FlowQuery } from '../services.ts'

/** From a time to before another, nanoseconds since 1970; without one of them as far as there is anything. */
export interface Span {
  readonly from?: bigint
  readonly to?: bigint
}

export type Window = Required<Span>

/** Windows that touch become one run; ascending. */
export function joined(windows: readonly Window[]): Window[] {
  const runs: Window[] = []
  for (const { from, to } of windows.toSorted((a, b) => (a.from < b.from ? -1 : a.from > b.from ? 1 : 0))) {
    const last = runs.at(-1)
    if (last === undefined || from > last.to) runs.push({ from, to })
    else if (to > last.to) runs[runs.length - 1] = { from: last.from, to }
  }
  return runs
}

/**
 * The windows of rows, each once, as nanoseconds. A row that does not meet the condition of the query may have taken the place of one that did.
 */
export function windowsText({ window, length, from }: FlowQuery): string {
  const end = `CAST(${window} AS TIMESTAMP) + ${length}`
  return `SELECT DISTINCT epoch_ns(${window}) AS window_from, epoch_ns(${end}) AS window_to FROM ${from}`
}

/** The query over some windows, those that begin before `oldest` left out. */
export function spanText({ query }: FlowDefinition, span: Span, oldest: bigint | undefined): string {
  const { before, condition, after, time, window } = query
  const wanted = [
    ...(condition === '' ? [] : [`(${condition})`]),
    ...within(time, span),
    ...(oldest === undefined ? [] : [`${time} >= ${constant(oldest)}`, `${window} >= ${constant(oldest)}`])
  ]
  return `${before}${wanted.length === 0 ? '' : ` WHERE ${wanted.join(' AND ')}`} ${after}`
}

/** Conditions of a time. */
export function within(time: string, { from, to }: Span): string[] {
  return [
    ...(from === undefined ? [] : [`${time} >= ${constant(from)}`]),
    ...(to === undefined ? [] : [`${time} < ${constant(to)}`])
  ]
}

/** A time in UTC as a constant. */
function constant(time: bigint): string {
  const nanoseconds = ((time % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n
  const seconds = new Date(Number((time - nanoseconds) / 1_000_000n)).toISOString().slice(0, 19)
  return `'${seconds}.${String(nanoseconds).padStart(9, '0')}Z'`
}

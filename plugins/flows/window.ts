// Time windows of flows: merging them, and their SQL conditions.
import type { Dialect } from '../../core/index.ts'
import type { FlowDefinition, FlowQuery } from '../services.ts'

/** A half-open range of nanoseconds since 1970; an absent bound is open. */
export interface Span {
  readonly from?: bigint
  readonly to?: bigint
}

export type Window = Required<Span>

/** Merges adjacent windows; the result ascends. */
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
 * The windows of rows, each once, as nanoseconds. A row that does not meet the condition of the query may have replaced one that did.
 */
export function windowsText(dialect: Dialect, { window, length, from }: FlowQuery): string {
  const [start, end] = [window, dialect.later(window, length)].map(dialect.nanoseconds)
  return `SELECT DISTINCT ${start} AS window_from, ${end} AS window_to FROM ${from}`
}

/** The query over some windows, those that begin before `oldest` left out. */
export function spanText(dialect: Dialect, { query }: FlowDefinition, span: Span, oldest: bigint | undefined): string {
  const { before, condition, after, time, window } = query
  const wanted = [
    ...(condition === '' ? [] : [`(${condition})`]),
    ...within(dialect, time, span),
    ...(oldest === undefined ? [] : [time, window].flatMap(each => within(dialect, each, { from: oldest })))
  ]
  return `${before}${wanted.length === 0 ? '' : ` WHERE ${wanted.join(' AND ')}`} ${after}`
}

/** SQL conditions for a range of time. */
export function within(dialect: Dialect, time: string, { from, to }: Span): string[] {
  return [
    ...(from === undefined ? [] : [`${time} >= ${constant(dialect, from)}`]),
    ...(to === undefined ? [] : [`${time} < ${constant(dialect, to)}`])
  ]
}

/** A time in UTC as a constant. */
function constant(dialect: Dialect, time: bigint): string {
  if (dialect.name !== 'duckdb') return dialect.time('TimestampNanosecond', time, String)
  const nanoseconds = ((time % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n
  const seconds = new Date(Number((time - nanoseconds) / 1_000_000n)).toISOString().slice(0, 19)
  return `'${seconds}.${String(nanoseconds).padStart(9, '0')}Z'`
}

// Asks the server a question in one of its languages.

import { type KeptRows, keepRows, pageRows } from '../../api/kept-rows.ts'
import { type PromResult, queryAt, queryRange, type Span, stepOf } from '../../api/promql.ts'
import { type Params, type SqlResult, sql } from '../../api/sql.ts'
import { fillTimes } from '../../fill-times.ts'
import { parameters } from '../../router.ts'
import { currentSpan, type TimeSpan } from '../../time.ts'

export type Language = 'sql' | 'promql'

export type Asked =
  | {
      readonly language: 'sql'
      /** With placeholders for `params`. */
      readonly text: string
      readonly params: Params
      /** With `:from` and `:to`. */
      readonly written: string
      /** One page of rows, the first one after asking. */
      readonly result: SqlResult
      /** All pages, of a statement that can be read in pages. */
      readonly kept?: KeptRows
    }
  | {
      readonly language: 'promql'
      readonly text: string
      readonly span: TimeSpan
      /** Seconds between samples. */
      readonly step: number
      readonly took: number
      readonly result: PromResult
    }

interface AskOptions {
  /** The values at the end of the time range only. */
  readonly isInstant: boolean
}

export async function ask(
  language: Language,
  text: string,
  signal: AbortSignal,
  { isInstant }: AskOptions
): Promise<Asked> {
  if (language === 'sql') {
    const { text: filled, params } = fillTimes(text)
    const asked = { language, text: filled, params, written: text } as const
    // A refresh by the clock would read all pages again each time.
    const max = parameters.value.has('refresh') ? pageRows : undefined
    if (canPage(filled)) return { ...asked, ...(await keepRows(asked, signal, max)) }
    return { ...asked, result: await sql(filled, { params, signal, limit: pageRows }) }
  }
  const span = currentSpan()
  if (isInstant) {
    const began = performance.now()
    const result = await queryAt(text, span.to / 1000, { signal })
    return { language, text, span, step: 1, took: performance.now() - began, result }
  }
  const seconds: Span = { from: span.from / 1000, to: span.to / 1000 }
  const step = stepOf(seconds)
  const began = performance.now()
  const result = await queryRange(text, seconds, step, { signal })
  return { language, text, span, step, took: performance.now() - began, result }
}

/** One query that only reads, and can stand in another one. */
export function canPage(text: string): boolean {
  return /^(?:\s|--[^\n]*\n|\/\*[\s\S]*?\*\/)*(select|with|values)\b[^;]*;?\s*$/i.test(text)
}

/** Whether the rows of an answer that are shown are all there are. */
export function isWhole(asked: Asked, shown: number): boolean {
  if (asked.language === 'promql') return true
  if (asked.kept === undefined) return shown < pageRows
  const { rows, state } = asked.kept.progress.value
  return state === 'whole' && rows === shown
}

/** Whether running it changes nothing. */
export function isReading(language: Language, text: string): boolean {
  return language === 'promql' || /^\s*(select|with|show|desc|describe|explain|tql|values)\b[^;]*;?\s*$/i.test(text)
}

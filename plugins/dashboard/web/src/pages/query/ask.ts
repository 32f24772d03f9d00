// Asks the server a question in one of its languages.
import { type PromResult, queryRange, stepOf } from '../../api/promql.ts'
import { quoteText, type SqlResult, sql } from '../../api/sql.ts'
import { currentSpan, type TimeSpan } from '../../time.ts'

export type Language = 'sql' | 'promql'

/** Rows the page shows at most; a download has all. */
export const mostRows = 10_000

export type Asked =
  | { readonly language: 'sql'; readonly text: string; readonly result: SqlResult }
  | {
      readonly language: 'promql'
      readonly text: string
      readonly span: TimeSpan
      readonly took: number
      readonly result: PromResult
    }

export async function ask(language: Language, text: string, signal: AbortSignal): Promise<Asked> {
  if (language === 'sql') {
    const filled = fillTimes(text)
    return { language, text: filled, result: await sql(filled, { signal, limit: mostRows }) }
  }
  const span = currentSpan()
  const seconds = { from: span.from / 1000, to: span.to / 1000 }
  const began = performance.now()
  const result = await queryRange(text, seconds, stepOf(seconds), { signal })
  return { language, text, span, took: performance.now() - began, result }
}

/** Whether running it changes nothing. */
export function isReading(language: Language, text: string): boolean {
  return language === 'promql' || /^\s*(select|with|show|desc|describe|explain|tql|values)\b[^;]*;?\s*$/i.test(text)
}

/** `:from` and `:to`, outside of texts and names, become the ends of the time range. */
export function fillTimes(text: string): string {
  const { from, to } = currentSpan()
  const words: Readonly<Record<string, number>> = { ':from': from, ':to': to }
  return text.replace(/'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|:from\b|:to\b/g, part =>
    part in words ? quoteText(new Date(words[part]!).toISOString()) : part
  )
}

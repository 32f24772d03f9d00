// Asks the server a question in one of its languages.
import { type PromResult, queryAt, queryRange, type Span, stepOf } from '../../api/promql.ts'
import { type Params, type SqlResult, sql } from '../../api/sql.ts'
import { fillTimes, fixedParts } from '../../fill-times.ts'
import { currentSpan, type TimeSpan } from '../../time.ts'

export type Language = 'sql' | 'promql'

/** Rows the page shows at most; a download has all. */
export const mostRows = 10_000

export type Asked =
  | {
      readonly language: 'sql'
      /** Has the places of `params`. */
      readonly text: string
      readonly params: Params
      /** With `:from` and `:to`. */
      readonly written: string
      /** The first row stands behind so many pages of rows. */
      readonly page: number
      readonly result: SqlResult
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

export interface AskOptions {
  /** Of rows, from 0. */
  readonly page: number
  /** The values at the end of the time range only. */
  readonly isInstant: boolean
}

export async function ask(
  language: Language,
  text: string,
  signal: AbortSignal,
  { page, isInstant }: AskOptions
): Promise<Asked> {
  if (language === 'sql') {
    const { text: filled, params } = fillTimes(text)
    const paged = page === 0 || !canPage(filled) ? filled : pageOf(filled, page)
    const result = await sql(paged, { params, signal, limit: mostRows })
    return { language, text: filled, params, written: text, page, result }
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

/** One query whose rows can be asked for in part. */
export function canPage(text: string): boolean {
  return /^\s*(select|with|values)\b[^;]*;?\s*$/i.test(text)
}

/** Whether a query says the order of its rows; what stands within brackets orders others. */
export function isOrdered(text: string): boolean {
  let bare = text.replace(new RegExp(fixedParts.source, 'g'), ' ')
  for (let before = ''; before !== bare; ) {
    before = bare
    bare = bare.replace(/\([^()]*\)/g, ' ')
  }
  return /\border\s+by\b/i.test(bare)
}

/** Whether the rows of an answer are all there are. */
export function isWhole(asked: Asked, rows: number): boolean {
  return asked.language === 'promql' || (asked.page === 0 && rows < mostRows)
}

function pageOf(text: string, page: number): string {
  return `SELECT * FROM (\n${text.replace(/;\s*$/, '')}\n) AS paged LIMIT ${mostRows} OFFSET ${page * mostRows}`
}

/** Whether running it changes nothing. */
export function isReading(language: Language, text: string): boolean {
  return language === 'promql' || /^\s*(select|with|show|desc|describe|explain|tql|values)\b[^;]*;?\s*$/i.test(text)
}

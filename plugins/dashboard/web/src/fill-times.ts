// The time a page shows, in statements of SQL.
import type { Params, Statement } from './api/sql.ts'
import { currentSpan, type TimeSpan } from './time.ts'

/** Comments, string literals and quoted names, in which placeholders are not replaced. */
export const fixedParts = /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"(?:[^"]|"")*"/

const pattern = new RegExp(`${fixedParts.source}|:(?:from|to)\\b`, 'g')

/** `:from` and `:to`, outside of comments, texts and names, become parameters with the ends of the time range. `params`: those the text has already. */
export function fillTimes(text: string, { from, to }: TimeSpan = currentSpan(), params: Params = {}): Statement {
  const ends: Readonly<Record<string, number>> = { from, to }
  const given: Record<string, string> = { ...params }
  const filled = text.replace(pattern, part => {
    const end = ends[part.slice(1)]
    if (!part.startsWith(':') || end === undefined) return part
    given[part.slice(1)] = new Date(end).toISOString()
    return `$${part.slice(1)}`
  })
  return { text: filled, params: given }
}

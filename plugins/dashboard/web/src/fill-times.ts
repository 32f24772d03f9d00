// The time a page shows, in statements of SQL.
import { quoteText } from './api/sql.ts'
import { currentSpan, type TimeSpan } from './time.ts'

/** `:from` and `:to`, outside of texts and names, become the ends of the time range. */
export function fillTimes(text: string, { from, to }: TimeSpan = currentSpan()): string {
  const words: Readonly<Record<string, number>> = { ':from': from, ':to': to }
  return text.replace(/'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|:from\b|:to\b/g, part =>
    part in words ? quoteText(new Date(words[part]!).toISOString()) : part
  )
}

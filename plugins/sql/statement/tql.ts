// TQL: PromQL between SQL's words, `TQL EVAL (start, end, step[, lookback]) query [AS name]`.
import { atEnd, type Cursor, expect, readItems, readName, readUntil, take, unexpected } from './cursor.ts'
import type { TqlStatement } from './statement.ts'

export function parseTql(cursor: Cursor): TqlStatement {
  const command = readCommand(cursor)
  const verbose = command !== 'eval' && take(cursor, 'verbose')
  const format = command !== 'eval' && take(cursor, 'format') ? readName(cursor, 'a format').text : undefined
  expect(cursor, '(')
  const bounds = readItems(cursor, () => readBound(cursor))
  expect(cursor, ')')
  const [start, end, step, lookback] = bounds
  if (start === undefined || end === undefined || step === undefined || bounds.length > 4) {
    throw unexpected({ ...cursor, at: cursor.at - 1 }, 'start, end, step and perhaps lookback')
  }
  const range = { start, end, step, ...(lookback !== undefined && { lookback }) }
  return { kind: 'tql', command, verbose, ...(format !== undefined && { format }), ...range, ...readPromql(cursor) }
}

function readCommand(cursor: Cursor): TqlStatement['command'] {
  if (take(cursor, 'eval') || take(cursor, 'evaluate')) return 'eval'
  if (take(cursor, 'explain')) return 'explain'
  if (take(cursor, 'analyze')) return 'analyze'
  throw unexpected(cursor, 'EVAL, EXPLAIN or ANALYZE')
}

/** The text of one bound: a constant or an expression of SQL. */
function readBound(cursor: Cursor): string {
  const first = cursor.at
  if (readUntil(cursor, ',', ')').length === 0 && !atEnd(cursor)) throw unexpected(cursor, 'a time or a duration')
  if (atEnd(cursor)) throw unexpected(cursor, ')')
  return textOf(cursor, first, cursor.at)
}

/** All that is left, without the name behind its last AS. */
function readPromql(cursor: Cursor): { query: string; alias?: string } {
  if (atEnd(cursor)) throw unexpected(cursor, 'a PromQL query')
  const first = cursor.at
  const last = cursor.tokens.length
  cursor.at = last - 2
  const named = cursor.at > first && take(cursor, 'as')
  const alias = named ? readName(cursor).text : undefined
  cursor.at = last
  return { query: textOf(cursor, first, named ? last - 2 : last), ...(alias !== undefined && { alias }) }
}

function textOf({ sql, tokens }: Cursor, first: number, end: number): string {
  return sql.slice(tokens[first]!.start, tokens[end - 1]!.end)
}

/** The statement on one line; bounds and query as written. */
export function printTql({ command, verbose, format, start, end, step, lookback, query, alias }: TqlStatement): string {
  const words = ['TQL', command.toUpperCase(), ...(verbose ? ['VERBOSE'] : [])]
  if (format !== undefined) words.push('FORMAT', format.toUpperCase())
  const bounds = [start, end, step, ...(lookback === undefined ? [] : [lookback])]
  // A comment ends with its line.
  words.push(`(${bounds.join(', ')})`, query.includes('#') ? query : query.replace(/(?<!\s)\s*\n\s*/g, ' '))
  if (alias !== undefined) words.push('AS', alias)
  return words.join(' ')
}

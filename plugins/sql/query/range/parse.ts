// Range queries as written: `SELECT … agg(x) RANGE '5m' [FILL …] FROM t ALIGN '1m' [TO …] [BY (…)] [FILL …]`.
import { type DbError, formatDuration, parseDuration } from '../../../../core/index.ts'
import { type Name, nameOf } from '../../statement/cursor.ts'
import { callEnd, closing, findWord, splitList } from '../../text/brackets.ts'
import { errorAt, isName, isToken, type Token } from '../../text/token.ts'

/** An aggregate over the range that begins at each point in time. */
export interface RangeCall {
  readonly tokens: readonly Token[]
  /** Milliseconds. */
  readonly range: number
  readonly fill: Fill | undefined
  /** As the user wrote the range. */
  readonly written: string
}

/** `linear` makes floats of integers, `interpolate` keeps their type and leaves the fraction out. */
export type Fill = 'null' | 'prev' | 'linear' | 'interpolate' | { readonly value: string }

/** An item of the select list; calls stand in it by their number. */
export type ItemPart = Token | { readonly call: number }

export interface RangeQuery {
  readonly items: readonly (readonly ItemPart[])[]
  readonly calls: readonly RangeCall[]
  readonly from: readonly Token[]
  readonly table: readonly Name[]
  /** Names that may stand before the dot of a column. */
  readonly alias: string
  readonly where: readonly Token[]
  /** Milliseconds between two points in time. */
  readonly step: number
  /** Text of a time, `now`, `calendar`, or undefined: 1970. */
  readonly origin: string | undefined
  /** Undefined: the primary key of the table. */
  readonly by: readonly (readonly Token[])[] | undefined
  /** ORDER BY, LIMIT and what else comes last. */
  readonly tail: readonly Token[]
}

/** `tokens` begin behind SELECT and end with the query. */
export function parseRange(sql: string, tokens: readonly Token[]): RangeQuery {
  const fail = (token: Token | undefined, what: string): DbError =>
    errorAt(sql, (token ?? tokens.at(-1)!).start, `${what}; for other shapes of query group by date_bin`)
  const at = (word: string, from = 0) => findWord(tokens, word, from)
  const [from, where, align] = [at('from'), at('where'), at('align')]
  if (from < 0) throw fail(undefined, 'ALIGN needs a FROM')
  for (const word of ['group', 'having', 'join', 'distinct', 'window']) {
    const found = at(word)
    if (found >= 0 && found < align) throw fail(tokens[found], `${word.toUpperCase()} cannot go with ALIGN`)
  }
  const source = tokens.slice(from + 1, where < 0 || where > align ? align : where)
  const named = readSource(source)
  if (named === undefined) throw fail(source[0], 'ALIGN reads one table')
  const calls: RangeCall[] = []
  const clauses = readAlign(tokens, align, fail)
  const items = splitList(tokens.slice(0, from)).map(item => readItem(item, calls, clauses.fill, fail))
  if (calls.length === 0) throw fail(tokens[0], "ALIGN needs an aggregate with a RANGE, such as max(x) RANGE '5m'")
  return {
    items,
    calls,
    from: source,
    ...named,
    where: where < 0 || where > align ? [] : tokens.slice(where + 1, align),
    ...clauses
  }
}

type Fail = (token: Token | undefined, what: string) => DbError

function readAlign(tokens: readonly Token[], align: number, fail: Fail) {
  let at = align + 1
  const step = milliseconds(tokens[at], fail)
  at++
  let origin: string | undefined
  if (isToken(tokens[at], 'to')) {
    const token = tokens[at + 1]
    if (token === undefined || token.kind === 'symbol') throw fail(token, 'TO needs a time, NOW or CALENDAR')
    origin = token.kind === 'word' ? token.value.toLowerCase() : token.value
    at += 2
  }
  let by: readonly (readonly Token[])[] | undefined
  if (isToken(tokens[at], 'by')) {
    const end = closing(tokens, at + 1)
    if (end === undefined) throw fail(tokens[at], 'BY needs columns in parentheses')
    by = splitList(tokens.slice(at + 2, end))
    at = end + 1
  }
  const [fill, next] = readFill(tokens, at, fail)
  return { step, origin, by, fill, tail: tokens.slice(next) }
}

/** `RANGE (INTERVAL '5' MINUTE)` as `RANGE '5 minute'`: behind RANGE and ALIGN stands one token. */
export function plainIntervals(tokens: readonly Token[]): readonly Token[] {
  if (!tokens.some(token => isToken(token, 'align'))) return tokens
  const plain: Token[] = []
  for (let at = 0; at < tokens.length; at++) {
    plain.push(tokens[at]!)
    if (!isToken(tokens[at], 'range') && !isToken(tokens[at], 'align')) continue
    const open = isToken(tokens[at + 1], '(') ? 1 : 0
    const first = at + 1 + open
    if (!isToken(tokens[first], 'interval')) continue
    const number = tokens[first + 1]
    const unit = tokens[first + 2]
    const hasUnit = unit?.kind === 'word' && parseDuration(`1 ${unit.value}`) !== undefined
    const last = first + 1 + (hasUnit ? 1 : 0) + open
    if ((number?.kind !== 'string' && number?.kind !== 'number') || (open === 1 && !isToken(tokens[last], ')')))
      continue
    const written = hasUnit ? `${number.value} ${unit.value}` : number.value
    const length = parseDuration(written)
    const value = length === undefined ? written : formatDuration(length)
    plain.push({ ...number, kind: 'string', value, end: tokens[last]!.end })
    at = last
  }
  return plain
}

function milliseconds(token: Token | undefined, fail: Fail): number {
  const length = token?.kind === 'string' ? parseDuration(token.value) : undefined
  if (length === undefined || length < 1) throw fail(token, "expected a duration of at least 1ms, such as '5m'")
  return Math.round(length)
}

function readFill(tokens: readonly Token[], at: number, fail: Fail): [Fill | undefined, number] {
  if (!isToken(tokens[at], 'fill')) return [undefined, at]
  const token = tokens[at + 1]
  for (const word of ['null', 'prev', 'linear'] as const) if (isToken(token, word)) return [word, at + 2]
  const sign = isToken(token, '-') ? '-' : ''
  const number = sign === '' ? token : tokens[at + 2]
  if (number?.kind !== 'number') throw fail(token, 'FILL takes NULL, PREV, LINEAR or a number')
  return [{ value: `${sign}${number.value}` }, at + (sign === '' ? 2 : 3)]
}

function readItem(tokens: readonly Token[], calls: RangeCall[], shared: Fill | undefined, fail: Fail): ItemPart[] {
  const parts: ItemPart[] = []
  for (let at = 0; at < tokens.length; at++) {
    const isCall = tokens[at]!.kind === 'word' && isToken(tokens[at + 1], '(')
    const end = isCall ? callEnd(tokens, at) : at
    if (!isCall || !isToken(tokens[end + 1], 'range')) {
      parts.push(tokens[at]!)
      continue
    }
    const length = tokens[end + 2]
    const range = milliseconds(length, fail)
    const [fill = shared, next] = readFill(tokens, end + 3, fail)
    parts.push({ call: calls.length })
    calls.push({ tokens: tokens.slice(at, end + 1), range, fill, written: length!.value })
    at = next - 1
  }
  return parts
}

/** A table's name with perhaps another name behind it. */
export function readSource(tokens: readonly Token[]): { readonly table: Name[]; readonly alias: string } | undefined {
  const rest = [...tokens]
  const table: Name[] = []
  do {
    const token = rest.shift()
    if (!isName(token)) return undefined
    table.push(nameOf(token))
  } while (isToken(rest[0], '.') && rest.shift() !== undefined)
  if (isToken(rest[0], 'as')) rest.shift()
  const alias = rest.shift()
  if (rest.length > 0 || alias?.kind === 'symbol' || alias?.kind === 'string') return undefined
  return { table, alias: alias === undefined ? table.at(-1)!.text : nameOf(alias).text }
}

// Range queries as plain SQL: rows into the slots whose range they are in, aggregates per slot, missing slots filled.
import {
  DbError,
  formatTimestamp,
  parseTimestamp,
  type Store,
  sqlTypeName,
  type Table,
  type Zone
} from '../../../../core/index.ts'
import { fullName, lookUpTable, resolveName } from '../../catalog/name.ts'
import { label } from '../../text/canonical.ts'
import { errorAt, isToken, quoteName, quoteText, type Token, tokenize } from '../../text/token.ts'
import { type Fill, findWord, type ItemPart, nameOf, parseRange, type RangeCall, type RangeQuery } from './parse.ts'

export interface RangePlace {
  readonly store: Store
  readonly db: string
  readonly sql: string
  readonly zone: Zone
}

/** Slots one row may be in. */
const mostSlots = 10_000

/** The tokens with every range query in them, at any depth, as one of the engine's. */
export function translateRanges(place: RangePlace, tokens: readonly Token[]): readonly Token[] {
  return replaceRanges(place.sql, tokens, (query, select) => translate(place, query, select))
}

/** The tokens with every range query as the plain one that is left without RANGE, ALIGN and FILL, and what these said. */
export function cutRanges(
  sql: string,
  tokens: readonly Token[]
): { readonly tokens: readonly Token[]; readonly ranges: readonly RangeQuery[] } {
  const ranges: RangeQuery[] = []
  const cut = replaceRanges(sql, tokens, (query, select) => {
    ranges.push(query)
    return plainQuery(query, select)
  })
  return { tokens: cut, ranges }
}

function replaceRanges(
  sql: string,
  tokens: readonly Token[],
  replace: (query: RangeQuery, select: Token) => readonly Token[]
): readonly Token[] {
  let replaced = tokens
  for (;;) {
    const align = replaced.findIndex((token, i) => isToken(token, 'align') && replaced[i + 1]?.kind === 'string')
    if (align < 0) {
      requireNoRange(sql, replaced)
      return replaced
    }
    const start = startOf(replaced, align)
    const end = endOf(replaced, align)
    const query = parseRange(sql, replaced.slice(start + 1, end))
    replaced = [...replaced.slice(0, start), ...replace(query, replaced[start]!), ...replaced.slice(end)]
  }
}

function plainQuery({ items, calls, from, where, tail }: RangeQuery, select: Token): Token[] {
  const written = items.map(item => item.flatMap(part => ('call' in part ? calls[part.call]!.tokens : [part])))
  return placed(select, [
    'SELECT',
    ...separated(written.map(item => [item])),
    'FROM',
    from,
    ...(where.length === 0 ? [] : ['WHERE', where]),
    tail
  ])
}

/** Frames of windows have a RANGE, too, but no text behind it. */
function requireNoRange(sql: string, tokens: readonly Token[]): void {
  const range = tokens.find(
    (token, i) => isToken(token, 'range') && isToken(tokens[i - 1], ')') && tokens[i + 1]?.kind === 'string'
  )
  if (range === undefined) return
  throw errorAt(sql, range.start, "RANGE needs an ALIGN behind the tables, such as ALIGN '1m'; or group by date_bin")
}

/** The SELECT of the query an ALIGN belongs to. */
function startOf(tokens: readonly Token[], align: number): number {
  let depth = 0
  for (let at = align; at >= 0; at--) {
    if (isToken(tokens[at], ')')) depth++
    if (isToken(tokens[at], '(')) depth--
    if (depth === 0 && isToken(tokens[at], 'select')) return at
    if (depth < 0) break
  }
  throw new DbError('InvalidSyntax', 'ALIGN without a SELECT before it')
}

/** Behind the last token of that query. */
function endOf(tokens: readonly Token[], align: number): number {
  let depth = 0
  for (let at = align; at < tokens.length; at++) {
    if (isToken(tokens[at], '(')) depth++
    if (isToken(tokens[at], ')') && --depth < 0) return at
    if (depth === 0 && ['union', 'except', 'intersect'].some(word => isToken(tokens[at], word))) return at
  }
  return tokens.length
}

type Piece = string | readonly Token[]

function translate(place: RangePlace, query: RangeQuery, at: Token): Token[] {
  const table = requireTable(place, query)
  const by = query.by ?? table.tags.map(tag => tokenize(quoteName(tag.name)))
  const keys = by.map((_, i) => `"__b${i}"`)
  const filled = query.calls.some(call => call.fill !== undefined)
  const tags = keys.map(key => `, ${key}`).join('')
  return placed(at, [
    'SELECT',
    ...separated(query.items.map(item => itemPieces(query, table, by, item))),
    'FROM (WITH "__rows" AS (',
    ...slotRows(place, query, table, by),
    `) SELECT "__slot"${tags}`,
    ...(filled ? [`, ${query.calls.map((call, i) => `${fillText(call.fill, i, keys)} AS "__f${i}"`).join(', ')}`] : []),
    ...(filled ? [] : [`, ${query.calls.map((_, i) => `"__a${i}" AS "__f${i}"`).join(', ')}`]),
    filled ? gridText(keys, query) : 'FROM "__rows"',
    ') AS "__ranges"',
    ...tailPieces(query, table, by)
  ])
}

/** One row per slot and key, with the value of each aggregate. */
function slotRows(place: RangePlace, query: RangeQuery, table: Table, by: readonly (readonly Token[])[]): Piece[] {
  const widest = Math.max(...query.calls.map(call => call.range))
  const slots = Math.ceil(widest / query.step)
  if (slots > mostSlots) {
    throw new DbError(
      'InvalidArguments',
      `a RANGE of ${slots} times the ALIGN is too wide, at most ${mostSlots} are possible`
    )
  }
  const time = `${quoteName(query.alias)}.${quoteName(table.timeIndex.name)}`
  const step = interval(query.step)
  const first = `time_bucket(${step}, CAST(${time} AS DATETIME), TIMESTAMP ${quoteText(originText(place, query))})`
  const slot = slots === 1 ? first : `(${first} - "range step" * ${step})`
  const within = (range: number) => `CAST(${time} AS DATETIME) < ${slot} + ${interval(range)}`
  const always = slots === 1 && widest === query.step
  return [
    `SELECT ${slot} AS "__slot"`,
    ...by.flatMap<Piece>((key, i) => [', (', key, `) AS "__b${i}"`]),
    ...query.calls.flatMap<Piece>((call, i) => [
      ',',
      aggregate(call, time),
      call.range === widest ? `AS "__a${i}"` : `FILTER (WHERE ${within(call.range)}) AS "__a${i}"`
    ]),
    'FROM',
    query.from,
    ...(slots === 1 ? [] : [`, generate_series(0, ${slots - 1}) AS "range steps"("range step")`]),
    ...(query.where.length === 0 && always ? [] : ['WHERE']),
    ...(query.where.length === 0 ? [] : ['(', query.where, ')']),
    ...(query.where.length === 0 || always ? [] : ['AND']),
    ...(always ? [] : [within(widest)]),
    `GROUP BY ${['1', ...by.map((_, i) => String(i + 2))].join(', ')}`
  ]
}

/** The first and last value by time are functions of their own to the engine. */
function aggregate({ tokens }: RangeCall, time: string): readonly Token[] {
  const [name, ...rest] = tokens
  const ordered = findWord(tokens.slice(2, -1), 'order') >= 0
  const by = isToken(name, 'first_value') ? 'arg_min' : isToken(name, 'last_value') ? 'arg_max' : undefined
  if (by === undefined || ordered) return tokens
  const place = (text: string) => placed(name!, [text])
  return [...place(by), ...rest.slice(0, -1), ...place(`, ${time}`), rest.at(-1)!]
}

/** Every slot of a key between its first and its last, with what there is. */
function gridText(keys: readonly string[], { calls, step }: RangeQuery): string {
  const list = keys.map(key => `, ${key}`).join('')
  const group = keys.length === 0 ? '' : `GROUP BY ${keys.join(', ')}`
  const series = `generate_series(min("__slot"), max("__slot"), ${interval(step)})`
  const spans = `SELECT ${series} AS "__times"${list} FROM "__rows" ${group}`
  const grid = `SELECT unnest("__times") AS "__slot"${list} FROM (${spans}) AS "__spans"`
  const same = keys.map(key => `"__rows".${key} IS NOT DISTINCT FROM "__grid".${key}`)
  const on = ['"__rows"."__slot" = "__grid"."__slot"', ...same].join(' AND ')
  const shown = [
    '"__grid"."__slot"',
    ...keys.map(key => `"__grid".${key}`),
    ...calls.map((_, i) => `"__rows"."__a${i}"`)
  ]
  return `FROM (SELECT ${shown.join(', ')} FROM (${grid}) AS "__grid" LEFT JOIN "__rows" ON ${on}) AS "__all"`
}

function fillText(fill: Fill | undefined, i: number, keys: readonly string[]): string {
  const value = `"__a${i}"`
  if (fill === undefined || fill === 'null') return value
  if (typeof fill === 'object') return `coalesce(${value}, ${fill.value})`
  const partition = keys.length === 0 ? '' : `PARTITION BY ${keys.join(', ')} `
  const window = (frame: string) => `OVER (${partition}ORDER BY "__slot" ROWS BETWEEN ${frame})`
  const [before, behind] = [
    window('UNBOUNDED PRECEDING AND CURRENT ROW'),
    window('CURRENT ROW AND UNBOUNDED FOLLOWING')
  ]
  const previous = `arg_max(${value}, "__slot") ${before}`
  if (fill === 'prev') return previous
  const time = `CASE WHEN ${value} IS NULL THEN NULL ELSE epoch_ms("__slot") END`
  const from = `max(${time}) ${before}`
  const to = `min(${time}) ${behind}`
  const next = `arg_min(${value}, "__slot") ${behind}`
  const part = `(epoch_ms("__slot") - ${from}) / (${to} - ${from})`
  return `coalesce(${value}, ${previous} + (${next} - ${previous}) * ${part})`
}

function itemPieces(
  query: RangeQuery,
  table: Table,
  by: readonly (readonly Token[])[],
  item: readonly ItemPart[]
): Piece[] {
  const pieces = replaced(query, table, by, item)
  return hasName(item) ? pieces : [...pieces, `AS ${quoteName(nameOfItem(query, item))}`]
}

/** ORDER BY and what comes behind it; a name given in the select list stays one. */
function tailPieces(query: RangeQuery, table: Table, by: readonly (readonly Token[])[]): Piece[] {
  return query.tail.length === 0 ? [] : replaced(query, table, by, query.tail)
}

/** Calls, keys and the time by their names in the rows of slots. */
function replaced(
  query: RangeQuery,
  table: Table,
  by: readonly (readonly Token[])[],
  written: readonly ItemPart[]
): Piece[] {
  const parts = unqualified(written, query.alias)
  const keys = by.map(key => unqualified(key, query.alias))
  const pieces: Piece[] = []
  for (let at = 0; at < parts.length; at++) {
    const part = parts[at]!
    if ('call' in part) {
      pieces.push(`"__f${part.call}"`)
      continue
    }
    const key = keys.findIndex(key => key.every((token, i) => isSame(parts[at + i], token)))
    if (key >= 0) {
      pieces.push(`"__b${key}"`)
      at += keys[key]!.length - 1
    } else if (isName(part) && nameOf(part).text === table.timeIndex.name) {
      pieces.push(`CAST("__slot" AS ${sqlTypeName(table.timeIndex.type)})`)
    } else pieces.push([part])
  }
  return pieces
}

/** Without the name of the table before a column. */
function unqualified(parts: readonly ItemPart[], alias: string): readonly ItemPart[] {
  const isDot = (part: ItemPart | undefined) => part !== undefined && !('call' in part) && isToken(part, '.')
  const isAlias = (part: ItemPart | undefined) =>
    part !== undefined && !('call' in part) && isName(part) && nameOf(part).text === alias
  return parts.filter((part, i) => !(isAlias(part) && isDot(parts[i + 1])) && !(isDot(part) && isAlias(parts[i - 1])))
}

function isSame(part: ItemPart | undefined, token: ItemPart): boolean {
  if (part === undefined || 'call' in part || 'call' in token) return false
  return isName(part) && isName(token)
    ? nameOf(part).text === nameOf(token).text
    : part.kind === token.kind && part.value === token.value
}

function isName({ kind }: Token): boolean {
  return kind === 'word' || kind === 'quoted'
}

/** Whether the last word of an item is a name for it. */
function hasName(item: readonly ItemPart[]): boolean {
  const [before, last] = item.slice(-2)
  if (last === undefined || before === undefined || 'call' in last || !isName(last)) return false
  return 'call' in before || before.kind !== 'symbol' || before.value === ')'
}

function nameOfItem(query: RangeQuery, item: readonly ItemPart[]): string {
  const words = item.map(part => {
    if (!('call' in part)) return label([part])
    const { tokens, written } = query.calls[part.call]!
    return `${label(tokens)} RANGE ${written}`
  })
  return words.length === 3 && words[1] === '.' ? words[2]! : words.join(' ')
}

function requireTable({ store, db }: RangePlace, { table: name }: RangeQuery): Table {
  const table = lookUpTable(store, db, name)
  if (table !== undefined) return table
  const { database, table: written } = resolveName(store, db, name)
  throw new DbError(
    'TableNotFound',
    `Failed to plan SQL: Table not found: ${fullName(database, written.text)}; ALIGN reads tables, for views and common tables group by date_bin`
  )
}

function originText({ zone }: RangePlace, { origin }: RangeQuery): string {
  if (origin === undefined) return '1970-01-01 00:00:00Z'
  if (origin === 'now') return new Date().toISOString()
  return formatTimestamp(parseTimestamp(origin === 'calendar' ? '1970-01-01' : origin, zone))
}

function interval(milliseconds: number): string {
  return `INTERVAL '${milliseconds} milliseconds'`
}

function separated(lists: readonly (readonly Piece[])[]): Piece[] {
  return lists.flatMap((list, i) => (i === 0 ? list : [',', ...list]))
}

/** Pieces as tokens that stand, for messages, where the query begins. */
function placed({ start, end }: Token, pieces: readonly Piece[]): Token[] {
  return pieces.flatMap(piece => {
    const tokens = typeof piece === 'string' ? tokenize(piece).map(token => ({ ...token, start, end })) : piece
    return tokens.map((token, i) => (i === 0 ? { ...token, spaced: true } : token))
  })
}

// Range queries as plain SQL: rows into the slots whose range they are in, aggregates per slot, missing slots filled.
import {
  DbError,
  formatSize,
  formatTimestamp,
  type Limit,
  limitError,
  parseTimestamp,
  type Store,
  sqlTypeName,
  type Table,
  type Zone
} from '../../../../core/index.ts'
import { lookUpTable, noTable, resolveName } from '../../catalog/name.ts'
import { invalid } from '../../error.ts'
import { nameOf } from '../../statement/cursor.ts'
import { bracketStep, closing, findWord } from '../../text/brackets.ts'
import { label } from '../../text/canonical.ts'
import {
  errorAt,
  isName,
  isToken,
  type Piece,
  quoteName,
  quoteText,
  separated,
  type Token,
  tokenize,
  tokensAt
} from '../../text/token.ts'
import { type Fill, type ItemPart, parseRange, type RangeCall, type RangeQuery } from './parse.ts'

interface RangeContext {
  readonly store: Store
  readonly db: string
  readonly sql: string
  readonly zone: Zone
  /** Bytes of one value; the slots of a key that are filled are a list. */
  readonly valueLimit: Limit
}

/** Queries of a kind that one statement may hold. */
const maxReplaced = 100

/** Slots one row may be in. */
const maxSlots = 10_000

/** The tokens with every range query in them, at any depth, as one of the engine's. */
export function translateRanges(context: RangeContext, tokens: readonly Token[]): readonly Token[] {
  return replaceRanges(context.sql, tokens, (query, select) => translate(context, query, select))
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
  const begins = (all: readonly Token[], i: number) => isToken(all[i], 'align') && all[i + 1]?.kind === 'string'
  const replaced = replaceQueries(sql, tokens, 'ALIGN', begins, (select, query) =>
    replace(parseRange(sql, query), select)
  )
  requireNoRange(sql, replaced)
  return replaced
}

/** The tokens with every query in which a token `begins` something as another one; `replace` gets its SELECT and what is behind that. */
export function replaceQueries(
  sql: string,
  written: readonly Token[],
  name: string,
  begins: (tokens: readonly Token[], at: number) => boolean,
  replace: (select: Token, query: readonly Token[]) => readonly Token[]
): readonly Token[] {
  const tokens = [...written]
  const refuse = (at: number) => errorAt(sql, tokens[at]!.start, `more than ${maxReplaced} ${name} in one statement`)
  const all = tokens.flatMap((_, i) => (begins(tokens, i) ? [i] : []))
  // A query names it a few times.
  if (all.length > 4 * maxReplaced) throw refuse(all[4 * maxReplaced]!)
  for (let [at, count] = [0, 0]; at < tokens.length; at++) {
    if (!begins(tokens, at)) continue
    if (count++ === maxReplaced) throw refuse(at)
    const [start, end] = [startOf(tokens, at), endOf(tokens, at)]
    tokens.splice(start, end - start, ...replace(tokens[start]!, tokens.slice(start + 1, end)))
    at = start - 1
  }
  return tokens
}

function plainQuery({ items, calls, from, where, tail }: RangeQuery, select: Token): Token[] {
  const written = items.map(item => item.flatMap(part => ('call' in part ? calls[part.call]!.tokens : [part])))
  return tokensAt(select, [
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

/** The SELECT of the query a token belongs to. */
function startOf(tokens: readonly Token[], align: number): number {
  for (let at = align, depth = 0; at >= 0 && depth >= 0; at--) {
    depth -= bracketStep(tokens[at])
    if (depth === 0 && isToken(tokens[at], 'select')) return at
  }
  throw new DbError('InvalidSyntax', `${tokens[align]!.value} without a SELECT before it`)
}

/** Behind the last token of that query. */
function endOf(tokens: readonly Token[], align: number): number {
  for (let at = align, depth = 0; at < tokens.length; at++) {
    depth += bracketStep(tokens[at])
    if (depth < 0 || (depth === 0 && ['union', 'except', 'intersect'].some(word => isToken(tokens[at], word))))
      return at
  }
  return tokens.length
}

function translate(context: RangeContext, query: RangeQuery, at: Token): Token[] {
  const { alias, items, calls, step } = query
  const table = requireTable(context, query)
  const by = query.by ?? table.tags.map(tag => tokenize(quoteName(tag.name)))
  const slot = `CAST("__slot" AS ${sqlTypeName(table.timeIndex.type)})`
  const keys = [...keysOf(by), { tokens: tokenize(quoteName(table.timeIndex.name)), text: slot }]
  const isFilled = calls.some(call => call.fill !== undefined)
  const span = { from: ['min("__slot")'], to: ['max("__slot")'], step: [interval(step)], isOpen: false }
  const times = slotList('FILL', span, context.valueLimit)
  const grid = isFilled ? gridText(by.length, calls.length, times) : ['FROM "__rows"']
  return tokensAt(at, [
    'SELECT',
    ...separated(items.map(item => [...replaced(item, keys, alias), ...nameOfItem(query, item)])),
    ...filledRows(slotRows(context, query, table, by), by.length, calls, grid),
    ...replaced(query.tail, keys, alias)
  ])
}

/** The name of an expression in the rows of slots. */
interface Key {
  readonly tokens: readonly Token[]
  readonly text: string
}

export function keysOf(by: readonly (readonly Token[])[]): Key[] {
  return by.map((tokens, i) => ({ tokens, text: `"__b${i}"` }))
}

/** The FROM of the query: of `rows`, one per slot and key, the values of the calls with what fills their gaps. */
export function filledRows(
  rows: readonly Piece[],
  keys: number,
  calls: readonly Pick<RangeCall, 'fill'>[],
  grid: readonly Piece[]
): Piece[] {
  const names = keyNames(keys)
  const values = calls.map(({ fill }, i) => `${fillText(fill, i, names)} AS "__f${i}"`)
  return [
    'FROM (WITH "__rows" AS (',
    ...rows,
    `) SELECT ${['"__slot"', ...names, ...values].join(', ')}`,
    ...grid,
    ') AS "__ranges"'
  ]
}

function keyNames(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `"__b${i}"`)
}

/** One row per slot and key, with the value of each aggregate. */
function slotRows(context: RangeContext, query: RangeQuery, table: Table, by: readonly (readonly Token[])[]): Piece[] {
  const widest = Math.max(...query.calls.map(call => call.range))
  const slots = Math.ceil(widest / query.step)
  if (slots > maxSlots) {
    throw invalid(`a RANGE of ${slots} times the ALIGN is too wide, at most ${maxSlots} are possible`)
  }
  const time = `${quoteName(query.alias)}.${quoteName(table.timeIndex.name)}`
  const step = interval(query.step)
  const first = `time_bucket(${step}, CAST(${time} AS DATETIME), TIMESTAMP ${quoteText(originText(context, query))})`
  const slot = slots === 1 ? first : `(${first} - "range step" * ${step})`
  const within = (range: number) => `CAST(${time} AS DATETIME) < ${slot} + ${interval(range)}`
  const always = slots === 1 && widest === query.step
  return [
    `SELECT ${slot} AS "__slot"`,
    ...by.flatMap<Piece>((key, i) => [', (', key, `) AS "__b${i}"`]),
    ...query.calls.flatMap<Piece>((call, i) => [
      ',',
      ...(call.range === widest ? [aggregate(call, time)] : filtered(aggregate(call, time), within(call.range))),
      `AS "__a${i}"`
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

/** A call over the rows that meet a condition, beside that of its own FILTER. */
function filtered(call: readonly Token[], condition: string): Piece[] {
  const filter = findWord(call, 'filter', 1)
  const close = closing(call, filter + 1)
  if (filter < 0 || close === undefined) return [call, `FILTER (WHERE ${condition})`]
  // FILTER ( WHERE …
  const first = filter + 3
  return [call.slice(0, first), '(', call.slice(first, close), `) AND ${condition}`, call.slice(close)]
}

/** The first and last value by time are functions of their own to the engine. */
function aggregate({ tokens }: RangeCall, time: string): readonly Token[] {
  const [name, ...rest] = tokens
  const close = closing(tokens, 1) ?? tokens.length - 1
  const ordered = findWord(tokens.slice(2, close), 'order') >= 0
  const by = isToken(name, 'first_value') ? 'arg_min' : isToken(name, 'last_value') ? 'arg_max' : undefined
  if (by === undefined || ordered) return tokens
  const at = (text: string) => tokensAt(name!, [text])
  return [...at(by), ...rest.slice(0, close - 1), ...at(`, ${time}`), ...rest.slice(close - 1)]
}

interface Span {
  readonly from: readonly Piece[]
  readonly to: readonly Piece[]
  readonly step: readonly Piece[]
  /** `to` is no longer part of it. */
  readonly isOpen: boolean
}

const slotBytes = 8

/** The list of slots in a span; an error that begins with `what` for more than fit one value. */
export function slotList(what: string, { from, to, step, isOpen }: Span, { max, key }: Limit): Piece[] {
  const slots = Math.floor(max / slotBytes)
  const problem = `${what} would make a list of more than ${slots} slots (${key} is ${formatSize(max)}, a slot takes ${slotBytes} bytes)`
  return [
    ...['CASE WHEN (epoch_us(', ...to, ') - epoch_us(', ...from, ')) / epoch_us(', ...step],
    `) > ${slots} THEN ${limitError(problem)} ELSE ${isOpen ? 'range' : 'generate_series'}(`,
    ...separated([from, to, step]),
    ') END'
  ]
}

/** Every slot of a key among `times`, a list for each key, with what there is; `slot` is a slot in its type. */
export function gridText(keys: number, calls: number, times: readonly Piece[], slot = 'unnest("__times")'): Piece[] {
  const names = keyNames(keys)
  const list = names.map(key => `, ${key}`).join('')
  const group = keys === 0 ? '' : `GROUP BY ${names.join(', ')}`
  const same = names.map(key => `"__rows".${key} IS NOT DISTINCT FROM "__grid".${key}`)
  const on = ['"__rows"."__slot" = "__grid"."__slot"', ...same].join(' AND ')
  const shown = ['"__grid"."__slot"', ...names.map(key => `"__grid".${key}`)]
  const values = Array.from({ length: calls }, (_, i) => `"__rows"."__a${i}"`)
  return [
    `FROM (SELECT ${[...shown, ...values].join(', ')} FROM (SELECT ${slot} AS "__slot"${list} FROM (SELECT`,
    ...times,
    `AS "__times", any_value("__slot") AS "__kind"${list} FROM "__rows" ${group}) AS "__spans") AS "__grid" LEFT JOIN "__rows" ON ${on}) AS "__all"`
  ]
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
  const time = `CASE WHEN ${value} IS NULL THEN NULL ELSE epoch_us("__slot") END`
  const from = `max(${time}) ${before}`
  const to = `min(${time}) ${behind}`
  const next = `arg_min(${value}, "__slot") ${behind}`
  const float = (of: string) => `CAST(${of} AS DOUBLE)`
  const rise = `(${float(next)} - ${float(previous)})`
  const line = `${float(previous)} + ${rise} * (epoch_us("__slot") - ${from}) / (${to} - ${from})`
  if (fill === 'linear') return `coalesce(${value}, ${line})`
  return `coalesce(${value}, cast_to_type(CASE WHEN typeof(${value}) LIKE '%INT%' THEN trunc(${line}) ELSE ${line} END, ${value}))`
}

/** Calls and keys by their names in the rows of slots. */
export function replaced(written: readonly ItemPart[], keys: readonly Key[], alias: string | undefined): Piece[] {
  const parts = unqualified(written, alias)
  const plain = keys.map(({ tokens, text }) => ({ tokens: unqualified(tokens, alias), text }))
  const pieces: Piece[] = []
  for (let at = 0; at < parts.length; at++) {
    const part = parts[at]!
    const key = plain.find(({ tokens }) => tokens.every((token, i) => isSame(parts[at + i], token)))
    if ('call' in part) pieces.push(`"__f${part.call}"`)
    else if (key === undefined) pieces.push([part])
    else {
      pieces.push(key.text)
      at += key.tokens.length - 1
    }
  }
  return pieces
}

/** Without the name of the table before a column. */
function unqualified(parts: readonly ItemPart[], alias: string | undefined): readonly ItemPart[] {
  const isDot = (part: ItemPart | undefined) => part !== undefined && !('call' in part) && isToken(part, '.')
  const isAlias = (part: ItemPart | undefined) =>
    part !== undefined && !('call' in part) && isName(part) && nameOf(part).text === alias
  return parts.filter((part, i) => !(isAlias(part) && isDot(parts[i + 1])) && !(isDot(part) && isAlias(parts[i - 1])))
}

export function isSame(part: ItemPart | undefined, token: ItemPart): boolean {
  if (part === undefined || 'call' in part || 'call' in token) return false
  return isName(part) && isName(token)
    ? nameOf(part).text === nameOf(token).text
    : part.kind === token.kind && part.value === token.value
}

/** Whether the last word of an item is a name for it. */
export function hasName(item: readonly ItemPart[]): boolean {
  const [before, last] = item.slice(-2)
  if (last === undefined || before === undefined || 'call' in last || !isName(last)) return false
  return 'call' in before || before.kind !== 'symbol' || before.value === ')'
}

/** Nothing for an item that has a name. */
function nameOfItem(query: RangeQuery, item: readonly ItemPart[]): Piece[] {
  if (hasName(item)) return []
  const words = item.map(part => {
    if (!('call' in part)) return label([part])
    const { tokens, written } = query.calls[part.call]!
    return `${label(tokens)} RANGE ${written}`
  })
  return [`AS ${quoteName(words.length === 3 && words[1] === '.' ? words[2]! : words.join(' '))}`]
}

function requireTable({ store, db }: RangeContext, { table: name }: RangeQuery): Table {
  const table = lookUpTable(store, db, name)
  if (table !== undefined) return table
  const { database, table: written } = resolveName(store, db, name)
  const { code, message } = noTable(store, database, written.text, 'Failed to plan SQL: ')
  const why = message.endsWith('?') ? '' : '; ALIGN reads tables, for views and common tables group by date_bin'
  throw new DbError(code, message + why)
}

function originText({ zone }: RangeContext, { origin }: RangeQuery): string {
  if (origin === undefined) return '1970-01-01 00:00:00Z'
  if (origin === 'now') return new Date().toISOString()
  return formatTimestamp(parseTimestamp(origin === 'calendar' ? '1970-01-01' : origin, zone))
}

function interval(milliseconds: number): string {
  return `INTERVAL '${milliseconds} milliseconds'`
}

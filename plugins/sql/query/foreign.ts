// Words other databases have for what the engine writes differently, as its own: before the grammar reads the statement.
import { type ColumnType, duckdbType } from '../../../core/index.ts'
import { planError } from '../error.ts'
import { nameOf } from '../statement/cursor.ts'
import { isQueryWord } from '../statement/query.ts'
import { argumentsOf, closing, holdsWord, isWithin, pairs } from '../text/brackets.ts'
import {
  endsValue,
  errorAt,
  isName,
  isPair,
  isToken,
  locationOf,
  type Piece,
  quoteText,
  type Token,
  tokensAt
} from '../text/token.ts'
import { isAliased } from './resolve-tables.ts'

export function plainWords(sql: string, written: readonly Token[]): readonly Token[] {
  const tokens: Token[] = []
  const paired = pairs(written)
  const isCounted = written.some(token => isToken(token, 'ordinality'))
  for (let at = 0; at < written.length; at++) {
    const token = written[at]!
    const cast =
      arrowCast(sql, written, at) ??
      namedStruct(sql, written, at) ??
      typedText(written, at) ??
      plainTrim(written, at) ??
      shiftedLimit(written, at) ??
      (isCounted ? countedCall(sql, written, at) : undefined)
    const search = cast === undefined ? termSearch(written, at) : undefined
    const plain = cast ?? search
    if (plain !== undefined) {
      tokens.push(...tokensAt(token, plain.pieces))
      at = plain.last
    } else if (isNamedJoin(written, paired, at)) tokens.push(...tokensAt(token, ['(SELECT * FROM']))
    else if (isTable(written, at)) tokens.push(...tokensAt(token, ['SELECT * FROM']))
    else if (isExcept(written, at)) tokens.push({ ...token, value: 'EXCLUDE' })
    else if (isAsymmetric(sql, written, at)) continue
    else if (isArray(written, at)) tokens.push(...tokensAt(token, [arrayText(token.value)]))
    else if (isFrame(written, at)) tokens.push(...tokensAt(token, ['INTERVAL', [token]]))
    else if (isPair(written, at, '*', '*') && endsValue(written[at - 1])) {
      tokens.push({ ...token, value: '^' })
      at++
    } else if (isPathOperator(written, at)) tokens.push({ ...token, value: '-' })
    else if (isPath(written, at)) tokens.push({ ...token, value: jsonPath(token.value) })
    // AS 'a name'
    else if (token.kind === 'string' && isToken(written[at - 1], 'as')) tokens.push({ ...token, kind: 'quoted' })
    else tokens.push(token)
  }
  return tokens
}

interface Plain {
  readonly pieces: readonly Piece[]
  readonly last: number
}

const beforeQuery = ['(', 'all', 'as', 'by', 'distinct', 'except', 'intersect', 'name', 'union']

/** `TABLE t` as a query. */
function isTable(tokens: readonly Token[], at: number): boolean {
  const next = tokens[at + 1]
  return (
    isToken(tokens[at], 'table') &&
    isName(next) &&
    (at === 0 || beforeQuery.some(word => isToken(tokens[at - 1], word)))
  )
}

/** Whether a token is the parenthesis of `(a JOIN b) AS c` or `FROM (a) AS c`: the engine knows `c` as the name of a query only. */
function isNamedJoin(tokens: readonly Token[], paired: Uint32Array, at: number): boolean {
  const isTable = isToken(tokens[at], '(') && ['from', 'join', ',', '('].some(word => isToken(tokens[at - 1], word))
  const close = isTable ? paired[at]! : 0
  if (close === 0 || !isAliased(tokens, close + 1)) return false
  const holds = (word: string) => holdsWord(tokens, paired, at, word)
  if (holds('join')) return !['select', 'from'].some(holds)
  if (isToken(tokens[at - 1], ',') || isToken(tokens[at - 1], '(') || isWithin(tokens, at - 1)) return false
  let first = at + 1
  while (isToken(tokens[first], '(')) first++
  return isToken(tokens[close + 1], 'as') && !isQueryWord(tokens[first])
}

/** `f(x) WITH ORDINALITY AS o(v, i)` where `o.*` stands in the statement, for which the engine takes `o` for two tables. */
function countedCall(sql: string, tokens: readonly Token[], at: number): Plain | undefined {
  if (!isName(tokens[at]) || !isToken(tokens[at + 1], '(')) return undefined
  const behind = (closing(tokens, at + 1) ?? tokens.length) + 1
  if (!isToken(tokens[behind], 'with') || !isToken(tokens[behind + 1], 'ordinality')) return undefined
  const name = isToken(tokens[behind + 2], 'as') ? behind + 3 : behind + 2
  const last = isToken(tokens[name + 1], '(') ? closing(tokens, name + 1) : undefined
  const isStar = (i: number) => isToken(tokens[i + 1], '.') && isToken(tokens[i + 2], '*')
  const isSame = (token: Token) => nameOf(token).text === nameOf(tokens[name]!).text
  if (last === undefined || !tokens.some((token, i) => isStar(i) && isSame(token))) return undefined
  const call = plainWords(sql, tokens.slice(at + 1, last + 1))
  return { pieces: ['(SELECT * FROM', [tokens[at]!], call, ') AS', [tokens[name]!]], last }
}

/** Whether a token is the ASYMMETRIC of a BETWEEN, which means nothing. Throws ParseError for what the engine has not. */
function isAsymmetric(sql: string, tokens: readonly Token[], at: number): boolean {
  const [before, token, next] = [tokens[at - 1], tokens[at]!, tokens[at + 1]]
  if (isToken(token, 'glob') && isToken(before, 'not') && endsValue(tokens[at - 2]))
    throw errorAt(sql, before!.start, 'there is no NOT GLOB, write NOT (a GLOB b)')
  const isName = isToken(next, 'and') || isToken(next, '.')
  if (!isToken(before, 'between') || next === undefined || isName) return false
  if (isToken(token, 'symmetric'))
    throw errorAt(sql, token.start, 'there is no BETWEEN SYMMETRIC, write BETWEEN least(a, b) AND greatest(a, b)')
  return isToken(token, 'asymmetric')
}

/** `* EXCEPT (…)`: behind a star in a select list no set operation can stand. */
function isExcept(tokens: readonly Token[], at: number): boolean {
  if (!isToken(tokens[at], 'except') || !isToken(tokens[at - 1], '*')) return false
  const isStar = ['select', ',', '.', 'distinct'].some(word => isToken(tokens[at - 2], word))
  const isQuery = ['select', 'with', 'values', 'from', '('].some(word => isToken(tokens[at + 2], word))
  return isStar && isToken(tokens[at + 1], '(') && !isQuery
}

/** `column @@ 'term'`, which is `matches_term(column, 'term')`. */
function termSearch(tokens: readonly Token[], at: number): Plain | undefined {
  if (!isName(tokens[at]!) || isToken(tokens[at - 1], '.')) return undefined
  let last = at
  while (isToken(tokens[last + 1], '.') && isName(tokens[last + 2])) last += 2
  const [one, two, term] = tokens.slice(last + 1, last + 4)
  if (!isToken(one, '@') || !isToken(two, '@') || two!.spaced || term?.kind !== 'string') return undefined
  return { pieces: ['matches_term(', tokens.slice(at, last + 1), ',', [term], ')'], last: last + 3 }
}

/** `#>` and `#>>`, which are `->` and `->>` with a path of their own form. */
function isPathOperator(tokens: readonly Token[], at: number): boolean {
  return isToken(tokens[at], '#') && isToken(tokens[at + 1], '>') && !tokens[at + 1]!.spaced && at > 0
}

/** Whether a token is the constant behind one. */
function isPath(tokens: readonly Token[], at: number): boolean {
  if (tokens[at]!.kind !== 'string' || !isToken(tokens[at - 1], '>')) return false
  const first = isToken(tokens[at - 2], '>') && !tokens[at - 1]!.spaced ? at - 3 : at - 2
  return isPathOperator(tokens, first)
}

/** `{a,0,b}` as `$."a"[0]."b"`. */
function jsonPath(path: string): string {
  const [, inner = path] = /^\s*\{(.*)\}\s*$/s.exec(path) ?? []
  const steps = inner.split(',').map(part => {
    const name = part.trim().replace(/^"(.*)"$/s, '$1')
    return /^\d+$/.test(name) ? `[${name}]` : `."${name}"`
  })
  return `$${steps.join('')}`
}

/** `x = ANY('{a,b}')`: a list in the form of Postgres. */
function isArray(tokens: readonly Token[], at: number): boolean {
  const isList = tokens[at]!.kind === 'string' && /^\{.*\}$/s.test(tokens[at]!.value)
  const isQuantified = isToken(tokens[at - 2], 'any') || isToken(tokens[at - 2], 'all')
  return isList && isQuantified && isToken(tokens[at - 1], '(') && isToken(tokens[at + 1], ')')
}

/** The same as the grammar and the engine know it: numbers where all are. */
function arrayText(list: string): string {
  const items = list
    .slice(1, -1)
    .split(',')
    .map(item => item.trim().replace(/^"(.*)"$/s, '$1'))
  const isNumber = items.every(item => /^-?\d+(\.\d+)?$/.test(item))
  return `[${(isNumber ? items : items.map(quoteText)).join(', ')}]`
}

/** The text in `RANGE '1 day' PRECEDING`. */
function isFrame(tokens: readonly Token[], at: number): boolean {
  const isBound = isToken(tokens[at + 1], 'preceding') || isToken(tokens[at + 1], 'following')
  return tokens[at]!.kind === 'string' && isBound && !isToken(tokens[at - 1], 'interval')
}

const sameNames = 'Boolean Int8 Int16 Int32 Int64 UInt8 UInt16 UInt32 UInt64 Float32 Float64'.split(' ') as ColumnType[]
const arrowTypes: Readonly<Record<string, string>> = {
  ...Object.fromEntries(sameNames.map(type => [type, duckdbType(type)])),
  Utf8: 'VARCHAR',
  LargeUtf8: 'VARCHAR',
  Utf8View: 'VARCHAR',
  Binary: 'BLOB',
  Date32: 'DATE',
  Second: 'TIMESTAMP(0)',
  Millisecond: 'TIMESTAMP(3)',
  Microsecond: 'TIMESTAMP(6)',
  Nanosecond: 'TIMESTAMP(9)'
}

/** `arrow_cast(x, 'Int64')` as a cast; times with a zone are in UTC, as all are. */
function arrowCast(sql: string, tokens: readonly Token[], at: number): Plain | undefined {
  if (!isToken(tokens[at], 'arrow_cast') || !isToken(tokens[at + 1], '(')) return undefined
  const [value, type, ...more] = argumentsOf(tokens, at + 1)
  const last = closing(tokens, at + 1)
  if (value === undefined || type?.[0]?.kind !== 'string' || more.length > 0 || last === undefined) return undefined
  const name = type[0].value
  const word = /^Timestamp\(\s*(\w+)\s*,/.exec(name)?.[1] ?? name
  if (!Object.hasOwn(arrowTypes, word)) {
    const known = Object.keys(arrowTypes).slice(0, -4).join(', ')
    throw planError(
      `arrow_cast does not know ${quoteText(name)}${locationOf(sql, type[0].start)}. There are ${known} and Timestamp(unit, None)`
    )
  }
  const [plain, as] = [plainWords(sql, value), `AS ${arrowTypes[word]!})`]
  // Written twice, it is one level of casts at most.
  const isCut = /^U?Int/.test(word) && !value.some(token => isToken(token, 'arrow_cast'))
  const cut: readonly Piece[] = ['CAST(arrow_whole(', plain, ', CAST(', plain, as, ')', as]
  return { pieces: isCut ? cut : ['CAST(', plain, as], last }
}

const literalTypes = ['timestamp_s', 'timestamp_ms', 'timestamp_us', 'timestamp_ns', 'uuid', 'hugeint']

/** `TIMESTAMP_NS '…'` as a cast: the grammar would take the text for a name of the column before it. */
function typedText(tokens: readonly Token[], at: number): Plain | undefined {
  const [before, type, text] = [tokens[at - 1], tokens[at], tokens[at + 1]]
  if (text?.kind !== 'string' || !literalTypes.some(word => isToken(type, word))) return undefined
  if (isToken(before, '.') || isToken(before, ':') || isToken(before, 'as') || endsValue(before)) return undefined
  return { pieces: ['CAST(', [text], `AS ${type!.value})`], last: at + 1 }
}

/** `trim(LEADING FROM x)`, which takes spaces away: the grammar knows FROM behind characters only. */
function plainTrim(tokens: readonly Token[], at: number): Plain | undefined {
  if (!isToken(tokens[at], 'trim') || !isToken(tokens[at + 1], '(')) return undefined
  const side = ['both', 'leading', 'trailing'].find(word => isToken(tokens[at + 2], word))
  const from = side === undefined ? at + 2 : at + 3
  if (!isToken(tokens[from], 'from')) return undefined
  return { pieces: [side === 'leading' ? 'ltrim(' : side === 'trailing' ? 'rtrim(' : 'trim('], last: from }
}

/** `LIMIT 10, 5`: the rows that are left out stand before those that are asked for. */
function shiftedLimit(tokens: readonly Token[], at: number): Plain | undefined {
  const [limit, left, comma, count] = tokens.slice(at, at + 4)
  const isShifted =
    isToken(limit, 'limit') && left?.kind === 'number' && isToken(comma, ',') && count?.kind === 'number'
  return isShifted ? { pieces: ['LIMIT', [count], 'OFFSET', [left]], last: at + 3 } : undefined
}

/** `named_struct('a', 1, 'b', 2)` as a struct with these members. */
function namedStruct(sql: string, tokens: readonly Token[], at: number): Plain | undefined {
  if (!isToken(tokens[at], 'named_struct') || !isToken(tokens[at + 1], '(')) return undefined
  const list = argumentsOf(tokens, at + 1)
  const last = closing(tokens, at + 1)
  const isName = (argument: readonly Token[]) => argument.length === 1 && argument[0]!.kind === 'string'
  if (last === undefined || list.length % 2 > 0 || list.some((argument, i) => i % 2 === 0 && !isName(argument))) {
    throw planError(
      `named_struct takes names, constants, each with its value behind it${locationOf(sql, tokens[at]!.start)}`
    )
  }
  const members = list.flatMap((argument, i): Piece[] =>
    i % 2 > 0 ? [plainWords(sql, argument)] : [...(i > 0 ? [','] : []), [{ ...argument[0]!, kind: 'quoted' }], ':=']
  )
  return { pieces: ['struct_pack(', ...members, ')'], last }
}

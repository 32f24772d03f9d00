// Words other databases have for what the engine writes differently, as its own: before the grammar reads the statement.
import { DbError } from '../../../core/index.ts'
import { argumentsOf, closing } from '../text/brackets.ts'
import { isToken, locationOf, type Piece, placed, quoteText, type Token } from '../text/token.ts'

export function plainWords(sql: string, written: readonly Token[]): readonly Token[] {
  const tokens: Token[] = []
  for (let at = 0; at < written.length; at++) {
    const token = written[at]!
    const cast = arrowCast(sql, written, at) ?? namedStruct(sql, written, at)
    const search = cast === undefined ? termSearch(written, at) : undefined
    const plain = cast ?? search
    if (plain !== undefined) {
      tokens.push(...placed(token, plain.pieces))
      at = plain.last
    } else if (isTable(written, at)) tokens.push(...placed(token, ['SELECT * FROM']))
    else if (isExcept(written, at)) tokens.push({ ...token, value: 'EXCLUDE' })
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
  const isName = next?.kind === 'word' || next?.kind === 'quoted'
  return isToken(tokens[at], 'table') && isName && (at === 0 || beforeQuery.some(word => isToken(tokens[at - 1], word)))
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
  const isName = ({ kind }: Token) => kind === 'word' || kind === 'quoted'
  if (!isName(tokens[at]!) || isToken(tokens[at - 1], '.')) return undefined
  let last = at
  while (isToken(tokens[last + 1], '.') && tokens[last + 2] !== undefined && isName(tokens[last + 2]!)) last += 2
  const [one, two, term] = tokens.slice(last + 1, last + 4)
  if (!isToken(one, '@') || !isToken(two, '@') || two!.spaced || term?.kind !== 'string') return undefined
  return { pieces: ['matches_term(', tokens.slice(at, last + 1), ',', [term], ')'], last: last + 3 }
}

const arrowTypes: Readonly<Record<string, string>> = {
  Boolean: 'BOOLEAN',
  Int8: 'TINYINT',
  Int16: 'SMALLINT',
  Int32: 'INTEGER',
  Int64: 'BIGINT',
  UInt8: 'UTINYINT',
  UInt16: 'USMALLINT',
  UInt32: 'UINTEGER',
  UInt64: 'UBIGINT',
  Float32: 'FLOAT',
  Float64: 'DOUBLE',
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
    throw new DbError(
      'PlanQuery',
      `Failed to plan SQL: arrow_cast does not know ${quoteText(name)}${locationOf(sql, type[0].start)}. There are ${known} and Timestamp(unit, None)`
    )
  }
  const [plain, as] = [plainWords(sql, value), `AS ${arrowTypes[word]!})`]
  // Written twice, it is one level of casts at most.
  const isCut = /^U?Int/.test(word) && !value.some(token => isToken(token, 'arrow_cast'))
  const cut: readonly Piece[] = ['CAST(arrow_whole(', plain, ', CAST(', plain, as, ')', as]
  return { pieces: isCut ? cut : ['CAST(', plain, as], last }
}

/** `named_struct('a', 1, 'b', 2)` as a struct with these members. */
function namedStruct(sql: string, tokens: readonly Token[], at: number): Plain | undefined {
  if (!isToken(tokens[at], 'named_struct') || !isToken(tokens[at + 1], '(')) return undefined
  const list = argumentsOf(tokens, at + 1)
  const last = closing(tokens, at + 1)
  const isName = (argument: readonly Token[]) => argument.length === 1 && argument[0]!.kind === 'string'
  if (last === undefined || list.length % 2 > 0 || list.some((argument, i) => i % 2 === 0 && !isName(argument))) {
    throw new DbError(
      'PlanQuery',
      `Failed to plan SQL: named_struct takes names, constants, each with its value behind it${locationOf(sql, tokens[at]!.start)}`
    )
  }
  const members = list.flatMap((argument, i): Piece[] =>
    i % 2 > 0 ? [plainWords(sql, argument)] : [...(i > 0 ? [','] : []), [{ ...argument[0]!, kind: 'quoted' }], ':=']
  )
  return { pieces: ['struct_pack(', ...members, ')'], last }
}

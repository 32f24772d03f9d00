// PIVOT and UNPIVOT where a query may stand, as the SELECT that means the same. Values that are not listed are asked for first.
import type { DbError } from '../../../core/index.ts'
import { invalid } from '../error.ts'
import { type Cursor, expect, readItems, readName, readUntil, take, unexpected } from '../statement/cursor.ts'
import { closing, findWord, opening } from '../text/brackets.ts'
import { canonical } from '../text/canonical.ts'
import { errorAt, isToken, type Piece, quoteName, quoteText, separated, type Token, tokensAt } from '../text/token.ts'

/** Columns a PIVOT makes at most. */
const maxValues = 1_000

/** Words of the aggregates of all columns together. */
const maxTokens = 100_000

/** In one statement. */
const maxPivots = 100

/** Runs a query that the statement needs before it can be read. */
export type AskRows = (
  tokens: readonly Token[]
) => Promise<{ readonly columns: readonly string[]; readonly rows: readonly (readonly unknown[])[] }>

/** Whether a token begins a query that is a PIVOT or UNPIVOT; behind a table in a FROM the words mean something else. */
function begins(tokens: readonly Token[], at: number): boolean {
  const isWord = isToken(tokens[at], 'pivot') || isToken(tokens[at], 'unpivot')
  return isWord && (at === 0 || isToken(tokens[at - 1], '('))
}

/** Whether a token is that of `table PIVOT (… GROUP BY …)`, which the grammar lacks; without GROUP BY it stays as it is. */
function beginsGrouped(tokens: readonly Token[], at: number): boolean {
  const isPivot = isToken(tokens[at], 'pivot') && isToken(tokens[at + 1], '(') && !begins(tokens, at)
  return isPivot && findWord(tokens, 'group', at + 2) > 0
}

export function holdsPivot(tokens: readonly Token[]): boolean {
  return tokens.some((_, at) => begins(tokens, at) || beginsGrouped(tokens, at))
}

/** The tokens with every PIVOT and UNPIVOT in them, the inner ones first, as a SELECT. */
export async function plainPivots(sql: string, written: readonly Token[], ask: AskRows): Promise<readonly Token[]> {
  let tokens = written
  const isPivot = (_: Token, i: number) => begins(tokens, i) || beginsGrouped(tokens, i)
  const tooMany = tokens.filter(isPivot)[maxPivots]
  if (tooMany !== undefined) throw errorAt(sql, tooMany.start, `more than ${maxPivots} PIVOT in one statement`)
  for (;;) {
    const at = tokens.findLastIndex(isPivot)
    if (at < 0) return tokens
    if (!begins(tokens, at)) {
      tokens = await replaceGrouped(sql, tokens, at, ask)
      continue
    }
    const end = closing(tokens, at - 1) ?? tokens.length
    const cursor = { sql, tokens: tokens.slice(0, end), at: at + 1 }
    const before = commonTables(tokens, at)
    const asked: AskRows = query => ask([...before, ...query])
    const select = isToken(tokens[at], 'pivot') ? await readPivot(cursor, asked) : readUnpivot(cursor)
    tokens = [...tokens.slice(0, at), ...select, ...tokens.slice(end)]
  }
}

/** The `WITH` of the statement as far as it stands before a token, for queries over its tables. */
function commonTables(tokens: readonly Token[], at: number): readonly Token[] {
  if (!isToken(tokens[0], 'with')) return []
  const body = ['select', 'from', 'pivot', 'values'].map(word => findWord(tokens, word)).filter(found => found > 0)
  const end = Math.min(at, ...body)
  // Of the table it stands in only what comes before: `, name AS (`.
  return end < at ? tokens.slice(0, end) : isToken(tokens[at - 4], ',') ? tokens.slice(0, at - 4) : []
}

/** `source PIVOT (call [AS name], … FOR column IN (value, …) … GROUP BY …)` as a query in parentheses. */
async function replaceGrouped(sql: string, tokens: readonly Token[], at: number, ask: AskRows) {
  const start = sourceStart(tokens, at)
  const close = closing(tokens, at + 1) ?? tokens.length
  const cursor = { sql, tokens: tokens.slice(0, close), at: at + 2 }
  const using = readAggregates(cursor, 'for')
  expect(cursor, 'for')
  const pivots: Pivoted[] = []
  do {
    const on = required(cursor, 'a column', 'in', 'group')
    expect(cursor, 'in')
    pivots.push({ on, values: readValues(cursor) })
  } while (!take(cursor, 'group', 'by'))
  const group = required(cursor, 'columns')
  const select = await writePivot(tokens[at]!, { source: tokens.slice(start, at), pivots, using, group }, ask)
  return [...tokens.slice(0, start), ...tokensAt(tokens[at]!, ['(', select, ')']), ...tokens.slice(close + 1)]
}

/** Where the table before a word begins. */
function sourceStart(tokens: readonly Token[], before: number): number {
  let at = before
  for (;;) {
    const token = tokens[at - 1]
    if (['from', 'join', ',', '('].some(word => isToken(token, word)) || token === undefined) return at
    at = isToken(token, ')') ? opening(tokens, at - 1) : at - 1
  }
}

interface Pivoted {
  readonly on: readonly Token[]
  readonly values: readonly (readonly Token[])[] | undefined
}

interface Aggregate {
  readonly call: readonly Token[]
  readonly alias: string | undefined
}

interface Pivot {
  readonly source: readonly Token[]
  readonly pivots: readonly Pivoted[]
  readonly using: readonly Aggregate[]
  readonly group: readonly Token[] | undefined
}

/** `source ON column [IN (value, …)], … USING call [AS name], … [GROUP BY …] [ORDER BY …] [LIMIT …]` */
async function readPivot(cursor: Cursor, ask: AskRows): Promise<Token[]> {
  const at = cursor.tokens[cursor.at - 1]!
  const source = required(cursor, 'a table', 'on')
  expect(cursor, 'on')
  const pivots = readItems(cursor, (): Pivoted => {
    const on = required(cursor, 'a column', 'in', 'using', 'group', ',')
    return { on, values: take(cursor, 'in') ? readValues(cursor) : undefined }
  })
  expect(cursor, 'using')
  const using = readAggregates(cursor, 'group', ...last)
  const group = take(cursor, 'group', 'by') ? required(cursor, 'columns', ...last) : undefined
  return [...(await writePivot(at, { source, pivots, using, group }, ask)), ...readUntil(cursor)]
}

/** Words that begin what comes last in a query. */
const last = ['order', 'limit', 'offset']

function readAggregates(cursor: Cursor, ...behind: readonly string[]): Aggregate[] {
  return readItems(cursor, () => {
    const { value: call, alias } = splitAlias(required(cursor, 'an aggregate', ',', ...behind))
    if (!call.some(token => isToken(token, '(')))
      throw errorAt(cursor.sql, call[0]!.start, 'expected an aggregate, such as sum(x)')
    return { call, alias }
  })
}

function splitAlias(item: readonly Token[]): { readonly value: readonly Token[]; readonly alias: string | undefined } {
  const isNamed = isToken(item.at(-2), 'as')
  return isNamed ? { value: item.slice(0, -2), alias: item.at(-1)!.value } : { value: item, alias: undefined }
}

async function writePivot(at: Token, { source, pivots, using, group }: Pivot, ask: AskRows): Promise<Token[]> {
  let columns: { pieces: Piece[]; name: string }[] = [{ pieces: [], name: '' }]
  for (const { on, values } of pivots) {
    const listed = values?.map(nameValue) ?? (await askValues(source, on, ask))
    if (listed.length === 0) throw invalid(`PIVOT: ${canonical(on).text} has no values`)
    columns = columns.flatMap(({ pieces, name: before }) =>
      listed.map(({ value, name }) => ({
        pieces: [
          ...pieces,
          ...(pieces.length === 0 ? [] : ['AND']),
          '(',
          on,
          ') =',
          typeof value === 'string' ? value : [...value]
        ],
        name: before === '' ? name : `${before}_${name}`
      }))
    )
    if (columns.length > maxValues) throw tooMany(on)
  }
  const length = columns.length * using.reduce((sum, { call }) => sum + call.length, 0)
  if (length > maxTokens) {
    throw invalid(`PIVOT: ${columns.length} columns of such length are too many for one statement`)
  }
  const items = columns.flatMap(({ pieces, name }) =>
    using.map(({ call, alias }) => {
      const suffix = alias ?? (using.length > 1 ? canonical(call).text : undefined)
      return [call, 'FILTER (WHERE', ...pieces, `) AS ${quoteName(suffix === undefined ? name : `${name}_${suffix}`)}`]
    })
  )
  const used = [...pivots.map(({ on }) => on), ...using.map(({ call }) => call)].flat()
  const groups = group ?? (await otherColumns(at, source, used, ask))
  const by = groups.length === 0 ? [] : [groups]
  return tokensAt(at, [
    'SELECT',
    ...separated([...by.map(each => [each]), ...items]),
    'FROM',
    source,
    ...by.flatMap(each => ['GROUP BY', each])
  ])
}

async function askValues(source: readonly Token[], on: readonly Token[], ask: AskRows) {
  const { rows } = await ask(
    tokensAt(on[0]!, [
      'SELECT CAST(v AS VARCHAR) FROM (SELECT DISTINCT',
      ...[on, 'AS v FROM', source],
      `) AS found WHERE v IS NOT NULL ORDER BY v LIMIT ${maxValues + 1}`
    ])
  )
  if (rows.length > maxValues) throw tooMany(on)
  return rows.map(([value]) => ({ value: quoteText(String(value)), name: String(value) }))
}

function tooMany(on: readonly Token[]): DbError {
  const column = canonical(on).text
  return invalid(
    `PIVOT: ${column} has more than ${maxValues} values: list those that are wanted, as in ON ${column} IN (…)`
  )
}

/** Columns of the source that are neither in ON nor in USING. */
async function otherColumns(at: Token, source: readonly Token[], used: readonly Token[], ask: AskRows) {
  const { columns } = await ask(tokensAt(at, ['SELECT * FROM', source, 'LIMIT 0']))
  const names = new Set(used.map(({ kind, value }) => (kind === 'word' ? value.toLowerCase() : value)))
  const others = columns.filter(name => !names.has(name)).map(quoteName)
  return tokensAt(at, [others.join(', ')])
}

/** `source ON column, … [INTO NAME name VALUE name] [ORDER BY …] [LIMIT …]` */
function readUnpivot(cursor: Cursor): Token[] {
  const at = cursor.tokens[cursor.at - 1]!
  const source = required(cursor, 'a table', 'on')
  expect(cursor, 'on')
  const columns = required(cursor, 'columns', 'into', ...last)
  let [name, value] = ['name', 'value']
  if (take(cursor, 'into', 'name')) {
    name = readName(cursor).text
    expect(cursor, 'value')
    value = readName(cursor).text
  }
  const head = `UNPIVOT (${quoteName(value)} FOR ${quoteName(name)} IN (`
  return tokensAt(at, ['SELECT * FROM', source, head, columns, '))', cursor.tokens.slice(cursor.at)])
}

function readValues(cursor: Cursor): Token[][] {
  expect(cursor, '(')
  const values = readItems(cursor, () => required(cursor, 'a value', ',', ')'))
  expect(cursor, ')')
  return values
}

function required(cursor: Cursor, what: string, ...stops: readonly string[]): Token[] {
  const tokens = readUntil(cursor, ...stops)
  if (tokens.length === 0) throw unexpected(cursor, what)
  return tokens
}

function nameValue(item: readonly Token[]): { readonly value: readonly Token[]; readonly name: string } {
  const { value, alias } = splitAlias(item)
  return { value, name: alias ?? (value.length === 1 ? value[0]!.value : canonical(value).text) }
}

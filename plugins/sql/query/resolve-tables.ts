// Queries in a dialect that our grammar does not read: names of tables are found and resolved, everything else stays as it is written.
// The engine, which guards by its own reading, refuses tables that are missed here.
import type { Dialect, Pace, Relation, Store, Table } from '../../../core/index.ts'
import { informationTable } from '../catalog/information/index.ts'
import type { Sources } from '../catalog/information/table.ts'
import { catalogName, informationSchema, lookUpTable, noTable, resolveName } from '../catalog/name.ts'
import { unsupported } from '../error.ts'
import type { Name } from '../statement/cursor.ts'
import { type Canonical, canonical } from '../text/canonical.ts'
import { tokenAt } from '../text/locate.ts'
import { errorAt, isName, isToken, locationOf, type Token } from '../text/token.ts'
import { applyEdits, type Edit, replace, shiftRelation, span } from './edit.ts'
import type { GivenTable } from './tql-table.ts'
import { readView } from './view.ts'

interface TablesContext {
  readonly store: Store
  /** Where names without a database are looked for: the request's, or that of the view. */
  readonly db: string
  /** Source of the tokens, for the location of errors. */
  readonly sql: string
  readonly sources: Sources
  readonly pace: Pace
  /** Full names of the views this query is in. */
  readonly views?: readonly string[]
  /** Tables of a statement's own, by names no user can write. */
  readonly given?: ReadonlyMap<string, GivenTable>
}

interface ResolvedText {
  readonly text: string
  readonly relations: readonly Relation[]
  /** Where the user wrote what stands at an offset of the text. */
  readonly sourceOf: (at: number) => number | undefined
}

/** Functions that say which database names without one belong to; to the engine it is another one. */
const sessionWords = new Set(['current_database', 'current_schema', 'currentdatabase', 'database', 'schema'])

/** Throws DbError for names of what is not there, and for signs that could hide something. */
export async function resolveTables(context: TablesContext, tokens: readonly Token[]): Promise<ResolvedText> {
  const { dialect } = context.store
  refuseOwnClauses(context, tokens)
  const found = findTables(tokens)
  const hidden = qualifiers(tokens, found)
  const places = new Set(found.map(({ at }) => at))
  const statement = written(dialect, context.sql, tokens)
  const edits = Array.from(hidden, (at): Edit => replace(statement, at, at, ''))
  for (const [at, token] of tokens.entries()) {
    const isCalled = isToken(tokens[at + 1], '(') && isToken(tokens[at + 2], ')')
    const isTable = places.has(at)
    if (isCalled && !isTable && sessionWords.has(token.value.toLowerCase()))
      edits.push(replace(statement, at, at + 2, dialect.quoteText(context.db)))
  }
  for (const table of found) {
    const { at, length, aliased, parts } = table
    const { text, relations } = await rowsOf(context, table)
    const alias = aliased ? '' : ` AS ${dialect.quoteName(parts.at(-1)!.text)}`
    edits.push({ ...span(statement, at, at + length - 1), text: text + alias, relations })
  }
  const { text, relations, origin } = applyEdits(statement.text, edits)
  return { text, relations, sourceOf: at => tokens[tokenAt(statement.starts, origin(at))]?.start }
}

/** Throws DbError for clauses of our own grammar, which the engine would call errors of syntax. */
function refuseOwnClauses({ store, sql }: TablesContext, tokens: readonly Token[]): void {
  for (const [i, { kind, value, start }] of tokens.entries()) {
    const word = kind === 'word' ? value.toLowerCase() : ''
    const next = tokens[i + 1]
    const isRange = (word === 'range' || word === 'align') && next?.kind === 'string'
    const isTql = word === 'tql' && ['eval', 'evaluate', 'analyze', 'explain'].some(each => isToken(next, each))
    if (!isRange && !isTql) continue
    const what = isRange
      ? 'RANGE and ALIGN: group by a bucket of the time'
      : 'TQL in a query: send it as a statement of its own'
    throw unsupported(`the storage engine ${store.engineName} has no ${what}${locationOf(sql, start)}`)
  }
}

/** The statement as text of the dialect, with names of tables as they are. Throws for signs that could hide something. */
export function written(dialect: Dialect, sql: string, tokens: readonly Token[]): Canonical {
  return canonical(tokens, token => tokenText(dialect, sql, token))
}

/** The replacement of a table: SQL, which may contain tables of the catalog. */
type Rows = Pick<ResolvedText, 'text' | 'relations'>

async function rowsOf(context: TablesContext, { parts }: FoundTable): Promise<Rows> {
  const { store, db, sources, pace } = context
  const given = context.given?.get(parts[0]!.text)
  if (given !== undefined) return { text: given.text, relations: [] }
  const names = known(store, db, parts)
  const { database, table: written } = resolveName(store, db, names)
  if (database === informationSchema) {
    return { text: await informationTable(sources, written.text, pace), relations: [] }
  }
  const view = store.view(database, written.text)
  if (view !== undefined) return viewRows(context, view)
  const table = lookUpTable(store, db, names)
  if (table !== undefined) return tableRows(store.dialect, table)
  throw noTable(store, database, written.text, 'Failed to plan SQL: ')
}

/** Names as they are written or, where there is nothing of that name, as unquoted ones are elsewhere: in lower case. */
function known(store: Store, db: string, parts: readonly Name[]): readonly Name[] {
  const folded = parts.map(({ text, quoted }) => ({ text: quoted ? text : text.toLowerCase(), quoted }))
  const [database, table] = [parts.length > 1 ? parts.at(-2)!.text : db, parts.at(-1)!.text]
  const exists = store.table(database, table) !== undefined || store.view(database, table) !== undefined
  return exists ? parts : folded
}

/** The table's columns under the names users know. */
function tableRows(dialect: Dialect, table: Table): Rows {
  const name = 'rows'
  const plain = table.columns.every(column => column.name === column.physical)
  const columns = table.columns.map(
    column => `${dialect.quoteName(column.physical)} AS ${dialect.quoteName(column.name)}`
  )
  const [head, tail] = plain ? ['', ''] : [`(SELECT ${columns.join(', ')} FROM `, ')']
  const relation = { start: head.length, end: head.length + name.length, table }
  return { text: `${head}${name}${tail}`, relations: [relation] }
}

async function viewRows(context: TablesContext, view: NonNullable<ReturnType<Store['view']>>): Promise<Rows> {
  const { dialect } = context.store
  const query = await readView(context, view, resolveTables)
  const columns = view.columns.map(
    ({ name, from }) => `${dialect.quoteName(from ?? name)} AS ${dialect.quoteName(name)}`
  )
  const head = `(SELECT ${columns.join(', ')} FROM (`
  return {
    text: `${head}${query.text}) AS viewed)`,
    relations: query.relations.map(each => shiftRelation(each, head.length))
  }
}

/** Signs that begin comments, texts and parameters in some dialect. */
const refusedSigns = new Set(['#', '$', '@', '{', '}', '?'])

/** A token in one form of quoting, so that engine and guard read the same. */
function tokenText(dialect: Dialect, sql: string, token: Token): string {
  const { kind, value, start } = token
  switch (kind) {
    case 'string':
      return dialect.quoteText(value)
    case 'quoted':
      return dialect.quoteName(value)
    case 'bytes':
      return dialect.quoteBytes(value)
    case 'word':
      return /^\w+$/.test(value) ? value : dialect.quoteName(value)
    case 'symbol':
      if (refusedSigns.has(value)) throw errorAt(sql, start, `unexpected character ${JSON.stringify(value)}`)
  }
  return value
}

interface FoundTable {
  /** Index of its first token, and how many there are. */
  readonly at: number
  readonly length: number
  readonly parts: readonly Name[]
  /** Whether it has another name behind it. */
  readonly aliased: boolean
}

/** A bracket, or the statement itself. */
interface Frame {
  /** Whether it holds a query. */
  readonly isQuery: boolean
  /** Common tables that are known in it. */
  readonly commons: Set<string>
  /** The common table whose query it is. */
  readonly defines?: string
  /** Between FROM and what ends it; a comma there parts tables. */
  inFrom: boolean
  /** In the list of ARRAY JOIN, where a comma parts columns. */
  inArrays: boolean
  /** Behind WITH, where names of common tables stand. */
  inWith: boolean
  isRecursive: boolean
}

const afterFrom = new Set(
  'where prewhere group having order limit offset fetch union except intersect window qualify settings format into select'.split(
    ' '
  )
)
const queryWords = ['select', 'with', 'from', '(', 'values', 'explain']

/** Where tables are named. */
function findTables(tokens: readonly Token[]): FoundTable[] {
  const found: FoundTable[] = []
  const frames: Frame[] = [frameAt(tokens, 0)]
  let expected = false
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i]!
    const frame = frames.at(-1)!
    const word = token.kind === 'word' ? token.value.toLowerCase() : token.kind === 'symbol' ? token.value : ''
    if (expected && isName(token) && word !== 'select') {
      expected = false
      const length = pathLength(tokens, i)
      const parts = tokens
        .slice(i, i + length)
        .filter(isName)
        .map(nameOf)
      const isCall = isToken(tokens[i + length], '(')
      const isCommon = parts.length === 1 && frames.some(({ commons }) => commons.has(parts[0]!.text))
      if (!isCall && !isCommon) found.push({ at: i, length, parts, aliased: isAliased(tokens, i + length) })
      i += length - 1
      continue
    }
    if (word === '(' || word === '[') {
      // Tables may stand in brackets, too: FROM (a JOIN b).
      const inner = frameAt(tokens, i + 1, word === '(' && expected, definedAt(tokens, i, frame))
      if (inner.defines !== undefined && frame.isRecursive) inner.commons.add(inner.defines)
      frames.push(inner)
      expected = word === '(' && expected && !inner.isQuery
      if (expected) inner.inFrom = true
      continue
    }
    if ((word === ')' || word === ']') && frames.length > 1) {
      const closed = frames.pop()!
      if (closed.defines !== undefined) frames.at(-1)!.commons.add(closed.defines)
      expected = false
      continue
    }
    if (!frame.isQuery && !frame.inFrom) continue
    expected = readWord(frame, tokens, i, word) ?? expected
  }
  return found
}

/** The effect of a word on the bracket around it: whether a table follows; undefined if it has none. */
function readWord(frame: Frame, tokens: readonly Token[], at: number, word: string): boolean | undefined {
  if (word === 'with' && !isToken(tokens[at + 1], 'totals') && !isToken(tokens[at + 1], 'fill')) {
    frame.inWith = true
    frame.isRecursive = isToken(tokens[at + 1], 'recursive')
    return false
  }
  if (word === 'from' && !isToken(tokens[at - 1], 'distinct')) {
    frame.inFrom = true
    frame.inArrays = frame.inWith = false
    return true
  }
  if (word === 'join' && frame.inFrom) {
    frame.inArrays = isToken(tokens[at - 1], 'array')
    return !frame.inArrays
  }
  if (word === ',' && frame.inFrom && !frame.inArrays) return true
  if (!afterFrom.has(word)) return undefined
  frame.inFrom = false
  if (word === 'select') frame.inWith = false
  return false
}

function frameAt(tokens: readonly Token[], at: number, inFrom = false, defines?: string): Frame {
  const isQuery = queryWords.some(word => isToken(tokens[at], word))
  return {
    isQuery: isQuery && !(inFrom && isToken(tokens[at], '(')),
    commons: new Set(),
    ...(defines !== undefined && { defines }),
    inFrom: false,
    inArrays: false,
    inWith: false,
    isRecursive: false
  }
}

/** `name AS (`, `name (columns) AS MATERIALIZED (`: the name. */
function definedAt(tokens: readonly Token[], open: number, { inWith }: Frame): string | undefined {
  if (!inWith) return undefined
  let at = open - 1
  if (isToken(tokens[at], 'materialized')) at -= isToken(tokens[at - 1], 'not') ? 2 : 1
  if (!isToken(tokens[at], 'as')) return undefined
  at--
  if (isToken(tokens[at], ')')) while (at > 0 && !isToken(tokens[at + 1], '(')) at--
  return isName(tokens[at]) ? nameOf(tokens[at]!).text : undefined
}

/** As it is written: names differ by case. */
function nameOf({ kind, value }: Token): Name {
  return { text: value, quoted: kind === 'quoted' }
}

function pathLength(tokens: readonly Token[], at: number): number {
  let length = 1
  while (length < 5 && isToken(tokens[at + length], '.') && isName(tokens[at + length + 1])) length += 2
  return length
}

/** Words that may follow a table and are no name for it. */
const afterTable = new Set([
  ...afterFrom,
  ...'all any anti array asof cross final full global inner join left local natural on only paste pivot positional right sample semi tablesample unpivot using'.split(
    ' '
  )
])

/** Whether a name for a table or what stands for one begins at a token. */
export function isAliased(tokens: readonly Token[], at: number): boolean {
  const token = tokens[at]
  if (isToken(token, 'as') || token?.kind === 'quoted') return true
  return token?.kind === 'word' && !afterTable.has(token.value.toLowerCase())
}

/** `public.` of `public.t.n`, and FINAL behind a table: to the engine rows of a table have one name, and are final. */
function qualifiers(tokens: readonly Token[], found: readonly FoundTable[]): ReadonlySet<number> {
  const hidden = new Set<number>()
  for (const { at, length, aliased } of found) {
    const behind = at + length
    const last = !aliased ? behind : isToken(tokens[behind], 'as') ? behind + 2 : behind + 1
    if (isToken(tokens[last], 'final')) hidden.add(last)
  }
  const named = found.filter(({ parts, aliased }) => parts.length > 1 && !aliased)
  const inTables = new Set(found.flatMap(({ at, length }) => Array.from({ length }, (_, i) => at + i)))
  for (let i = 0; i < tokens.length; i++) {
    if (inTables.has(i) || !isName(tokens[i]) || isToken(tokens[i - 1], '.')) continue
    const skipped = tokens[i]!.value === catalogName && isToken(tokens[i + 1], '.') ? 2 : 0
    const path = [tokens[i + skipped], tokens[i + skipped + 2]]
    const dots = [1, 3].every(step => isToken(tokens[i + skipped + step], '.'))
    if (!dots || !path.every(isName)) continue
    const isTable = named.some(
      ({ parts }) => parts.at(-2)!.text === path[0]!.value && parts.at(-1)!.text === path[1]!.value
    )
    if (isTable) for (let step = 0; step < skipped + 2; step++) hidden.add(i + step)
  }
  return hidden
}

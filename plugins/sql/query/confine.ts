// Makes a user's query safe to run: every table in it is one of the catalog, every name means what the user wrote.
import {
  DbError,
  type Relation,
  type RequestContext,
  type Store,
  type Table,
  type TableColumn,
  type Zone
} from '../../../core/index.ts'
import { informationTable } from '../catalog/information/index.ts'
import type { Sources } from '../catalog/information/table.ts'
import { fullName, hint, informationSchema, lookUpTable, resolveName } from '../catalog/name.ts'
import { locator, type SqlParser } from '../grammar/parser.ts'
import { readSearchCall, type SearchCall } from '../search/call.ts'
import { type Filtered, rewriteSearches } from '../search/rewrite.ts'
import type { Name } from '../statement/cursor.ts'
import { type Canonical, canonical, label, tokenAt } from '../text/canonical.ts'
import { isToken, quoteName, type Token, tokenText } from '../text/token.ts'
import { isBounded } from './bounded.ts'
import { castEdits } from './cast.ts'
import { applyEdits, type Edit, span } from './edit.ts'
import { functionEdits } from './function-edits.ts'
import { isRefusedFunction } from './function-policy.ts'
import { translateRanges } from './range/translate.ts'
import { isSessionWord, sessionEdit } from './session-function.ts'
import { binEdits, clockEdits, timeEdit } from './time-text.ts'
import { asNamed, expandView, type Named } from './view.ts'
import { refused, walkStatement } from './walk.ts'
import { zoneCastEdits } from './zone-cast.ts'

export interface Confined {
  readonly text: string
  readonly relations: readonly Relation[]
  /** It has no more rows than its only relation. */
  readonly bounded: boolean
  /** Names of columns to show instead of the engine's. */
  readonly names: ReadonlyMap<string, string>
}

export interface Place {
  readonly store: Store
  readonly parser: SqlParser
  /** Of the request: who asks, and in which database. */
  readonly ctx: Pick<RequestContext, 'user' | 'db'>
  /** Where names without a database are looked for: the request's, or that of the view. */
  readonly db: string
  /** Source of the tokens, for the place of errors. */
  readonly sql: string
  /** Of time constants that do not say theirs. */
  readonly zone: Zone
  /** Of information_schema. */
  readonly sources: Sources
  /** Full names of the views this query is in. */
  readonly views?: readonly string[]
}

/** Checks a query and resolves its names. Throws DbError for whatever it may not read. */
export async function confine(place: Place, written: readonly Token[]): Promise<Confined> {
  const tokens = translateRanges(place, written)
  const statement = canonical(tokens)
  const { tree, text } = await place.parser.shape(place.sql, statement)
  const locate = locator(text.text)
  const index = ({ line, column }: { line: number; column: number }) => tokenAt(text, locate(line, column))
  const edits: Edit[] = [
    ...clockEdits(statement),
    ...binEdits(statement),
    ...functionEdits(statement),
    ...castEdits(statement)
  ]
  const aliases = new Set<string>()
  const columns: (readonly number[])[] = []
  const compared: (readonly [number, number])[] = []
  const named: (readonly [number[], boolean])[] = []
  const searches: SearchCall[] = []
  const aliased = new Set<number>()
  const alone: Filtered[] = []
  let everyColumn = tokens.some(token => isToken(token, '#'))
  walkStatement(tree, {
    table: (name, aliased) => named.push([name.map(index), aliased]),
    column: name => columns.push(name.map(index)),
    compared: (name, constant) => compared.push([index(name.at(-1)!), index(constant)]),
    renamed: alias => {
      aliases.add(alias.value.toLowerCase())
      edits.push(...aliasEdit(statement, index(alias)))
    },
    unnamedColumns: () => {
      everyColumn = true
    },
    unnamed: call => edits.push(...labelEdit(statement, call.map(index))),
    called: name => edits.push(...sessionEdit(statement, index(name), place.ctx)),
    aliased: alias => aliased.add(index(alias)),
    search: name => searches.push(readSearchCall(statement, index(name))),
    alone: table => alone.push({ ...table, at: index(table.name[0]!) })
  })
  checkCalls(tokens, aliased)
  for (const [parts, aliased] of named) edits.push(await tableEdit(place, statement, parts, aliased))
  const tables = edits.flatMap<Named>(edit => edit.table ?? (edit.view && asNamed(edit.view)) ?? [])
  const find = columnFinder(tables)
  for (const parts of columns) {
    edits.push(...columnEdits(statement, tables, find, parts, aliases))
    const name = nameOf(tokens[parts[0]!]!)
    const isSession = parts.length === 1 && find(name) === undefined && !aliases.has(name.text)
    if (isSession) edits.push(...sessionEdit(statement, parts[0]!, place.ctx))
  }
  edits.push(...zoneCastEdits(statement, find))
  for (const [column, constant] of compared) {
    edits.push(...timeEdit(statement, timeColumn(tables, statement.tokens[column]!), constant, place.zone))
  }
  const columnsAt = (token: number) => find(nameOf(statement.tokens[token]!)) ?? []
  const asked = { searches, alone, columnsAt, index, zone: place.zone }
  const rows = new Set(named.flatMap(([parts, aliased]) => rowNames(tokens, parts.at(-1)!, aliased)))
  const isColumn = (parts: readonly number[]) =>
    isKnown(
      find,
      aliases,
      rows,
      parts.map(part => nameOf(tokens[part]!))
    )
  const narrowed = everyColumn || !columns.every(isColumn) ? edits : edits.map(edit => narrow(edit, tokens))
  const edited = rewriteSearches(statement, narrowed, asked)
  const bounded = named.length === 1 && edited.some(edit => edit.table !== undefined) && isBounded(tree)
  return {
    ...applyEdits(statement.text, edited),
    bounded,
    names: physicalNames(edited.flatMap(edit => edit.table ?? []))
  }
}

/** A second look, at the bare tokens: nothing but the name of a table with a list of columns has a refused name before a parenthesis. */
function checkCalls(tokens: readonly Token[], aliased: ReadonlySet<number>): void {
  tokens.forEach((token, i) => {
    const named = (token.kind === 'word' || token.kind === 'quoted') && !aliased.has(i)
    if (named && isToken(tokens[i + 1], '(') && isRefusedFunction(token.value)) throw refused(`function ${token.value}`)
  })
}

function nameOf(token: Token): Name {
  return { text: token.kind === 'word' ? token.value.toLowerCase() : token.value, quoted: token.kind === 'quoted' }
}

async function tableEdit(
  place: Place,
  statement: Canonical,
  parts: readonly number[],
  aliased: boolean
): Promise<Edit> {
  const names = parts.map(part => nameOf(statement.tokens[part]!))
  const where = span(statement, parts[0]!, parts.at(-1)!)
  const { database, table: written } = resolveName(place.store, place.db, names)
  if (database === informationSchema) {
    const text = await informationTable(place.sources, written.text)
    return { ...where, text: aliased ? text : `${text} AS ${quoteName(written.text)}` }
  }
  const view = place.store.view(database, written.text)
  if (view !== undefined) {
    const expanded = await expandView(confine, place, view)
    return { ...where, ...expanded, text: aliased ? expanded.text : `${expanded.text} AS ${quoteName(view.name)}` }
  }
  const table = lookUpTable(place.store, place.db, names)
  if (table === undefined) {
    throw new DbError('TableNotFound', `Failed to plan SQL: Table not found: ${fullName(database, written.text)}`)
  }
  return { ...where, text: '', table, ...(!aliased && { alias: table.name }) }
}

/** Quoted, with an `AS` before it: the engine has more words that cannot stand there bare. */
function aliasEdit(statement: Canonical, at: number): Edit[] {
  const token = statement.tokens[at]!
  if (token.kind !== 'word') return []
  const as = isToken(statement.tokens[at - 1], 'as') ? '' : 'AS '
  return [{ ...span(statement, at), text: `${as}${quoteName(token.value.toLowerCase())}` }]
}

/** Names a call as the user wrote it: `count(*)`, not the engine's `count_star()`. */
function labelEdit({ tokens, starts }: Canonical, name: readonly number[]): Edit[] {
  const first = name[0]!
  if (['columns', 'unnest'].some(word => isToken(tokens[first], word))) return []
  const called =
    isToken(tokens[name.at(-1)! + 1], '(') ||
    isToken(tokens[first], 'current_timestamp') ||
    isSessionWord(tokens[first]!)
  if (!called) return []
  const last = callEnd(tokens, name.at(-1)!)
  const end = starts[last]! + tokenText(tokens[last]!).length
  return [{ start: end, end, text: ` AS ${quoteName(label(tokens.slice(first, last + 1)))}` }]
}

/** Index of the last token of a call: its parenthesis, or that of a `FILTER`, `OVER` … behind it. */
function callEnd(tokens: readonly Token[], name: number): number {
  let at = isToken(tokens[name + 1], '(') ? closing(tokens, name + 1) : name
  for (;;) {
    const next = at + 1
    if (isToken(tokens[next], 'filter') && isToken(tokens[next + 1], '(')) at = closing(tokens, next + 1)
    else if (isToken(tokens[next], 'within') && isToken(tokens[next + 2], '(')) at = closing(tokens, next + 2)
    else if (isToken(tokens[next], 'over')) at = isToken(tokens[next + 1], '(') ? closing(tokens, next + 1) : next + 1
    else if (
      (isToken(tokens[next], 'ignore') || isToken(tokens[next], 'respect')) &&
      isToken(tokens[next + 1], 'nulls')
    ) {
      at = next + 1
    } else return at
  }
}

function closing(tokens: readonly Token[], open: number): number {
  let depth = 0
  for (let at = open; at < tokens.length; at++) {
    if (isToken(tokens[at], '(')) depth++
    if (isToken(tokens[at], ')') && --depth === 0) return at
  }
  return tokens.length - 1
}

type Finder = (name: Name) => readonly TableColumn[] | undefined

/** The columns of the query's tables that a name in any case may mean. */
function columnFinder(tables: readonly Named[]): Finder {
  const groups = Map.groupBy(
    [...new Set(tables)].flatMap(table => table.columns),
    column => column.name.toLowerCase()
  )
  return name => groups.get(name.text.toLowerCase())
}

function columnEdits(
  statement: Canonical,
  tables: readonly Named[],
  find: Finder,
  parts: readonly number[],
  aliases: ReadonlySet<string>
): Edit[] {
  const names = parts.map(part => nameOf(statement.tokens[part]!))
  const edits: Edit[] = []
  // The engine knows a table by its name alone: `public.t.n` is `t.n` to it.
  const table = names.findIndex((name, i) => i > 0 && i < names.length - 1 && isTableOf(tables, names[i - 1]!, name))
  const first = Math.max(table, 0)
  if (first > 0) edits.push({ start: statement.starts[parts[0]!]!, end: statement.starts[parts[first]!]!, text: '' })
  // What has a dot before it is the column, or a field of the column before the dot.
  const behind = first + 1 < parts.length && find(names[first + 1]!) !== undefined
  const at = behind ? first + 1 : first
  const group = find(names[at]!)
  if (group !== undefined) {
    edits.push({ ...span(statement, parts[at]!), text: quoteName(chooseColumn(group, names[at]!).physical) })
  } else if (parts.length === 1 && !names[0]!.quoted && aliases.has(names[0]!.text)) {
    edits.push({ ...span(statement, parts[0]!), text: quoteName(names[0]!.text) })
  }
  return edits
}

/** What means a whole row of a table in an expression: the table's name and alias. */
function rowNames(tokens: readonly Token[], name: number, aliased: boolean): string[] {
  const alias = aliased ? tokens[isToken(tokens[name + 1], 'as') ? name + 2 : name + 1] : undefined
  return [tokens[name]!, ...(alias ? [alias] : [])].map(({ value }) => value.toLowerCase())
}

/** Whether a name is that of a column, or of an item of a select list and of nothing else. */
function isKnown(
  find: Finder,
  aliases: ReadonlySet<string>,
  rows: ReadonlySet<string>,
  names: readonly Name[]
): boolean {
  if (names.some(name => find(name) !== undefined)) return true
  const only = names.length === 1 ? names[0]!.text.toLowerCase() : undefined
  return only !== undefined && aliases.has(only) && !rows.has(only)
}

/** A table with the columns some word of the statement may be the name of. */
function narrow(edit: Edit, tokens: readonly Token[]): Edit {
  if (edit.table === undefined) return edit
  const { columns, timeIndex } = edit.table
  const words = new Set(tokens.map(({ value }) => value.toLowerCase()))
  const named = columns.filter(column => column === timeIndex || words.has(column.name.toLowerCase()))
  return named.length === columns.length ? edit : { ...edit, columns: named.map(({ name }) => name) }
}

function isTableOf(tables: readonly Named[], database: Name, table: Name): boolean {
  return tables.some(other => other.database === database.text && other.name === table.text)
}

/** Names are quoted even where they are plain: `at` and `left` are words of the engine. */
function chooseColumn(group: readonly TableColumn[], name: Name): TableColumn {
  const plain = group.every(column => column.name === group[0]!.name && column.physical === column.name)
  if (plain) return group[0]!
  const exact = group.filter(column => column.name === name.text)
  if (new Set(exact.map(column => column.physical)).size === 1) return exact[0]!
  const names = [...new Set(group.map(column => column.name))]
  const found = exact.length > 1 ? ': the tables of this query differ in the case of it' : hint(name.text, names)
  throw new DbError('PlanQuery', `Failed to plan SQL: No field named ${name.text}${found}`)
}

function physicalNames(tables: readonly Table[]): Map<string, string> {
  const renamed = tables.flatMap(table => table.columns.filter(column => column.physical !== column.name))
  return new Map(renamed.map(column => [column.physical, column.name]))
}

function timeColumn(tables: readonly Named[], name: Token): TableColumn | undefined {
  const wanted = name.value.toLowerCase()
  return tables.flatMap(table => table.columns.filter(column => column.name.toLowerCase() === wanted))[0]
}

export type { Edit } from './edit.ts'
export { shiftRelation as shift } from './edit.ts'

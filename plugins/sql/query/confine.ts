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
import { informationColumns, informationTable } from '../catalog/information/index.ts'
import type { Sources } from '../catalog/information/table.ts'
import { fullName, informationSchema, lookUpTable, resolveName } from '../catalog/name.ts'
import { locator, type SqlParser } from '../grammar/parser.ts'
import { readSearchCall, type SearchCall } from '../search/call.ts'
import { type Filtered, rewriteSearches } from '../search/rewrite.ts'
import type { Name } from '../statement/cursor.ts'
import { type Canonical, canonical, label, tokenAt } from '../text/canonical.ts'
import { isToken, quoteName, type Token, tokenText } from '../text/token.ts'
import { type BindContext, bindStatement, type Reference } from './bind.ts'
import { castEdits } from './cast.ts'
import { applyEdits, type Edit, span } from './edit.ts'
import { hasEngineZone } from './engine-zone.ts'
import { functionEdits } from './function-edits.ts'
import { isRefusedFunction } from './function-policy.ts'
import { makeNames, type Names } from './names.ts'
import { translateRanges } from './range/translate.ts'
import { type Field, type Fields, makeSource, type Source } from './scope.ts'
import { isSessionWord, sessionEdit } from './session-function.ts'
import { binEdits, clockEdits, timeEdit } from './time-text.ts'
import { engineMeaning, meaningOf } from './time-type.ts'
import { computeTql, type TqlRunner, type TqlTable } from './tql-table.ts'
import { type Expanded, expandView, viewColumns, viewRows } from './view.ts'
import { refused, walkStatement } from './walk.ts'
import { zoneCastEdits } from './zone-cast.ts'

export interface Confined {
  readonly text: string
  readonly relations: readonly Relation[]
  /** What the engine is told for the names of columns. */
  readonly names: Names
  /** Names there are where one in lower case is none. */
  readonly valid: ReadonlyMap<string, readonly string[]>
  /** The columns of the result; `byName` where nobody names some of them. */
  readonly result: Fields
  readonly byName: boolean
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
  readonly tql: TqlRunner
  /** Full names of the views this query is in. */
  readonly views?: readonly string[]
}

/** Checks a query and resolves its names. Throws DbError for whatever it may not read. */
export async function confine(place: Place, written: readonly Token[]): Promise<Confined> {
  const computed = await computeTql(place, written)
  const tokens = translateRanges(place, computed.tokens)
  const statement = canonical(tokens)
  const { tree, text } = await place.parser.shape(place.sql, statement)
  const locate = locator(text.text)
  const index = ({ line, column }: { line: number; column: number }) => tokenAt(text, locate(line, column))
  const named: (readonly [number[], boolean])[] = []
  const searches: SearchCall[] = []
  const aliased = new Set<number>()
  const calls: number[] = []
  const unnamed: (readonly number[])[] = []
  const alone: Filtered[] = []
  walkStatement(tree, {
    table: (name, aliased) => named.push([name.map(index), aliased]),
    unnamed: call => unnamed.push(call.map(index)),
    called: name => calls.push(index(name)),
    aliased: alias => aliased.add(index(alias)),
    search: name => searches.push(readSearchCall(statement, index(name))),
    alone: table => alone.push({ ...table, at: index(table.name[0]!) })
  })
  checkCalls(tokens, aliased)
  const reads: Read[] = []
  for (const [parts, aliased] of named) {
    reads.push(await readTable(place, computed.tables, statement, parts, aliased))
  }
  const bound = bindStatement(tree, bindContext(statement, index, reads))
  const names = makeNames([
    ...reads.flatMap(({ source }) => source.fields.list.map(({ name }) => name)),
    ...bound.declared.map(at => nameOf(tokens[at]!).text)
  ])
  const sessionWords = bound.references.flatMap(({ parts, found }) =>
    found.kind === 'unknown' && parts.length === 1 ? sessionEdit(statement, parts[0]!, place.ctx) : []
  )
  const fields = new Map(
    bound.references.flatMap(({ parts, found }) =>
      found.kind === 'column' ? [[parts[found.column]!, found] as const] : []
    )
  )
  const isTime = (at: number) => fields.get(at)?.field.meaning?.kind === 'time'
  /** In zones the engine has not, only text is known to need one. */
  const knownTime = (first: number, last: number) => {
    const meaning = fields.get(last)?.field.meaning
    if (meaning?.kind === 'time') return meaning
    if (isToken(tokens[first], 'date')) return {}
    return hasEngineZone(place.zone.name, meaning && 'a cast of text to TIMESTAMP') ? undefined : {}
  }
  const everyColumn = bound.everyColumn || tokens.some(token => isToken(token, '#'))
  const words = everyColumn ? undefined : new Set(tokens.map(({ value }) => value.toLowerCase()))
  const items = new Set(bound.items)
  const edits: Edit[] = [
    ...clockEdits(statement),
    ...binEdits(statement),
    ...functionEdits(statement),
    ...castEdits(statement, knownTime),
    ...calls.flatMap(at => sessionEdit(statement, at, place.ctx)),
    ...sessionWords,
    ...unnamed.flatMap(call => labelEdit(statement, call)),
    ...bound.declared.map(at => declaredEdit(statement, at, names, items.has(at))),
    ...bound.sourceNames.map(at => ({ ...span(statement, at), text: quoteName(nameOf(tokens[at]!).text) })),
    ...bound.references.flatMap(reference => referenceEdits(statement, reference, names)),
    ...zoneCastEdits(statement, isTime),
    ...bound.times.flatMap(time => timeEdit(statement, time, place.zone)),
    ...reads.map(read => tableEdit(read, names, words))
  ]
  const columnsAt = (token: number) => columnsOf(reads, fields.get(token)?.field.name)
  const asked = { searches, alone, columnsAt, index, zone: place.zone }
  const edited = rewriteSearches(statement, edits, asked)
  const valid = new Map(
    bound.references.flatMap(({ parts, found }) =>
      found.kind === 'unknown' && found.valid !== undefined
        ? [[nameOf(tokens[parts.at(-1)!]!).text.toLowerCase(), found.valid] as const]
        : []
    )
  )
  return {
    ...applyEdits(statement.text, edited),
    names,
    valid,
    result: bound.result,
    byName: bound.byName
  }
}

function bindContext(statement: Canonical, index: BindContext['index'], reads: readonly Read[]): BindContext {
  const { tokens } = statement
  const tables = new Map(reads.map(({ at, source }) => [at, source]))
  return {
    index,
    nameAt: at => nameOf(tokens[at]!).text,
    tableAt: at => tables.get(at),
    integerAt: at => {
      const token = tokens[at]!
      return token.kind === 'number' && /^[\d_]+$/.test(token.value)
        ? BigInt(token.value.replaceAll('_', ''))
        : undefined
    },
    stringAt: at => (tokens[at]?.kind === 'string' ? tokens[at].value : undefined),
    isTokenAt: (at, text) => isToken(tokens[at], text)
  }
}

/** The columns of the tables that have this name. */
function columnsOf(reads: readonly Read[], name: string | undefined): readonly TableColumn[] {
  return reads.flatMap(({ table, view }) => [
    ...(table?.columns.filter(column => column.name === name) ?? []),
    ...(view === undefined ? [] : viewColumns(view.view).filter(column => column.name === name))
  ])
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

/** What a name in a FROM stands for. */
interface Read {
  /** The place of the name. */
  readonly start: number
  readonly end: number
  /** The token it begins with. */
  readonly at: number
  readonly aliased: boolean
  readonly source: Source
  readonly table?: Table
  readonly view?: Expanded
  /** SQL of a table of information_schema, or of the rows of TQL. */
  readonly text?: string
}

async function readTable(
  place: Place,
  computed: ReadonlyMap<string, TqlTable>,
  statement: Canonical,
  parts: readonly number[],
  aliased: boolean
): Promise<Read> {
  const names = parts.map(part => nameOf(statement.tokens[part]!))
  const where = { ...span(statement, parts[0]!, parts.at(-1)!), at: parts[0]!, aliased }
  const rows = computed.get(names[0]!.text)
  if (rows !== undefined) {
    const list = rows.columns.map(([name, type]) => ({ name, meaning: engineMeaning(type) }))
    return { ...where, source: makeSource(undefined, { list, open: false }), text: rows.text }
  }
  const { database, table: written } = resolveName(place.store, place.db, names)
  const sourceOf = (name: string, list: readonly Field[]) => makeSource(name, { list, open: false }, database)
  if (database === informationSchema) {
    const columns = informationColumns(written.text)
    const list = columns.map(([name, type]) => ({ name, meaning: engineMeaning(type) }))
    const text = await informationTable(place.sources, written.text)
    return { ...where, source: sourceOf(written.text, list), text }
  }
  const view = place.store.view(database, written.text)
  if (view !== undefined) {
    const list = view.columns.map(({ name, type }) => ({ name, meaning: meaningOf(type) }))
    return { ...where, source: sourceOf(view.name, list), view: await expandView(confine, place, view) }
  }
  const table = lookUpTable(place.store, place.db, names)
  if (table === undefined) {
    throw new DbError('TableNotFound', `Failed to plan SQL: Table not found: ${fullName(database, written.text)}`)
  }
  const list = table.columns.map(({ name, type }) => ({ name, meaning: meaningOf(type) }))
  return { ...where, source: sourceOf(table.name, list), table }
}

/** The rows in place of the name, their columns under the names the engine is told. */
function tableEdit(read: Read, names: Names, words: ReadonlySet<string> | undefined): Edit {
  const { start, end, aliased, source, table, view } = read
  const named = aliased ? '' : ` AS ${quoteName(source.name!)}`
  if (view !== undefined) return { start, end, ...viewRows(view, names), after: named }
  if (table === undefined) {
    const renamed = source.fields.list.filter(({ name }) => names.encode(name) !== name)
    const text =
      renamed.length === 0
        ? read.text!
        : `(SELECT ${renaming(
            renamed.map(({ name }) => [name, name]),
            names
          )} FROM ${read.text!})`
    return { start, end, text: `${text}${named}` }
  }
  const all = table.columns
  const kept =
    words === undefined ? all : all.filter(column => column === table.timeIndex || words.has(column.name.toLowerCase()))
  const columns = kept.length === all.length ? {} : { columns: kept.map(({ name }) => name) }
  if (kept.every(({ name, physical }) => names.encode(name) === physical)) {
    return { start, end, text: '', table, ...columns, ...(!aliased && { alias: table.name }) }
  }
  const list = renaming(
    kept.map(({ name, physical }) => [physical, name]),
    names
  )
  return { start, end, text: '', table, ...columns, before: `(SELECT ${list} FROM `, after: `)${named}` }
}

/** `"engine's" AS "told", …` */
function renaming(columns: readonly (readonly [string, string])[], names: Names): string {
  return columns.map(([engine, name]) => `${quoteName(engine)} AS ${quoteName(names.encode(name))}`).join(', ')
}

/** A name given in the statement: quoted, and an item's with an `AS` before it. The engine has more words that cannot stand there bare. */
function declaredEdit(statement: Canonical, at: number, names: Names, isItem: boolean): Edit {
  const as = !isItem || isToken(statement.tokens[at - 1], 'as') ? '' : 'AS '
  return { ...span(statement, at), text: `${as}${quoteName(names.encode(nameOf(statement.tokens[at]!).text))}` }
}

/** The column a name means, by the name the engine knows it by; other names stay as they are. */
function referenceEdits(statement: Canonical, { parts, found }: Reference, names: Names): Edit[] {
  const quoted = (part: number) => quoteName(nameOf(statement.tokens[parts[part]!]!).text)
  if (found.kind === 'item') {
    return [{ ...span(statement, parts[0]!), text: quoteName(names.encode(found.name)) }]
  }
  if (found.kind !== 'column') return []
  const column = { ...span(statement, parts[found.column]!), text: quoteName(names.encode(found.field.name)) }
  if (found.table === undefined) return [column]
  // The engine knows a table by its name alone: `public.t.n` is `t.n` to it.
  const table = { ...span(statement, parts[0]!, parts[found.table]!), text: quoted(found.table) }
  return [table, column]
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

export type { Edit } from './edit.ts'
export { shiftRelation as shift } from './edit.ts'

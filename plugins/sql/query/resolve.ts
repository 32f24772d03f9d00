// Makes a user's query safe to run: every table in it is one of the catalog, every name means what the user wrote.
import {
  type Limit,
  mapPaced,
  type Pace,
  type Relation,
  type RequestContext,
  runPaced,
  type Store,
  type Table,
  type TableColumn,
  type Zone
} from '../../../core/index.ts'
import { informationColumns, informationTable } from '../catalog/information/index.ts'
import type { Sources } from '../catalog/information/table.ts'
import { informationSchema, lookUpTable, noTable, resolveName } from '../catalog/name.ts'
import { checkDepth, longAnds, spaceChains } from '../grammar/depth.ts'
import { isShareOfLimit, type SqlParser } from '../grammar/parser.ts'
import { isSearchFunction, readSearchCall } from '../search/call.ts'
import { rewriteSearches } from '../search/rewrite.ts'
import { nameOf } from '../statement/cursor.ts'
import { type Canonical, canonical } from '../text/canonical.ts'
import { tokenAt } from '../text/locate.ts'
import { isToken, quoteName, type Token } from '../text/token.ts'
import { closeArrows } from './arrow.ts'
import { bindStatement, type Reference } from './bind.ts'
import { bindContext } from './bind-context.ts'
import { castEdits } from './cast.ts'
import { plainComprehensions } from './comprehension.ts'
import { applyEdits, type Edit, putBefore, putBehind, replace, span } from './edit.ts'
import { hasEngineZone } from './engine-zone.ts'
import { plainWords } from './foreign.ts'
import { plainFroms } from './from-first.ts'
import { functionEdits } from './function-edits.ts'
import { makeNames, type Names } from './names.ts'
import { plainNulls } from './nulls.ts'
import { type AskRows, plainPivots } from './pivot.ts'
import { translateGaps } from './range/gaps.ts'
import { plainIntervals } from './range/parse.ts'
import { translateRanges } from './range/translate.ts'
import { type Fields, makeSource, type Source } from './scope.ts'
import { sessionEdit } from './session-function.ts'
import { textTimeEdits } from './text-time.ts'
import { timeEdit } from './time-text.ts'
import { engineMeaning, meaningOf } from './time-type.ts'
import { computeTql, type GivenTable, type TqlRunner } from './tql-table.ts'
import { type Expanded, expandView, viewColumns, viewRows } from './view.ts'

export interface ResolvedQuery {
  readonly text: string
  readonly relations: readonly Relation[]
  /** Where the user wrote what stands at an offset of the text. */
  readonly sourceOf: (at: number) => number | undefined
  /** The engine's names of columns. */
  readonly names: Names
  /** Names there are where one in lower case is none. */
  readonly valid: ReadonlyMap<string, readonly string[]>
  /** Whether a constant that begins at an offset of the source stands beside a time. */
  readonly isTime: (start: number) => boolean
  /** The columns of the result; `byName` where nobody names some of them. */
  readonly result: Fields
  readonly byName: boolean
}

export interface ResolveContext {
  readonly store: Store
  readonly parser: SqlParser
  /** Of the request: who asks, in which database and zone. */
  readonly ctx: Pick<RequestContext, 'user' | 'db' | 'timezone'>
  /** Where names without a database are looked for: the request's, or that of the view. */
  readonly db: string
  /** Source of the tokens, for the location of errors. */
  readonly sql: string
  /** Of time constants that do not say theirs. */
  readonly zone: Zone
  /** Of information_schema. */
  readonly sources: Sources
  /** Turns of the request: the steps of a long statement, each linear in its tokens, take one each. */
  readonly pace: Pace
  readonly tql: TqlRunner
  /** Bytes of one value. */
  readonly valueLimit: Limit
  /** Runs a query that another one needs before it is read, in its context. */
  readonly ask: (context: ResolveContext, tokens: readonly Token[]) => ReturnType<AskRows>
  /** Full names of the views this query is in. */
  readonly views?: readonly string[]
  /** Tables of a statement's own, by names no user can write. */
  readonly given?: ReadonlyMap<string, GivenTable>
}

/** Tokens beyond which a statement is long: a step over fewer takes a few milliseconds at most. */
const longStatement = 2_000

/** Checks a query and resolves its names. Throws DbError for whatever it may not read. */
export async function resolveQuery(context: ResolveContext, written: readonly Token[]): Promise<ResolvedQuery> {
  const nextStep = async () => {
    if (written.length > longStatement) await context.pace.pause()
  }
  await nextStep()
  // All that follows may go as deep as the brackets do.
  const spaced = spaceChains(written)
  checkDepth(spaced)
  await nextStep()
  const computed = await computeTql(
    context,
    await plainPivots(context.sql, spaced, tokens => context.ask(context, tokens))
  )
  await nextStep()
  const rewrites: readonly ((tokens: readonly Token[]) => readonly Token[])[] = [
    ...[plainFroms, plainIntervals, plainComprehensions, plainNulls, closeArrows],
    plain => translateRanges(context, plain),
    plain => translateGaps(context.sql, plain, context.valueLimit)
  ]
  let tokens = plainWords(context.sql, computed.tokens)
  for (const rewrite of rewrites) {
    await nextStep()
    tokens = rewrite(tokens)
  }
  await nextStep()
  const statement = canonical(tokens)
  await nextStep()
  const tree = await context.parser.sharedTree(context.sql, statement)
  await nextStep()
  const found = new Map<number, Found>()
  const table = (parts: readonly number[], aliased: boolean) => {
    const known = found.get(parts[0]!) ?? findTable(context, computed.tables, statement, parts, aliased)
    found.set(parts[0]!, known)
    return known.source
  }
  const bound = await runPaced(context.pace, bindStatement(tree, bindContext(context.sql, statement, written, table)))
  await nextStep()
  const searches = bound.calls
    .filter(at => isSearchFunction(tokens[at]!.value))
    .map(at => readSearchCall(statement, at))
  const reads: Read[] = []
  for (const table of found.values())
    reads.push(table.more === undefined ? table : { ...table, ...(await table.more()) })
  const names = makeNames([
    ...reads.flatMap(({ source }) => source.fields.list.map(({ name }) => name)),
    ...bound.declared.map(at => nameOf(tokens[at]!).text),
    ...bound.unnamed.map(({ label }) => label)
  ])
  const sessionWords = bound.references.flatMap(({ parts, found }) =>
    found.kind === 'unknown' && parts.length === 1 ? sessionEdit(statement, parts[0]!, context.ctx) : []
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
    const needing = meaning?.kind === 'text' ? 'a cast of text to TIMESTAMP' : undefined
    return hasEngineZone(context.zone.name, needing) ? undefined : {}
  }
  const everyColumn = bound.everyColumn || tokens.some(token => isToken(token, '#'))
  const words = everyColumn ? undefined : new Set(tokens.map(({ value }) => value.toLowerCase()))
  const items = new Set(bound.items)
  const knowsZone = hasEngineZone(
    context.zone.name,
    bound.textTimes.some(({ kind }) => kind === 'text') ? 'a text that meets a time' : undefined
  )
  const each = async <T>(items: readonly T[], edits: (item: T) => readonly Edit[]) =>
    (await mapPaced(context.pace, items, edits)).flat()
  const ofStatement: readonly (() => readonly Edit[])[] = [
    () => textTimeEdits(statement, bound.textTimes, { names, knowsZone, zone: context.zone.name }),
    () => functionEdits(context.sql, statement, bound.tableCalls),
    () => castEdits(statement, knownTime, isTime)
  ]
  const edits: readonly Edit[] = [
    ...(await each(ofStatement, edits => edits())),
    ...(await each(bound.calls, at => sessionEdit(statement, at, context.ctx))),
    ...sessionWords,
    ...(await each(bound.unnamed, ({ last, label }) => [
      putBehind(statement, last, ` AS ${quoteName(names.encode(label))}`)
    ])),
    ...(await each(bound.declared, at => [declaredEdit(statement, at, names, items.has(at))])),
    ...bound.sourceNames.map(at => replace(statement, at, at, quoteName(nameOf(tokens[at]!).text))),
    ...(await each(bound.references, reference => referenceEdits(statement, reference, names))),
    ...(await each(bound.times, time => timeEdit(statement, time, context.zone))),
    ...(await each(reads, read => [tableEdit(read, names, words)]))
  ]
  const columnsAt = (token: number) => columnsOf(reads, fields.get(token)?.field.name)
  // A sample is taken before the WHERE, of all rows, and a share of them is no number of rows.
  const isSampled = tokens.some(
    (token, i) =>
      isToken(token, 'tablesample') ||
      (isToken(token, 'sample') && isToken(tokens[i - 1], 'using')) ||
      isShareOfLimit(tokens, i)
  )
  const asked = { searches, alone: isSampled ? [] : bound.alone, columnsAt, zone: context.zone }
  await nextStep()
  const edited = rewriteSearches(statement, edits, asked)
  const valid = new Map(
    bound.references.flatMap(({ parts, found }) =>
      found.kind === 'unknown' && found.valid !== undefined
        ? [[nameOf(tokens[parts.at(-1)!]!).text.toLowerCase(), found.valid] as const]
        : []
    )
  )
  await nextStep()
  const [opened, closed] = isOneSelect(tokens, bound.alone) ? plainAnds(statement) : [[], []]
  const { text: told, relations, origin } = applyEdits(statement.text, [...opened, ...edited, ...closed])
  return {
    text: told,
    relations,
    sourceOf: at => tokens[tokenAt(statement.starts, origin(at))]?.start,
    names,
    valid,
    isTime: start => bound.times.some(({ first }) => tokens[first]!.start === start),
    result: bound.result,
    byName: bound.byName
  }
}

/** Whether a statement is one SELECT from one table: no condition of it joins tables. */
function isOneSelect(tokens: readonly Token[], alone: readonly unknown[]): boolean {
  return alone.length === 1 && tokens.filter(token => isToken(token, 'select')).length === 1
}

/**
 * Long chains of AND in parts that are compared with TRUE, which changes no value of theirs: the engine compares each condition of a chain
 * with all others, but does not look into these.
 */
function plainAnds(statement: Canonical): readonly [opened: readonly Edit[], closed: readonly Edit[]] {
  const parts = longAnds(statement.tokens)
  return [
    parts.map(([first]) => putBefore(statement, first, '(')),
    parts.map(([, last]) => putBehind(statement, last, ') = TRUE'))
  ]
}

/** The columns of the tables that have this name. */
function columnsOf(reads: readonly Read[], name: string | undefined): readonly TableColumn[] {
  return reads.flatMap(({ table, view }) => [
    ...(table?.columns.filter(column => column.name === name) ?? []),
    ...(view === undefined ? [] : viewColumns(view.view).filter(column => column.name === name))
  ])
}

/** The table that a name in a FROM refers to. */
interface Read extends Rows {
  /** The index of the name. */
  readonly start: number
  readonly end: number
  readonly aliased: boolean
  readonly source: Source
  readonly table?: Table
}

interface Rows {
  readonly view?: Expanded
  /** SQL of a table of information_schema, or of the rows of TQL. */
  readonly text?: string
}

interface Found extends Read {
  /** The facts that take time to find out. */
  readonly more?: () => Promise<Rows>
}

/** Throws DbError where there is no such table. */
function findTable(
  context: ResolveContext,
  computed: ReadonlyMap<string, GivenTable>,
  statement: Canonical,
  parts: readonly number[],
  aliased: boolean
): Found {
  const names = parts.map(part => nameOf(statement.tokens[part]!))
  const where = { ...span(statement, parts[0]!, parts.at(-1)!), aliased }
  const rows = computed.get(names[0]!.text) ?? context.given?.get(names[0]!.text)
  if (rows !== undefined)
    return { ...where, source: makeSource(undefined, engineFields(rows.columns)), text: rows.text }
  const { database, table: written } = resolveName(context.store, context.db, names)
  if (database === informationSchema) {
    return {
      ...where,
      source: makeSource(written.text, engineFields(informationColumns(written.text)), database),
      more: async () => ({ text: await informationTable(context.sources, written.text, context.pace) })
    }
  }
  const sourceOf = ({ name, columns }: { name: string; columns: Columns }) =>
    makeSource(name, fieldsOf(columns), database)
  const view = context.store.view(database, written.text)
  if (view !== undefined)
    return {
      ...where,
      source: sourceOf(view),
      more: async () => ({ view: await expandView(resolveQuery, context, view) })
    }
  const table = lookUpTable(context.store, context.db, names)
  if (table !== undefined) return { ...where, source: sourceOf(table), table }
  throw noTable(context.store, database, written.text, 'Failed to plan SQL: ')
}

type Columns = readonly { readonly name: string; readonly type: string }[]

/** The fields of each list of columns: a list stays as it is, a table that changes gets another one. */
const fieldsByColumns = new WeakMap<Columns, Fields>()

function fieldsOf(columns: Columns): Fields {
  const known = fieldsByColumns.get(columns)
  if (known !== undefined) return known
  const list = columns.map(column => ({ name: column.name, meaning: meaningOf(column.type) }))
  const fields = { list, open: false }
  fieldsByColumns.set(columns, fields)
  return fields
}

function engineFields(columns: readonly (readonly [string, string])[]): Fields {
  return { list: columns.map(([name, type]) => ({ name, meaning: engineMeaning(type) })), open: false }
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
  return replace(statement, at, at, `${as}${quoteName(names.encode(nameOf(statement.tokens[at]!).text))}`)
}

/** The column a name means, by the name the engine knows it by; other names stay as they are. */
function referenceEdits(statement: Canonical, { parts, found }: Reference, names: Names): Edit[] {
  const quoted = (part: number) => quoteName(nameOf(statement.tokens[parts[part]!]!).text)
  const told = (first: number, last: number, text: string) => replace(statement, parts[first]!, parts[last]!, text)
  if (found.kind === 'item') return [told(0, 0, quoteName(names.encode(found.name)))]
  if (found.kind === 'row' && found.only !== undefined) return [told(0, 0, `${quoted(0)}.${quoteName(found.only)}`)]
  if (found.kind !== 'column') return []
  const column = told(found.column, found.column, quoteName(names.encode(found.field.name)))
  // The engine knows a table by its name alone: `public.t.n` is `t.n` to it.
  return found.table === undefined ? [column] : [told(0, found.table, quoted(found.table)), column]
}

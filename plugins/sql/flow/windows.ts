// A query of a flow as one that can be asked for some windows of time alone.
import { type DbError, type Dialect, isTimestamp, type Table } from '../../../core/index.ts'
import type { FlowQuery } from '../../services.ts'
import { fullName, lookUpTable } from '../catalog/name.ts'
import { invalid } from '../error.ts'
import { readSource } from '../query/range/parse.ts'
import { written } from '../query/resolve-tables.ts'
import type { Session } from '../session.ts'
import { nameOf } from '../statement/cursor.ts'
import { isQueryWord } from '../statement/query.ts'
import { findWord, splitList } from '../text/brackets.ts'
import { canonical, label } from '../text/canonical.ts'
import { isName, isToken, type Token } from '../text/token.ts'

/** Functions that say in which window a time lies, and which of their arguments is the time; the other one is the window's length. */
const bins: Readonly<Record<Dialect['name'], Readonly<Record<string, number>>>> = {
  duckdb: { date_bin: 1, date_trunc: 1, time_bucket: 1 },
  clickhouse: { tostartofinterval: 0, date_bin: 0, time_bucket: 0, date_trunc: 1, datetrunc: 1 }
}

/** Throws DbError for a query that has no windows, or reads more than one table. */
export function flowQuery(
  { store, ctx, sql }: Session,
  tokens: readonly Token[]
): FlowQuery & { readonly keys: readonly number[] } {
  const [select, ...rest] = tokens
  const at = (word: string) => findWord(rest, word)
  const [from, where, group] = [at('from'), at('where'), at('group')]
  if (!isToken(select, 'select') || from < 0 || group < 0 || !isToken(rest[group + 1], 'by')) {
    throw unfit('is a SELECT … FROM one table … GROUP BY date_bin(…)')
  }
  for (const word of [
    'order',
    'limit',
    'offset',
    'union',
    'except',
    'intersect',
    'qualify',
    'distinct',
    'window',
    'align'
  ]) {
    if (at(word) >= 0) throw unfit(`has no ${word.toUpperCase()}`)
  }
  if (rest.some((token, i) => isToken(token, '(') && isQueryWord(rest[i + 1]) && !isToken(rest[i + 1], '(')))
    throw unfit('has no subquery')
  // It would look into other windows.
  if (rest.some((token, i) => isToken(token, 'over') && (isToken(rest[i - 1], ')') || isToken(rest[i - 1], 'nulls'))))
    throw unfit('has no OVER')
  const source = readSource(rest.slice(from + 1, where < 0 ? group : where))
  const table = source && lookUpTable(store, ctx.db, source.table)
  if (source === undefined || table === undefined) throw unfit('reads one table that exists')
  const having = at('having')
  const groups = splitList(rest.slice(group + 2, having < 0 ? undefined : having)).map(grouped)
  const items = splitList(rest.slice(0, from)).map(readItem)
  const keys = groups.map(written => {
    const found = items.findIndex(({ names }, i) => names.includes(written) || written === String(i + 1))
    if (found < 0) throw unfit(`has what it groups by in its list: ${written}`)
    return found
  })
  const window = keys.find(key => isBin(store.dialect, items[key]!.tokens, table, source.alias))
  const { dialect } = store
  const { quoteName } = dialect
  if (window === undefined) {
    const time = quoteName(table.timeIndex.name)
    const example =
      dialect.name === 'duckdb' ? `date_bin(INTERVAL '…', ${time})` : `toStartOfInterval(${time}, INTERVAL …)`
    throw unfit(`groups by ${example}`)
  }
  const { tokens: bin } = items[window]!
  const name = (each: readonly Token[]) =>
    dialect.name === 'duckdb' ? canonical(each).text : written(dialect, sql, each).text
  const lengthAt = 1 - timeArgument(dialect, bin[0]!)!
  const bySize = /^date_?trunc$/i.test(bin[0]!.value)
  return {
    source: { database: table.database, table: table.name },
    before: `SELECT ${name(rest.slice(0, where < 0 ? group : where))}`,
    condition: where < 0 ? '' : name(rest.slice(where + 1, group)),
    after: name(rest.slice(group)),
    time: `${quoteName(source.alias)}.${quoteName(table.timeIndex.name)}`,
    window: name(bin),
    length: bySize ? `INTERVAL '1 ${bin[2]!.value}'` : name(splitList(bin.slice(2, -1))[lengthAt]!),
    from: name(rest.slice(from + 1, where < 0 ? group : where)),
    windowColumn: window,
    keys: keys.filter(key => key !== window)
  }
}

function text(tokens: readonly Token[]): string {
  return label(tokens).toLowerCase()
}

/** The expressions of GROUP BY; columns without their table. */
function grouped(tokens: readonly Token[]): string {
  const isColumn = tokens.every(token => token.kind !== 'symbol' || token.value === '.')
  return text(isColumn ? tokens.slice(-1) : tokens)
}

/** An item of the list, and the names it can be called by. */
function readItem(tokens: readonly Token[]): { readonly tokens: readonly Token[]; readonly names: readonly string[] } {
  const as = tokens.findLastIndex(token => isToken(token, 'as'))
  const named = as >= 0 && as === tokens.length - 2
  const expression = named ? tokens.slice(0, as) : tokens
  const last = tokens.at(-1)!
  const names = [grouped(expression), text(expression), ...(named ? [text([last])] : [])]
  return { tokens: expression, names }
}

/** Which argument of a function that tells windows is the time; undefined for any other one. */
function timeArgument({ name }: Dialect, token: Token | undefined): number | undefined {
  const word = token?.kind === 'word' ? token.value.toLowerCase() : ''
  return Object.hasOwn(bins[name], word) ? bins[name][word] : undefined
}

function isBin(dialect: Dialect, tokens: readonly Token[], table: Table, alias: string): boolean {
  const at = timeArgument(dialect, tokens[0])
  if (at === undefined || !isToken(tokens.at(-1), ')')) return false
  const time = splitList(tokens.slice(2, -1))[at] ?? []
  const parts = time.filter(token => token.kind !== 'symbol').map(token => nameOf(token).text)
  const isPlain = time.every(token => isName(token) || isToken(token, '.'))
  return isPlain && parts.at(-1) === table.timeIndex.name && (parts.length === 1 || parts.at(-2) === alias)
}

function unfit(what: string): DbError {
  return invalid(`CREATE FLOW: the query of a flow ${what}`)
}

/** Throws where the table rows go to does not have the columns. */
export function checkSink(
  table: Table,
  columns: readonly { readonly name: string }[],
  { windowColumn, keys }: ReturnType<typeof flowQuery>
): void {
  const sink = `CREATE FLOW: table ${fullName(table.database, table.name)}`
  if (table.options.append_mode) throw invalid(`${sink} is in append mode: windows that change could not be replaced`)
  const absent = columns.find(({ name }) => !table.columns.some(column => column.name === name))
  if (absent !== undefined) throw invalid(`${sink} has no column ${absent.name}`)
  const time = columns[windowColumn]!.name
  if (table.timeIndex.name !== time || !isTimestamp(table.timeIndex.type)) {
    throw invalid(`${sink} must have ${time} as its time index`)
  }
  const wanted = new Set(keys.map(key => columns[key]!.name))
  const tags = table.columns.filter(({ semantic }) => semantic === 'tag').map(({ name }) => name)
  if (tags.length !== wanted.size || !tags.every(tag => wanted.has(tag))) {
    throw invalid(`${sink} must have the primary key (${[...wanted].join(', ')})`)
  }
}

// A query of a flow as one that can be asked for some windows of time alone.
import { DbError, isTimestamp, type Table } from '../../../core/index.ts'
import type { FlowQuery } from '../../services.ts'
import { fullName, lookUpTable } from '../catalog/name.ts'
import { readSource } from '../query/range/parse.ts'
import type { Session } from '../session.ts'
import { nameOf } from '../statement/cursor.ts'
import { findWord, splitList } from '../text/brackets.ts'
import { canonical, label } from '../text/canonical.ts'
import { isToken, quoteName, type Token } from '../text/token.ts'

const bins = ['date_bin', 'date_trunc', 'time_bucket']

/** Throws DbError for a query that has no windows, or reads more than one table. */
export function flowQuery(
  { store, ctx }: Session,
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
  if (tokens.slice(1).some(token => isToken(token, 'select'))) throw unfit('has no subquery')
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
  const window = keys.find(key => isBin(items[key]!.tokens, table, source.alias))
  if (window === undefined) throw unfit(`groups by date_bin(INTERVAL '…', ${quoteName(table.timeIndex.name)})`)
  const { tokens: bin } = items[window]!
  const name = (each: readonly Token[]) => canonical(each).text
  return {
    source: { database: table.database, table: table.name },
    before: `SELECT ${name(rest.slice(0, where < 0 ? group : where))}`,
    condition: where < 0 ? '' : name(rest.slice(where + 1, group)),
    after: name(rest.slice(group)),
    time: `${quoteName(source.alias)}.${quoteName(table.timeIndex.name)}`,
    window: name(bin),
    length: isToken(bin[0], 'date_trunc') ? `INTERVAL '1 ${bin[2]!.value}'` : name(splitList(bin.slice(2, -1))[0]!),
    from: name(rest.slice(from + 1, where < 0 ? group : where)),
    windowColumn: window,
    keys: keys.filter(key => key !== window)
  }
}

function text(tokens: readonly Token[]): string {
  return label(tokens).toLowerCase()
}

/** What is grouped by; a column without its table. */
function grouped(tokens: readonly Token[]): string {
  const isColumn = tokens.every(token => token.kind !== 'symbol' || token.value === '.')
  return text(isColumn ? tokens.slice(-1) : tokens)
}

/** What an item of the list is, and what it can be called by. */
function readItem(tokens: readonly Token[]): { readonly tokens: readonly Token[]; readonly names: readonly string[] } {
  const as = tokens.findLastIndex(token => isToken(token, 'as'))
  const named = as >= 0 && as === tokens.length - 2
  const expression = named ? tokens.slice(0, as) : tokens
  const last = tokens.at(-1)!
  const names = [grouped(expression), text(expression), ...(named ? [text([last])] : [])]
  return { tokens: expression, names }
}

function isBin(tokens: readonly Token[], table: Table, alias: string): boolean {
  if (!bins.some(name => isToken(tokens[0], name)) || !isToken(tokens.at(-1), ')')) return false
  const time = splitList(tokens.slice(2, -1))[1] ?? []
  const parts = time.filter(token => token.kind !== 'symbol').map(token => nameOf(token).text)
  const isPlain = time.every(token => token.kind === 'word' || token.kind === 'quoted' || isToken(token, '.'))
  return isPlain && parts.at(-1) === table.timeIndex.name && (parts.length === 1 || parts.at(-2) === alias)
}

function unfit(what: string): DbError {
  return new DbError('InvalidArguments', `CREATE FLOW: the query of a flow ${what}`)
}

/** Throws where the table rows go to does not have the columns. */
export function checkSink(
  table: Table,
  columns: readonly { readonly name: string }[],
  { windowColumn, keys }: ReturnType<typeof flowQuery>
): void {
  const sink = `CREATE FLOW: table ${fullName(table.database, table.name)}`
  if (table.options.append_mode)
    throw new DbError('InvalidArguments', `${sink} is in append mode: windows that change could not be replaced`)
  const absent = columns.find(({ name }) => !table.columns.some(column => column.name === name))
  if (absent !== undefined) throw new DbError('InvalidArguments', `${sink} has no column ${absent.name}`)
  const time = columns[windowColumn]!.name
  if (table.timeIndex.name !== time || !isTimestamp(table.timeIndex.type)) {
    throw new DbError('InvalidArguments', `${sink} must have ${time} as its time index`)
  }
  const wanted = new Set(keys.map(key => columns[key]!.name))
  const tags = table.columns.filter(({ semantic }) => semantic === 'tag').map(({ name }) => name)
  if (tags.length !== wanted.size || !tags.every(tag => wanted.has(tag))) {
    throw new DbError('InvalidArguments', `${sink} must have the primary key (${[...wanted].join(', ')})`)
  }
}

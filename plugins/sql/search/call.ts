// Calls of `matches` and `matches_term`: what they search and for what.
import {
  type Condition,
  parseSearch,
  type Reading,
  readingOf as readingOfColumns,
  searchCondition,
  searchSql,
  sqlTypeName,
  type TableColumn,
  termSql
} from '../../../core/index.ts'
import { invalid } from '../error.ts'
import { argumentsOf, closing } from '../text/brackets.ts'
import type { Canonical } from '../text/canonical.ts'
import { isName, isToken, quoteText, type Token } from '../text/token.ts'

const functions = ['matches', 'matches_term']

export function isSearchFunction(name: string): boolean {
  return functions.includes(name.toLowerCase())
}

/** A call, by the indices of its tokens. */
export interface SearchCall {
  readonly name: 'matches' | 'matches_term'
  /** Tokens of the whole call, first and last. */
  readonly first: number
  readonly last: number
  /** Tokens of the expression that is searched, first and last. */
  readonly text: readonly [number, number]
  /** The search. */
  readonly query: string
  /** The token of the column when the text is one; `lowered` when it is one in `lower(…)`. */
  readonly column: number | undefined
  readonly lowered: boolean
}

/** Reads the call whose name is a token. Throws DbError `InvalidArguments` when it has not a text and a constant. */
export function readSearchCall({ tokens }: Canonical, first: number): SearchCall {
  const name = tokens[first]!.value.toLowerCase() as SearchCall['name']
  const open = first + 1
  const last = closing(tokens, open) ?? open
  const [searched, [query, ...rest] = [], ...more] = argumentsOf(tokens, open)
  const isConstant = query?.kind === 'string' && query === tokens[last - 1] && rest.length + more.length === 0
  if (searched === undefined || !isConstant) {
    throw invalid(`${name} takes a text and what to search it for, a constant: ${usage[name]}`)
  }
  const text = [open + 1, open + searched.length] as const
  const lowered = searched.length > 3 && isToken(searched[0], 'lower') && closing(searched, 1) === searched.length - 1
  const plain = lowered ? searched.slice(2, -1) : searched
  return {
    name,
    first,
    last,
    text,
    query: query.value,
    column: isPath(plain) ? text[1] - (lowered ? 1 : 0) : undefined,
    lowered
  }
}

/** Of the expression that is searched: it is repeated for every word. */
const maxTextLength = 1000

const usage: Readonly<Record<SearchCall['name'], string>> = {
  matches: `matches(message, 'error AND "connection reset"')`,
  matches_term: `matches_term(message, 'reset')`
}

/** Names with dots between. */
function isPath(tokens: readonly Token[]): boolean {
  return tokens.length % 2 === 1 && tokens.every((token, i) => (i % 2 === 1 ? isToken(token, '.') : isName(token)))
}

/** How the index of the column says that it is searched; without one case counts. `columns` are those it may be. Throws where none is text. */
export function readingOf(call: SearchCall, columns: readonly TableColumn[]): Reading {
  const [column] = columns
  if (column !== undefined && columns.every(({ type }) => type !== 'String' && type !== 'Json')) {
    throw invalid(`${call.name} searches text, column ${column.name} is ${sqlTypeName(column.type)}`)
  }
  const { folded, unspaced } = readingOfColumns(columns)
  return { folded: !call.lowered && folded, unspaced }
}

/** The call as SQL; `text` is the SQL of what it searches. */
export function searchCallSql({ name, query }: SearchCall, text: string, reading: Reading): string {
  if (text.length > maxTextLength) {
    throw invalid(`what ${name} searches may take ${maxTextLength} characters of SQL, not ${text.length}`)
  }
  return name === 'matches'
    ? searchSql(parseSearch(query), text, reading, quoteText)
    : termSql(query, text, reading, quoteText)
}

/** A condition that the column meets if the call is true. */
export function searchCallCondition(call: SearchCall, column: string, reading: Reading): Condition | undefined {
  const folded = reading.folded || call.lowered
  if (call.name === 'matches') return searchCondition(parseSearch(call.query), column, folded)
  return call.query === '' ? undefined : { kind: 'term', column, term: call.query, folded }
}

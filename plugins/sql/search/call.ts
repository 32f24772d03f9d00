// Calls of `matches` and `matches_term`: what they search and for what.
import {
  type Condition,
  DbError,
  parseSearch,
  type Reading,
  readingOf as readingOfColumns,
  searchCondition,
  searchSql,
  sqlTypeName,
  type TableColumn,
  termSql
} from '../../../core/index.ts'
import type { Canonical } from '../text/canonical.ts'
import { isToken, quoteText, type Token } from '../text/token.ts'

const functions = ['matches', 'matches_term']

export function isSearchFunction(name: string): boolean {
  return functions.includes(name.toLowerCase())
}

/** A call, by the places of its tokens. */
export interface SearchCall {
  readonly name: 'matches' | 'matches_term'
  /** Tokens of the whole call, first and last. */
  readonly first: number
  readonly last: number
  /** Tokens of the expression that is searched, first and last. */
  readonly text: readonly [number, number]
  /** What it is searched for. */
  readonly query: string
  /** The token of the column when the text is one; `lowered` when it is one in `lower(…)`. */
  readonly column: number | undefined
  readonly lowered: boolean
}

/** Reads the call whose name is a token. Throws DbError `InvalidArguments` when it has not a text and a constant. */
export function readSearchCall({ tokens }: Canonical, first: number): SearchCall {
  const name = tokens[first]!.value.toLowerCase() as SearchCall['name']
  const open = first + 1
  const commas: number[] = []
  let depth = 0
  let last = open
  for (; last < tokens.length; last++) {
    const token = tokens[last]!
    if (token.kind !== 'symbol') continue
    if ('([{'.includes(token.value)) depth++
    else if (')]}'.includes(token.value) && --depth === 0) break
    else if (token.value === ',' && depth === 1) commas.push(last)
  }
  const [comma] = commas
  const query = tokens[last - 1]
  if (
    comma === undefined ||
    commas.length > 1 ||
    comma !== last - 2 ||
    query?.kind !== 'string' ||
    comma === open + 1
  ) {
    throw new DbError('InvalidArguments', `${name} takes a text and what to search it for, a constant: ${usage[name]}`)
  }
  const text = [open + 1, comma - 1] as const
  const inner = tokens.slice(text[0], text[1] + 1)
  const lowered = inner.length > 3 && isToken(inner[0], 'lower') && isToken(inner[1], '(') && isToken(inner.at(-1), ')')
  const name_ = lowered ? inner.slice(2, -1) : inner
  return {
    name,
    first,
    last,
    text,
    query: query.value,
    column: isName(name_) ? text[1] - (lowered ? 1 : 0) : undefined,
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
function isName(tokens: readonly Token[]): boolean {
  return (
    tokens.length % 2 === 1 &&
    tokens.every((token, i) => (i % 2 === 1 ? isToken(token, '.') : token.kind === 'word' || token.kind === 'quoted'))
  )
}

/** How the index of the column says that it is searched; without one case counts. `columns` are those it may be. Throws where none is text. */
export function readingOf(call: SearchCall, columns: readonly TableColumn[]): Reading {
  const [column] = columns
  if (column !== undefined && columns.every(({ type }) => type !== 'String' && type !== 'Json')) {
    throw new DbError(
      'InvalidArguments',
      `${call.name} searches text, column ${column.name} is ${sqlTypeName(column.type)}`
    )
  }
  const { folded, unspaced } = readingOfColumns(columns)
  return { folded: !call.lowered && folded, unspaced }
}

/** The call as SQL; `text` is the SQL of what it searches. */
export function searchCallSql({ name, query }: SearchCall, text: string, reading: Reading): string {
  if (text.length > maxTextLength) {
    throw new DbError(
      'InvalidArguments',
      `what ${name} searches may take ${maxTextLength} characters of SQL, not ${text.length}`
    )
  }
  return name === 'matches'
    ? searchSql(parseSearch(query), text, reading, quoteText)
    : termSql(query, text, reading, quoteText)
}

/** What is known of the column where the call is true. */
export function searchCallCondition(call: SearchCall, column: string, reading: Reading): Condition | undefined {
  const folded = reading.folded || call.lowered
  if (call.name === 'matches') return searchCondition(parseSearch(call.query), column, folded)
  return call.query === '' ? undefined : { kind: 'term', column, term: call.query, folded }
}

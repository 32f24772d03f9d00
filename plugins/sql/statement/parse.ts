// A request's SQL as statements: cut at semicolons, told apart by the first word.
import { didYouMean, type Steps } from '../../../core/index.ts'
import { invalid, unsupported } from '../error.ts'
import { isToken, type Token, tokenSteps } from '../text/token.ts'
import { parseAlter } from './alter.ts'
import { parseCopy } from './copy.ts'
import { parseCreate } from './create.ts'
import {
  type Cursor,
  expect,
  expectEnd,
  peek,
  readItems,
  readName,
  readNames,
  readString,
  sees,
  take,
  unexpected
} from './cursor.ts'
import { parseDelete } from './delete.ts'
import { parseInsert } from './insert.ts'
import { isQueryWord, readQuery } from './query.ts'
import { parseAdmin, parseSet } from './session.ts'
import { parseShow } from './show.ts'
import type { Statement } from './statement.ts'
import { parseTql } from './tql.ts'

/** A statement with the tokens it was read from. */
export interface Parsed {
  readonly statement: Statement
  readonly tokens: readonly Token[]
}

/**
 * All statements of a text; `fill` replaces parameters by values, without it they stay; `backslashes`: see `tokenize`. Throws ParseError with line
 * and column, `InvalidArguments` when there is none or there are too many tokens.
 */
export function* parseStatements(
  sql: string,
  maxTokens?: number,
  fill?: (tokens: readonly Token[]) => Steps<readonly Token[]>,
  backslashes?: boolean
): Steps<Parsed[]> {
  const tokens = yield* tokenSteps(sql, maxTokens, backslashes)
  const parsed: Parsed[] = []
  for (const group of split(fill === undefined ? tokens : yield* fill(tokens))) {
    const cursor = { sql, tokens: group, at: 0 }
    const statement = parseStatement(cursor)
    if (sees(cursor, 'returning')) throw unsupported(noReturning)
    expectEnd(cursor)
    parsed.push({ statement, tokens: group })
    yield
  }
  if (parsed.length === 0) throw invalid('empty statements')
  return parsed
}

const noReturning = 'RETURNING is not supported: ask for the rows with a SELECT'

/** The tokens of each statement, without semicolons; empty ones are left out. */
function split(tokens: readonly Token[]): Token[][] {
  const groups: Token[][] = [[]]
  for (const token of tokens) {
    if (isToken(token, ';')) groups.push([])
    else groups.at(-1)!.push(token)
  }
  return groups.filter(group => group.length > 0)
}

function parseStatement(cursor: Cursor): Statement {
  const first = peek(cursor)
  if (isQueryWord(first)) return readQuery(cursor)
  if (take(cursor, 'insert') || take(cursor, 'replace')) return parseInsert(cursor)
  if (take(cursor, 'delete')) return parseDelete(cursor)
  if (take(cursor, 'create')) return parseCreate(cursor)
  if (take(cursor, 'drop')) return parseDrop(cursor)
  if (take(cursor, 'alter')) return parseAlter(cursor)
  if (take(cursor, 'copy')) return parseCopy(cursor)
  if (take(cursor, 'comment')) return parseComment(cursor)
  if (take(cursor, 'truncate')) {
    take(cursor, 'table')
    return { kind: 'truncate', name: readNames(cursor) }
  }
  if (take(cursor, 'show')) return parseShow(cursor)
  if (take(cursor, 'explain')) return parseExplain(cursor)
  if (take(cursor, 'desc') || take(cursor, 'describe')) {
    if (!take(cursor, 'table') && isQueryWord(peek(cursor))) return { kind: 'describe_query', query: readQuery(cursor) }
    return { kind: 'describe_table', name: readNames(cursor) }
  }
  if (take(cursor, 'use')) return { kind: 'use', database: readName(cursor, 'the name of a database') }
  if (take(cursor, 'set')) return parseSet(cursor)
  if (take(cursor, 'admin')) return parseAdmin(cursor)
  if (take(cursor, 'kill')) return parseKill(cursor)
  if (take(cursor, 'tql')) return parseTql(cursor)
  const word = first!.value.toLowerCase()
  const instead = Object.hasOwn(others, word) ? `. ${others[word]!}` : didYouMean(word.toUpperCase(), firstWords)
  throw unsupported(`SQL statement is not supported, keyword: ${word.toUpperCase()}${instead}`)
}

const noPrepared = 'Send the statement with `?` or `$1` in it and the values beside it, as `params`'
const noTransactions = 'There are no transactions: each statement is stored as a whole'
/** Words that begin statements, where another one may be meant. */
const firstWords =
  'SELECT WITH VALUES FROM INSERT REPLACE DELETE CREATE DROP ALTER COPY COMMENT TRUNCATE SHOW EXPLAIN DESC DESCRIBE USE SET ADMIN KILL TQL'.split(
    ' '
  )

/** What to write instead of statements of other databases. */
const others: Readonly<Record<string, string>> = {
  prepare: noPrepared,
  execute: noPrepared,
  deallocate: noPrepared,
  update: 'Insert the row again with its tags and its time: the newest one counts',
  begin: noTransactions,
  start: noTransactions,
  commit: noTransactions,
  rollback: noTransactions
}

const explainOptions = ['analyze', 'verbose', 'format', 'costs', 'buffers', 'timing', 'summary', 'settings', 'wal']

/** `EXPLAIN [ANALYZE] [VERBOSE] [FORMAT f] query`, or with its options in parentheses, as Postgres has them. */
function parseExplain(cursor: Cursor): Statement {
  const isList = sees(cursor, '(') && explainOptions.some(word => isToken(peek(cursor, 1), word))
  if (isList) cursor.at++
  let [analyze, json] = [false, false]
  while (isList ? !take(cursor, ')') : explainOptions.slice(0, 3).some(word => sees(cursor, word))) {
    const option = explainOptions.find(word => take(cursor, word))
    if (option === undefined) throw unexpected(cursor, 'an option of EXPLAIN')
    analyze ||= option === 'analyze'
    if (option === 'format') {
      json = take(cursor, 'json')
      if (!json && !['text', 'tree', 'indent'].some(word => take(cursor, word)))
        throw unexpected(cursor, 'JSON or TEXT')
    } else if (
      isList &&
      ['true', 'on'].every(word => !take(cursor, word)) &&
      (take(cursor, 'false') || take(cursor, 'off'))
    ) {
      analyze &&= option !== 'analyze'
    }
    if (isList) take(cursor, ',')
  }
  if (!isQueryWord(peek(cursor))) throw unsupported('EXPLAIN takes a query')
  return { kind: 'explain', analyze, json, query: readQuery(cursor) }
}

function parseDrop(cursor: Cursor): Statement {
  if (take(cursor, 'flow')) {
    const ifExists = take(cursor, 'if', 'exists')
    return { kind: 'drop_flow', name: readName(cursor, 'the name of a flow').text, ifExists }
  }
  const database = take(cursor, 'database') || take(cursor, 'schema')
  const view = !database && take(cursor, 'view')
  if (!database && !view) expect(cursor, 'table')
  const ifExists = take(cursor, 'if', 'exists')
  const names = database ? [[readName(cursor)]] : readItems(cursor, () => readNames(cursor))
  // Views stay, whatever becomes of what they read.
  if (!take(cursor, 'restrict')) take(cursor, 'cascade')
  if (database) return { kind: 'drop_database', name: names[0]![0]!, ifExists }
  return { kind: view ? 'drop_view' : 'drop_table', names, ifExists }
}

function parseKill(cursor: Cursor): Statement {
  take(cursor, 'query')
  const token = peek(cursor)
  if (token?.kind !== 'number' && token?.kind !== 'string') throw unexpected(cursor, 'the id of a query')
  cursor.at++
  return { kind: 'kill', id: token.value }
}

/** `ON TABLE t IS 'text'`, `ON COLUMN t.c IS NULL` */
function parseComment(cursor: Cursor): Statement {
  expect(cursor, 'on')
  const onColumn = take(cursor, 'column')
  if (!onColumn) expect(cursor, 'table')
  const start = cursor.at
  const names = [readName(cursor)]
  while (names.length < 4 && take(cursor, '.')) names.push(readName(cursor))
  expect(cursor, 'is')
  const text = take(cursor, 'null') ? undefined : readString(cursor)
  if (!onColumn && names.length < 4) return { kind: 'comment', table: names, text }
  const column = names.pop()!
  if (!onColumn || names.length === 0) throw unexpected({ ...cursor, at: start }, onColumn ? 'table.column' : 'a table')
  return { kind: 'comment', table: names, column, text }
}

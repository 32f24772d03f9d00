// A request's SQL as statements: cut at semicolons, told apart by the first word.
import { DbError } from '../../../core/index.ts'
import { label } from '../text/canonical.ts'
import { isToken, type Token, tokenize } from '../text/token.ts'
import { parseCreate } from './create.ts'
import {
  atEnd,
  type Cursor,
  expect,
  expectEnd,
  peek,
  readName,
  readNames,
  readUntil,
  sees,
  take,
  unexpected
} from './cursor.ts'
import { parseDelete } from './delete.ts'
import { parseInsert } from './insert.ts'
import { parseShow } from './show.ts'
import type { QueryStatement, Statement } from './statement.ts'

/** A statement with the tokens it was read from. */
export interface Parsed {
  readonly statement: Statement
  readonly tokens: readonly Token[]
}

/** All statements of a text. Throws ParseError with line and column, `InvalidArguments` when there is none. */
export function parseStatements(sql: string): Parsed[] {
  const parsed = split(tokenize(sql)).map(tokens => {
    const cursor = { sql, tokens, at: 0 }
    const statement = parseStatement(cursor)
    expectEnd(cursor)
    return { statement, tokens }
  })
  if (parsed.length === 0) throw new DbError('InvalidArguments', 'empty statements')
  return parsed
}

/** The tokens of each statement, without semicolons; empty ones are left out. */
export function split(tokens: readonly Token[]): Token[][] {
  const groups: Token[][] = [[]]
  for (const token of tokens) {
    if (isToken(token, ';')) groups.push([])
    else groups.at(-1)!.push(token)
  }
  return groups.filter(group => group.length > 0)
}

const queryWords = ['select', 'with', 'values', 'from', '(']

function parseStatement(cursor: Cursor): Statement {
  const first = peek(cursor)
  if (queryWords.some(word => isToken(first, word))) return parseQuery(cursor)
  if (take(cursor, 'insert') || take(cursor, 'replace')) return parseInsert(cursor)
  if (take(cursor, 'delete')) return parseDelete(cursor)
  if (take(cursor, 'create')) return parseCreate(cursor)
  if (take(cursor, 'drop')) return parseDrop(cursor)
  if (take(cursor, 'show')) return parseShow(cursor)
  if (take(cursor, 'explain')) return parseExplain(cursor)
  if (take(cursor, 'desc') || take(cursor, 'describe')) {
    take(cursor, 'table')
    return { kind: 'describe_table', name: readNames(cursor) }
  }
  if (take(cursor, 'use')) return { kind: 'use', database: readName(cursor, 'the name of a database') }
  if (take(cursor, 'set')) return parseSet(cursor)
  if (take(cursor, 'admin')) return parseAdmin(cursor)
  throw new DbError('Unsupported', `SQL statement is not supported, keyword: ${first!.value.toUpperCase()}`)
}

function parseQuery(cursor: Cursor): QueryStatement {
  return { kind: 'query', tokens: readUntil(cursor) }
}

function parseExplain(cursor: Cursor): Statement {
  const analyze = take(cursor, 'analyze')
  take(cursor, 'verbose')
  const json = take(cursor, 'format')
  if (json && !take(cursor, 'json') && !take(cursor, 'text')) throw unexpected(cursor, 'JSON')
  if (!queryWords.some(word => sees(cursor, word))) throw new DbError('Unsupported', 'EXPLAIN takes a query')
  return { kind: 'explain', analyze, json, query: parseQuery(cursor) }
}

function parseDrop(cursor: Cursor): Statement {
  const database = take(cursor, 'database') || take(cursor, 'schema')
  if (!database) expect(cursor, 'table')
  const ifExists = take(cursor, 'if', 'exists')
  if (database) return { kind: 'drop_database', name: readName(cursor), ifExists }
  const names = [readNames(cursor)]
  while (take(cursor, ',')) names.push(readNames(cursor))
  return { kind: 'drop_table', names, ifExists }
}

function parseSet(cursor: Cursor): Statement {
  take(cursor, 'session')
  const zone = take(cursor, 'time', 'zone')
  const variable = zone ? 'time_zone' : readName(cursor, 'the name of a variable').text
  if (!zone && !take(cursor, '=')) expect(cursor, 'to')
  if (variable !== 'time_zone' && variable !== 'timezone') {
    throw new DbError('Unsupported', `Unsupported set variable ${variable.toUpperCase()}`)
  }
  const value = peek(cursor)
  if (value === undefined || value.kind === 'symbol') throw unexpected(cursor, 'a time zone')
  cursor.at++
  return { kind: 'set_time_zone', zone: value.value }
}

function parseAdmin(cursor: Cursor): Statement {
  const call = readName(cursor, 'the name of a function').text
  expect(cursor, '(')
  const args: string[] = []
  while (!take(cursor, ')')) {
    if (atEnd(cursor)) throw unexpected(cursor, ')')
    const token = peek(cursor)!
    cursor.at++
    if (token.kind === 'symbol' && token.value !== ',') throw unexpected({ ...cursor, at: cursor.at - 1 }, 'a literal')
    if (token.kind !== 'symbol') args.push(token.value)
  }
  return { kind: 'admin', call, args, text: `ADMIN ${label(cursor.tokens.slice(1, cursor.at))}` }
}

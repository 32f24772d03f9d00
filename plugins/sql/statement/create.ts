// CREATE TABLE and CREATE DATABASE.
import { type ColumnDefinition, DbError, isTimestamp, type Semantic } from '../../../core/index.ts'
import { invalid, unsupported } from '../error.ts'
import { isToken } from '../text/token.ts'
import { parseColumn, type WrittenColumn } from './column.ts'
import {
  type Cursor,
  expect,
  expectEnd,
  peek,
  readColumnNames,
  readList,
  readName,
  readNames,
  readString,
  sees,
  take,
  unexpected
} from './cursor.ts'
import { parseFlow } from './flow.ts'
import { readQuery } from './query.ts'
import type { CreateTable, CreateTableAs, CreateTableLike, CreateView, Statement, Texts } from './statement.ts'
import { readWith } from './with.ts'

const engines = ['embedded', 'mito', 'metric']

export function parseCreate(cursor: Cursor): Statement {
  const replace = take(cursor, 'or', 'replace')
  if (take(cursor, 'view')) return parseView(cursor, replace)
  if (take(cursor, 'flow')) return parseFlow(cursor, replace)
  const database = take(cursor, 'database') || take(cursor, 'schema')
  if (replace || (!database && !take(cursor, 'table'))) {
    const word = peek(cursor)?.value.toUpperCase() ?? ''
    throw unsupported(
      `CREATE ${replace ? 'OR REPLACE ' : ''}${word} is not supported, there are CREATE TABLE, CREATE DATABASE and CREATE [OR REPLACE] VIEW or FLOW`
    )
  }
  const ifNotExists = take(cursor, 'if', 'not', 'exists')
  if (database) {
    const name = readName(cursor).text
    return { kind: 'create_database', name, ifNotExists, options: readWith(cursor) }
  }
  return parseTable(cursor, ifNotExists)
}

/** `[IF NOT EXISTS] name [(columns)] AS query` */
function parseView(cursor: Cursor, replace: boolean): CreateView {
  const ifNotExists = take(cursor, 'if', 'not', 'exists')
  const name = readNames(cursor)
  const columns = readColumnNames(cursor)
  expect(cursor, 'as')
  const query = readQuery(cursor)
  const text = cursor.sql.slice(query.tokens[0]!.start, query.tokens.at(-1)!.end)
  return { kind: 'create_view', name, replace, ifNotExists, columns, query, text }
}

function parseTable(cursor: Cursor, ifNotExists: boolean): CreateTable | CreateTableAs | CreateTableLike {
  const name = readNames(cursor)
  if (take(cursor, 'like')) return { kind: 'create_table_like', name, like: readNames(cursor), ifNotExists }
  const written: WrittenColumn[] = []
  const keys: string[] = []
  const times: string[] = []
  // The form of Postgres; of what INCLUDING names, all is copied.
  if (sees(cursor, '(') && isToken(peek(cursor, 1), 'like')) {
    cursor.at += 2
    const like = readNames(cursor)
    take(cursor, 'including', 'all')
    expect(cursor, ')')
    return { kind: 'create_table_like', name, like, ifNotExists }
  }
  const listed = !sees(cursor, 'as') && !sees(cursor, 'with')
  if (listed)
    readList(cursor, () => {
      if (take(cursor, 'constraint')) readName(cursor)
      if (take(cursor, 'primary', 'key')) keys.push(...readList(cursor, () => readName(cursor).text))
      else if (sees(cursor, 'time', 'index')) {
        cursor.at += 2
        times.push(...readList(cursor, () => readName(cursor).text))
      } else written.push(parseColumn(cursor))
    })
  const options = parseTail(cursor)
  if (take(cursor, 'as')) {
    if (written.length > 0)
      throw unexpected({ ...cursor, at: cursor.at - 1 }, 'no columns before AS: the query names them')
    const [timeIndex] = times
    return {
      kind: 'create_table_as',
      name,
      ifNotExists,
      primaryKey: keys,
      timeIndex,
      options,
      query: readQuery(cursor)
    }
  }
  keys.push(...written.filter(column => column.primaryKey).map(column => column.name))
  times.push(...written.filter(column => column.timeIndex).map(column => column.name))
  return { kind: 'create_table', name, ifNotExists, columns: define(written, keys, times), options }
}

function parseTail(cursor: Cursor): Texts {
  let options: Record<string, string> = {}
  for (;;) {
    if (take(cursor, 'engine')) readEngine(cursor)
    else if (sees(cursor, 'with')) options = { ...options, ...readWith(cursor) }
    else if (take(cursor, 'comment')) {
      take(cursor, '=')
      options['comment'] = readString(cursor)
    } else if (sees(cursor, 'partition')) {
      throw unsupported('PARTITION ON COLUMNS is not supported: the server runs on a single node')
    } else {
      if (!sees(cursor, 'as')) expectEnd(cursor)
      return options
    }
  }
}

function readEngine(cursor: Cursor): void {
  take(cursor, '=')
  const engine = readName(cursor, 'the name of an engine').text
  if (!engines.includes(engine)) {
    throw invalid(`unknown table engine ${engine}, expected one of ${engines.join(', ')}`)
  }
}

/** Columns with their roles. */
function define(
  written: readonly WrittenColumn[],
  keys: readonly string[],
  times: readonly string[]
): ColumnDefinition[] {
  const names = new Set(written.map(column => column.name))
  for (const name of [...keys, ...times]) {
    if (!names.has(name)) throw invalid(`column ${name} of a constraint is not defined`)
  }
  if (names.size < written.length) {
    const seen = new Set<string>()
    const twice = written.find(({ name }) => seen.size === seen.add(name).size)
    throw invalid(`column ${twice!.name} is defined twice`)
  }
  if (times.length !== 1) throw new DbError('InvalidSyntax', 'Missing time index constraint')
  const time = times[0]!
  if (keys.includes(time)) throw invalid(`time index column ${time} cannot be in the primary key`)
  const tags = new Set(keys)
  if (tags.size < keys.length) throw invalid('a column is in the primary key twice')
  return written.map(column => {
    const semantic: Semantic = column.name === time ? 'timestamp' : tags.has(column.name) ? 'tag' : 'field'
    if (semantic === 'timestamp') checkTime(column)
    const { name, type, index, comment } = column
    return {
      name,
      type,
      semantic,
      nullable: semantic !== 'timestamp' && column.nullable !== false,
      ...(column.default !== undefined && { default: column.default }),
      ...(index && { index }),
      ...(comment !== undefined && { comment })
    }
  })
}

function checkTime({ name, type, nullable }: WrittenColumn): void {
  const why = !isTimestamp(type)
    ? `time index column must be a timestamp, not ${type}`
    : nullable === true
      ? 'time index column cannot be null'
      : undefined
  if (why !== undefined) {
    throw invalid(`Invalid column option, column name: ${name}, error: ${why}`)
  }
}

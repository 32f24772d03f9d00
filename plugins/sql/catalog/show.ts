// DESCRIBE and SHOW: the catalog as rows.
import { authorise, DbError, type RecordsAnswer, sqlTypeName, type Table } from '../../../core/index.ts'
import { runQuery, type Session } from '../session.ts'
import type { Name } from '../statement/cursor.ts'
import type { ShowFilter, ShowStatement } from '../statement/statement.ts'
import { quoteName, quoteText, tokenize } from '../text/token.ts'
import { createDatabaseText, createTableText, ddlOptions } from './ddl.ts'
import { findDatabase, informationSchema, isInformationSchema, lookUpTable } from './name.ts'
import { type Row, rowsAnswer } from './rows.ts'

export function describe(session: Session, name: readonly Name[]): RecordsAnswer {
  authorise(session.ctx.user, 'read')
  const table = requireTable(session, name)
  const columns = ['Column', 'Type', 'Key', 'Null', 'Default', 'Semantic Type']
  const rows = table.columns.map(({ name, type, semantic, nullable, ...column }) => [
    name,
    type,
    semantic === 'field' ? '' : 'PRI',
    nullable ? 'YES' : 'NO',
    column.default ?? '',
    semantic.toUpperCase()
  ])
  return rowsAnswer(columns, rows)
}

export async function show(session: Session, statement: ShowStatement): Promise<RecordsAnswer> {
  const { store, ctx } = session
  authorise(ctx.user, 'read')
  switch (statement.what) {
    case 'databases':
      return showDatabases(session, statement.full, statement.filter)
    case 'tables':
      return showTables(session, statement)
    case 'columns':
      return showColumns(session, requireTable(session, statement.name), statement.filter)
    case 'index':
      return showIndex(session, requireTable(session, statement.name), statement.filter)
    case 'create_table': {
      const table = requireTable(session, statement.name)
      return rowsAnswer(
        ['Table', 'Create Table'],
        [[table.name, createTableText(table, store.database(table.database))]]
      )
    }
    case 'create_database': {
      const database = findDatabase(store, statement.database)
      return rowsAnswer(['Database', 'Create Database'], [[database.name, createDatabaseText(database)]])
    }
    case 'variable':
      return showVariable(session, statement.variable)
  }
}

function showDatabases(session: Session, full: boolean, filter: ShowFilter | undefined): Promise<RecordsAnswer> {
  const known = session.store.databases().map(({ name, options }) => ({ name, options }))
  const rows = [...known, { name: informationSchema, options: {} }]
    .sort((a, b) => compare(a.name, b.name))
    .map(({ name, options }) => [
      name,
      ddlOptions(options)
        .map(([key, value]) => `${key}='${value}'`)
        .join(' ')
    ])
  return filtered(session, full ? ['Database', 'Options'] : ['Database'], rows, filter)
}

type ShowTables = Extract<ShowStatement, { what: 'tables' }>

function showTables(session: Session, { full, database, filter }: ShowTables): Promise<RecordsAnswer> {
  const { store, ctx } = session
  const system = database !== undefined && isInformationSchema(database)
  const name = system ? informationSchema : database === undefined ? ctx.db : findDatabase(store, database).name
  const tables = system ? ['columns', 'schemata', 'tables'] : store.tables(name).map(table => table.name)
  const kind = system ? 'LOCAL TEMPORARY' : 'BASE TABLE'
  const columns = [`Tables_in_${name}`, ...(full ? ['Table_type'] : [])]
  const rows = tables.sort(compare).map(table => [table, kind])
  return filtered(session, columns, rows, filter, 'Tables')
}

function showColumns(session: Session, table: Table, filter: ShowFilter | undefined): Promise<RecordsAnswer> {
  const rows = table.columns.map(({ name, type, semantic, nullable, ...column }) => [
    name,
    sqlTypeName(type).toLowerCase(),
    nullable ? 'Yes' : 'No',
    { tag: 'PRI', timestamp: 'TIME INDEX', field: '' }[semantic],
    column.default ?? null,
    '',
    type
  ])
  return filtered(session, ['Field', 'Type', 'Null', 'Key', 'Default', 'Extra', 'Svc_type'], rows, filter)
}

function showIndex(session: Session, table: Table, filter: ShowFilter | undefined): Promise<RecordsAnswer> {
  const rows = table.columns.flatMap(({ name, semantic, index, nullable }) => {
    const keys = [
      ...(semantic === 'tag' ? ['PRIMARY'] : semantic === 'timestamp' ? ['TIME INDEX'] : []),
      ...(index === undefined ? [] : [`${index.kind.toUpperCase()} INDEX`])
    ]
    return keys.map(key => [table.name, key, name, nullable ? 'YES' : 'NO'])
  })
  return filtered(session, ['Table', 'Key_name', 'Column_name', 'Null'], rows, filter)
}

function showVariable({ ctx }: Session, variable: string): RecordsAnswer {
  if (variable !== 'time_zone' && variable !== 'timezone' && variable !== 'system_time_zone') {
    throw new DbError('Unsupported', `Unsupported show variable ${variable.toUpperCase()}`)
  }
  return rowsAnswer([variable.toUpperCase()], [[ctx.timezone]])
}

/** Rows that match; `alias` names the first column for a condition, too. Rows may have more cells than there are columns. */
async function filtered(
  session: Session,
  columns: readonly string[],
  rows: readonly Row[],
  filter: ShowFilter | undefined,
  alias = columns[0]!
): Promise<RecordsAnswer> {
  if (filter?.kind === 'like') {
    const pattern = likePattern(filter.pattern)
    const matching = rows.filter(row => pattern.test(String(row[0])))
    return rowsAnswer(columns, matching)
  }
  if (filter === undefined || rows.length === 0) return rowsAnswer(columns, rows)
  const names = [...columns, ...(columns.includes(alias) ? [] : [alias])].map(quoteName)
  const cell = (value: unknown) => (value === null || value === undefined ? 'NULL' : quoteText(String(value)))
  const lines = rows.map(row => `(${names.map((_, c) => cell(row[c < columns.length ? c : 0])).join(', ')})`)
  const select = `SELECT ${columns.map(quoteName).join(', ')} FROM (VALUES ${lines.join(', ')}) AS shown(${names.join(', ')}) WHERE`
  const [first, ...rest] = filter.tokens
  if (first === undefined) throw new DbError('InvalidSyntax', 'SHOW … WHERE needs a condition')
  return runQuery(session, [...tokenize(select), { ...first, spaced: true }, ...rest])
}

function likePattern(pattern: string): RegExp {
  const source = pattern
    .replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
    .replaceAll('%', '.*')
    .replaceAll('_', '.')
  return new RegExp(`^${source}$`, 'su')
}

function requireTable({ store, ctx }: Session, name: readonly Name[]): Table {
  const table = lookUpTable(store, ctx.db, name)
  if (table !== undefined) return table
  throw new DbError('TableNotFound', `Table not found: ${name.map(part => part.text).join('.')}`)
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

// The SHOW statements: the catalog as rows.
import { DbError, type RecordsAnswer, version } from '../../../core/index.ts'
import { showCreateFlow, showFlows } from '../flow/flow.ts'
import { runQuery, type Session } from '../session.ts'
import type { ShowFilter, ShowStatement } from '../statement/statement.ts'
import { tokenize } from '../text/token.ts'
import { createDatabaseText, ddlOptions } from './ddl.ts'
import { filtered, type ShownColumn, withCondition } from './filter.ts'
import { informationTableNames } from './information/index.ts'
import { findDatabase, informationSchema, isInformationSchema } from './name.ts'
import { visibleProcesses } from './process-rows.ts'
import { type Row, rowsAnswer } from './rows.ts'
import { showColumns, showCreateTable, showCreateView, showIndex } from './show-table.ts'

export async function show(session: Session, statement: ShowStatement): Promise<RecordsAnswer> {
  switch (statement.what) {
    case 'databases':
      return showDatabases(session, statement.full, statement.filter)
    case 'tables':
      return showTables(session, statement)
    case 'views':
      return showViews(session, statement)
    case 'table_status':
      return showTableStatus(session, statement)
    case 'columns':
      return showColumns(session, statement.name, statement.full, statement.filter)
    case 'index':
      return showIndex(session, statement.name, statement.filter)
    case 'create_table':
      return showCreateTable(session, statement.name)
    case 'create_view':
      return showCreateView(session, statement.name)
    case 'create_database': {
      const database = findDatabase(session.store, statement.database)
      return rowsAnswer(['Database', 'Create Database'], [[database.name, createDatabaseText(database)]])
    }
    case 'variable':
      return showVariable(session, statement.variable)
    case 'variables': {
      const rows = Object.entries(variablesOf(session))
      return filtered(session, text('Variable_name', 'Value'), rows, statement.filter)
    }
    case 'flows':
      return showFlows(session, statement.filter)
    case 'create_flow':
      return showCreateFlow(session, statement.flow)
    case 'processlist':
      return showProcesses(session, statement.full, statement.filter)
  }
  const { columns, rows } = fixed[statement.what]
  return filtered(session, columns, rows, statement.filter)
}

const text = (...names: readonly string[]) => names

/** Constant answers to questions of other databases' tools. */
const fixed: Readonly<
  Record<'charset' | 'collation' | 'engines' | 'status', { columns: readonly ShownColumn[]; rows: readonly Row[] }>
> = {
  charset: {
    columns: ['Charset', 'Description', 'Default collation', ['Maxlen', 'Int64']],
    rows: [['utf8', 'UTF-8 Unicode', 'utf8_bin', 4n]]
  },
  collation: {
    columns: ['Collation', 'Charset', ['Id', 'Int64'], 'Default', 'Compiled', ['Sortlen', 'Int64']],
    rows: [['utf8_bin', 'utf8', 1n, 'Yes', 'Yes', 1n]]
  },
  engines: {
    columns: text('Engine', 'Support', 'Comment', 'Transactions', 'XA', 'Savepoints'),
    rows: [
      ['embedded', 'DEFAULT', 'Storage engine for time series, logs and traces', 'NO', 'NO', 'NO'],
      ['metric', 'YES', 'Many tables over one physical table', 'NO', 'NO', 'NO']
    ]
  },
  status: { columns: text('Variable_name', 'Value'), rows: [] }
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
  const name = databaseName(session, database)
  const rows =
    name === informationSchema
      ? informationTableNames.map(table => [table, 'LOCAL TEMPORARY'])
      : [
          ...session.store.tables(name).map(table => [table.name, 'BASE TABLE']),
          ...session.store.views(name).map(view => [view.name, 'VIEW'])
        ]
  const columns = [`Tables_in_${name}`, ...(full ? ['Table_type'] : [])]
  return filtered(
    session,
    columns,
    rows.sort((a, b) => compare(a[0]!, b[0]!)),
    filter,
    'Tables'
  )
}

type ShowViews = Extract<ShowStatement, { what: 'views' | 'table_status' }>

function showViews(session: Session, { database, filter }: ShowViews): Promise<RecordsAnswer> {
  const rows = session.store.views(databaseName(session, database)).map(({ name }) => [name])
  return filtered(
    session,
    ['Views'],
    rows.sort((a, b) => compare(a[0]!, b[0]!)),
    filter
  )
}

/** As MySQL names them, without `table_` and with an upper case letter. */
const statusColumns =
  `table_name engine version row_format table_rows avg_row_length data_length max_data_length index_length data_free
  auto_increment create_time update_time check_time table_collation checksum create_options table_comment`.split(/\s+/)

/** A query over `information_schema`, so that a condition may be any. */
function showTableStatus(session: Session, { database, filter }: ShowViews): Promise<RecordsAnswer> {
  const { dialect } = session.store
  const named = (column: string) => column.replace(/^(?:table_)?(.)/, (_, first: string) => first.toUpperCase())
  const items = statusColumns.map(column => `${column} AS ${dialect.quoteName(named(column))}`).join(', ')
  const rows = `SELECT ${items} FROM information_schema.tables WHERE table_schema = ${dialect.quoteText(databaseName(session, database))}`
  const shown = `SELECT * FROM (${rows} ORDER BY table_name) AS shown`
  if (filter?.kind === 'where') return runQuery(session, withCondition(session, `${shown} WHERE`, filter))
  const like = filter && ` WHERE ${dialect.quoteName('Name')} LIKE ${dialect.quoteText(filter.pattern)}`
  return runQuery(session, tokenize(`${shown}${like ?? ''}`, undefined, dialect.backslashEscapes))
}

function databaseName({ store, ctx }: Session, database: ShowTables['database']): string {
  if (database === undefined) return ctx.db
  return isInformationSchema(database) ? informationSchema : findDatabase(store, database).name
}

function showProcesses(session: Session, full: boolean, filter: ShowFilter | undefined): Promise<RecordsAnswer> {
  const rows = visibleProcesses(session).map(({ id, catalog, schemas, query, client, frontend, start, elapsed }) => {
    const shown = full ? query : query.slice(0, 100)
    return full ? [id, catalog, schemas, shown, client, frontend, start, elapsed] : [id, catalog, shown, elapsed]
  })
  const short = text('Id', 'Catalog', 'Query', 'Elapsed Time')
  const long: readonly ShownColumn[] = [
    ...text('Id', 'Catalog', 'Schemas', 'Query', 'Client', 'Frontend'),
    ['Start Time', 'TimestampMillisecond'],
    'Elapsed Time'
  ]
  return filtered(session, full ? long : short, rows, filter)
}

function variablesOf({ ctx, defaultZone }: Session): Readonly<Record<string, string>> {
  return {
    search_path: ctx.db,
    server_version: version,
    system_time_zone: defaultZone,
    time_zone: ctx.timezone,
    timezone: ctx.timezone,
    version
  }
}

function showVariable(session: Session, variable: string): RecordsAnswer {
  const known = variablesOf(session)
  if (!Object.hasOwn(known, variable))
    throw new DbError('Unsupported', `Unsupported show variable ${variable.toUpperCase()}`)
  return rowsAnswer([variable.toUpperCase()], [[known[variable]!]])
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

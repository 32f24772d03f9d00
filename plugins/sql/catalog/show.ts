// The SHOW statements: the catalog as rows.
import { Pace, type RecordsAnswer, version } from '../../../core/index.ts'
import { unsupported } from '../error.ts'
import { showCreateFlow } from '../flow/flow.ts'
import { runQuery, type Session, sourcesOf } from '../session.ts'
import type { ShowFilter, ShowStatement } from '../statement/statement.ts'
import { tokenize, tokensAt } from '../text/token.ts'
import { createDatabaseText } from './ddl.ts'
import { conditionOf, filtered, shownRows } from './filter.ts'
import { informationTableNames, informationTables } from './information/index.ts'
import { findDatabase, informationSchema, isInformationSchema } from './name.ts'
import { visibleProcesses } from './process-rows.ts'
import { type Row, rowsAnswer } from './rows.ts'
import { showColumns, showCreateTable, showCreateView, showIndex } from './show-table.ts'

export async function show(session: Session, statement: ShowStatement): Promise<RecordsAnswer> {
  switch (statement.what) {
    case 'databases': {
      const shown = `Database: schema_name${statement.full ? ', Options: options' : ''}`
      return showInformation(session, 'schemata', shown, statement)
    }
    case 'tables':
      return showTables(session, statement)
    case 'views': {
      const database = databaseName(session, statement.database)
      return showInformation(session, 'views', 'Views: table_name', statement, database)
    }
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
      return filtered(session, ['Variable_name', 'Value'], rows, statement.filter)
    }
    case 'flows':
      return showInformation(session, 'flows', 'Flows: flow_name', statement, session.ctx.db)
    case 'create_flow':
      return showCreateFlow(session, statement.flow)
    case 'processlist':
      return showProcesses(session, statement.full, statement.filter)
  }
  const [table, columns] = listed[statement.what]
  return showInformation(session, table, columns, statement)
}

/** SHOW statements that list a table of information_schema: its name, and the columns they show of it. */
const listed: Readonly<Record<'charset' | 'collation' | 'engines' | 'status', readonly [string, string]>> = {
  charset: [
    'character_sets',
    'Charset: character_set_name, Description: description, Default collation: default_collate_name, Maxlen: maxlen'
  ],
  collation: [
    'collations',
    'Collation: collation_name, Charset: character_set_name, Id: id, Default: is_default, Compiled: is_compiled, Sortlen: sortlen'
  ],
  engines: [
    'engines',
    'Engine: engine, Support: support, Comment: comment, Transactions: transactions, XA: xa, Savepoints: savepoints'
  ],
  status: ['global_status', 'Variable_name: variable_name, Value: variable_value']
}

/** In the order of their first column; only those of a database where one is given. */
async function showInformation(
  session: Session,
  name: string,
  list: string,
  { filter }: Pick<ShowStatement, 'filter'>,
  database?: string
): Promise<RecordsAnswer> {
  const table = informationTables[name]!
  const found = await table.rows(sourcesOf(session), new Pace(session.ctx))
  const own = found.filter(row => database === undefined || row['table_schema'] === database)
  const { columns, rows } = shownRows(table, own, list)
  return filtered(session, columns, rows.toSorted(byName), filter)
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
  return filtered(session, columns, rows.sort(byName), filter, 'Tables')
}

type ShowStatus = Extract<ShowStatement, { what: 'views' | 'table_status' }>

/** As MySQL names them, without `table_` and with an upper case letter. */
const statusColumns =
  `table_name engine version row_format table_rows avg_row_length data_length max_data_length index_length data_free
  auto_increment create_time update_time check_time table_collation checksum create_options table_comment`.split(/\s+/)

/** A query over `information_schema`, so that a condition may be any. */
function showTableStatus(session: Session, { database, filter }: ShowStatus): Promise<RecordsAnswer> {
  const { dialect } = session.store
  const named = (column: string) => column.replace(/^(?:table_)?(.)/, (_, first: string) => first.toUpperCase())
  const items = statusColumns.map(column => `${column} AS ${dialect.quoteName(named(column))}`).join(', ')
  const rows = `SELECT ${items} FROM information_schema.tables WHERE table_schema = ${dialect.quoteText(databaseName(session, database))}`
  const shown = tokenize(`SELECT * FROM (${rows} ORDER BY table_name) AS shown`, undefined, dialect.backslashEscapes)
  const condition = filter && conditionOf(session, filter, 'Name')
  return runQuery(session, condition ? [...shown, ...tokensAt(condition[0]!, ['WHERE', condition])] : shown)
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
  const short = ['Id', 'Catalog', 'Query', 'Elapsed Time']
  const start = ['Start Time', 'TimestampMillisecond'] as const
  const long = ['Id', 'Catalog', 'Schemas', 'Query', 'Client', 'Frontend', start, 'Elapsed Time']
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
  if (!Object.hasOwn(known, variable)) throw unsupported(`Unsupported show variable ${variable.toUpperCase()}`)
  return rowsAnswer([variable.toUpperCase()], [[known[variable]!]])
}

function byName([a]: Row, [b]: Row): number {
  return String(a) < String(b) ? -1 : String(a) > String(b) ? 1 : 0
}

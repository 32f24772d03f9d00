// The answers of SHOW and DESCRIBE about one table or view.
import { DbError, type RecordsAnswer, type Table } from '../../../core/index.ts'
import { queryColumns, type Session } from '../session.ts'
import type { Name } from '../statement/cursor.ts'
import type { ShowFilter } from '../statement/statement.ts'
import type { Token } from '../text/token.ts'
import { createTableText, createViewText } from './ddl.ts'
import { filtered, shownRows } from './filter.ts'
import { asField, columnRow, columnsTable, type Described } from './information/columns.ts'
import { indexRows, keyTables } from './information/keys.ts'
import { lookUpTable, lookUpView, nearTable, resolveName } from './name.ts'
import { rowsAnswer } from './rows.ts'

export function describe(session: Session, name: readonly Name[]): RecordsAnswer {
  return described(columnsOf(session, name))
}

/** The columns of a query's result, which does not run. */
export async function describeQuery(session: Session, tokens: readonly Token[]): Promise<RecordsAnswer> {
  return described((await queryColumns(session, tokens)).map(asField))
}

function described(found: readonly Described[]): RecordsAnswer {
  const columns = ['Column', 'Type', 'Key', 'Null', 'Default', 'Semantic Type']
  const rows = found.map(({ name, type, semantic, nullable, ...column }) => [
    name,
    type,
    semantic === 'field' ? '' : 'PRI',
    nullable ? 'YES' : 'NO',
    column.default ?? '',
    semantic.toUpperCase()
  ])
  return rowsAnswer(columns, rows)
}

export function showColumns(
  session: Session,
  name: readonly Name[],
  full: boolean,
  filter: ShowFilter | undefined
): Promise<RecordsAnswer> {
  const found = columnsOf(session, name).map((column, i) =>
    columnRow({ database: '', name: '' }, { ...column, comment: column.comment ?? '' }, i)
  )
  const { columns, rows } = shownRows(
    columnsTable,
    found,
    `Field: column_name, Type: column_type, ${full ? 'Collation: collation_name, ' : ''}Null: is_nullable, Key: column_key, Default: column_default,
    Extra: extra, ${full ? 'Privileges: privileges, Comment: column_comment, ' : ''}Svc_type: svc_data_type`
  )
  return filtered(session, columns, rows, filter)
}

export function showIndex(
  session: Session,
  name: readonly Name[],
  filter: ShowFilter | undefined
): Promise<RecordsAnswer> {
  const { columns, rows } = shownRows(
    keyTables.statistics!,
    indexRows(requireTable(session, name)),
    `Table: table_name, Non_unique: non_unique, Key_name: index_name, Seq_in_index: seq_in_index, Column_name: column_name, Collation: collation,
    Cardinality, Sub_part, Packed, Null: nullable, Index_type: index_type, Comment: comment, Index_comment: index_comment, Visible: is_visible,
    Expression`
  )
  return filtered(session, columns, rows, filter)
}

export function showCreateTable(session: Session, name: readonly Name[]): RecordsAnswer {
  const { store, ctx } = session
  if (lookUpView(store, ctx.db, name) !== undefined) return showCreateView(session, name)
  const table = requireTable(session, name)
  return rowsAnswer(['Table', 'Create Table'], [[table.name, createTableText(table, store.database(table.database))]])
}

export function showCreateView({ store, ctx }: Session, name: readonly Name[]): RecordsAnswer {
  const view = lookUpView(store, ctx.db, name)
  if (view === undefined) throw new DbError('TableNotFound', `View not found: ${written(name)}`)
  return rowsAnswer(['View', 'Create View'], [[view.name, createViewText(view)]])
}

function columnsOf(session: Session, name: readonly Name[]): readonly Described[] {
  const view = lookUpView(session.store, session.ctx.db, name)
  if (view === undefined) return requireTable(session, name).columns
  return view.columns.map(asField)
}

function requireTable({ store, ctx }: Session, name: readonly Name[]): Table {
  const table = lookUpTable(store, ctx.db, name)
  if (table !== undefined) return table
  const { database, table: meant } = resolveName(store, ctx.db, name)
  throw new DbError('TableNotFound', `Table not found: ${written(name)}${nearTable(store, database, meant.text)}`)
}

function written(name: readonly Name[]): string {
  return name.map(part => part.text).join('.')
}

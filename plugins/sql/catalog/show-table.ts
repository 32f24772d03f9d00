// The answers of SHOW and DESCRIBE about one table or view.
import { DbError, type RecordsAnswer, type ResultColumn, type Table, type TableColumn } from '../../../core/index.ts'
import { queryColumns, type Session } from '../session.ts'
import type { Name } from '../statement/cursor.ts'
import type { ShowFilter } from '../statement/statement.ts'
import type { Token } from '../text/token.ts'
import { createTableText, createViewText } from './ddl.ts'
import { filtered, type ShownColumn } from './filter.ts'
import { keysOf } from './keys.ts'
import { lookUpTable, lookUpView, nearTable, resolveName } from './name.ts'
import { type Row, rowsAnswer } from './rows.ts'
import { columnTypeName } from './type-name.ts'

export function describe(session: Session, name: readonly Name[]): RecordsAnswer {
  return described(columnsOf(session, name))
}

/** The columns of a query's result, which does not run. */
export async function describeQuery(session: Session, tokens: readonly Token[]): Promise<RecordsAnswer> {
  return described(asFields(await queryColumns(session, tokens)))
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
  const rows = columnsOf(session, name).map(({ name, type, semantic, nullable, comment, ...column }) => [
    name,
    columnTypeName(type),
    ...(full ? [type === 'String' ? 'utf8_bin' : null] : []),
    nullable ? 'Yes' : 'No',
    { tag: 'PRI', timestamp: 'TIME INDEX', field: '' }[semantic],
    column.default ?? null,
    '',
    ...(full ? ['select,insert', comment ?? ''] : []),
    type
  ])
  const plain = ['Field', 'Type', 'Null', 'Key', 'Default', 'Extra', 'Svc_type']
  const more = ['Field', 'Type', 'Collation', 'Null', 'Key', 'Default', 'Extra', 'Privileges', 'Comment', 'Svc_type']
  return filtered(session, full ? more : plain, rows, filter)
}

const indexColumns: readonly ShownColumn[] = [
  'Table',
  ['Non_unique', 'Int64'],
  'Key_name',
  ['Seq_in_index', 'Int64'],
  'Column_name',
  'Collation',
  'Cardinality',
  'Sub_part',
  'Packed',
  'Null',
  'Index_type',
  'Comment',
  'Index_comment',
  'Visible',
  'Expression'
]

export function showIndex(
  session: Session,
  name: readonly Name[],
  filter: ShowFilter | undefined
): Promise<RecordsAnswer> {
  const table = requireTable(session, name)
  return filtered(
    session,
    indexColumns,
    table.columns.flatMap(column => indexRows(table, column)),
    filter
  )
}

function indexRows(table: Table, column: TableColumn): Row[] {
  const { name, nullable } = column
  return keysOf(table, column).map(({ key, position, type, options }) => [
    table.name,
    1n,
    key,
    BigInt(position),
    name,
    'A',
    null,
    null,
    null,
    nullable ? 'YES' : '',
    type,
    '',
    options,
    'YES',
    null
  ])
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

type Described = ResultColumn & Pick<TableColumn, 'semantic' | 'nullable' | 'default' | 'comment'>

function columnsOf(session: Session, name: readonly Name[]): readonly Described[] {
  const view = lookUpView(session.store, session.ctx.db, name)
  if (view === undefined) return requireTable(session, name).columns
  return asFields(view.columns)
}

function asFields(columns: readonly ResultColumn[]): Described[] {
  return columns.map(({ name, type }) => ({ name, type, semantic: 'field', nullable: true }))
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

// What the server tells of itself in SQL: databases, tables and columns as rows that a query can read.
import {
  type Database,
  DbError,
  isTimestamp,
  type Store,
  sqlTypeName,
  type Table,
  type TableColumn
} from '../../../core/index.ts'
import { quoteName, quoteText } from '../text/token.ts'
import { ddlOptions } from './ddl.ts'
import { catalogName, informationSchema } from './name.ts'

type Cell = string | number | null
type Row = Readonly<Record<string, Cell>>

const tables: Readonly<Record<string, (store: Store) => readonly Row[]>> = {
  schemata: store => [...store.databases(), { name: informationSchema, options: {} } as Database].map(schema),
  tables: store => everyTable(store).map(table => tableRow(store, table)),
  columns: store => everyTable(store).flatMap(table => table.columns.map((column, i) => columnRow(table, column, i)))
}

export const informationTableNames: readonly string[] = Object.keys(tables).sort()

/** The rows of one of its tables as a SQL expression. Throws `TableNotFound` naming those there are. */
export function informationTable(store: Store, name: string): string {
  if (!Object.hasOwn(tables, name)) {
    const known = Object.keys(tables).sort().join(', ')
    throw new DbError('TableNotFound', `Table not found: ${catalogName}.${informationSchema}.${name}; it has ${known}`)
  }
  return rowsText(tables[name]!(store), columnNames[name]!)
}

/** Names are given once: a server without tables has columns, too. */
const columnNames: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  schemata: texts('catalog_name schema_name default_character_set_name default_collation_name sql_path options'),
  tables: [
    ...texts('table_catalog table_schema table_name table_type'),
    ...numbers('table_id data_length max_data_length index_length max_index_length avg_row_length'),
    ...texts('engine'),
    ...numbers('version'),
    ...texts('row_format'),
    ...numbers('table_rows'),
    ...texts('create_time table_collation create_options table_comment temporary')
  ],
  columns: [
    ...texts('table_catalog table_schema table_name column_name'),
    ...numbers('ordinal_position datetime_precision'),
    ...texts(
      'column_default is_nullable data_type column_type column_key extra svc_data_type semantic_type column_comment'
    )
  ]
}

function texts(names: string): [string, string][] {
  return names.split(' ').map(name => [name, 'VARCHAR'])
}

function numbers(names: string): [string, string][] {
  return names.split(' ').map(name => [name, 'UBIGINT'])
}

function everyTable(store: Store): Table[] {
  return store.databases().flatMap(database => store.tables(database.name))
}

function schema({ name, options }: Database): Row {
  return {
    catalog_name: catalogName,
    schema_name: name,
    default_character_set_name: 'utf8',
    default_collation_name: 'utf8_bin',
    sql_path: null,
    options: ddlOptions(options)
      .map(([key, value]) => `${key}='${value}'`)
      .join(' ')
  }
}

function tableRow(store: Store, table: Table): Row {
  const { rows, bytes } = store.statistics(table)
  return {
    table_catalog: catalogName,
    table_schema: table.database,
    table_name: table.name,
    table_type: 'BASE TABLE',
    table_id: table.id,
    data_length: bytes,
    max_data_length: 0,
    index_length: 0,
    max_index_length: 0,
    avg_row_length: rows ? Math.round(bytes / rows) : 0,
    engine: 'embedded',
    version: 11,
    row_format: 'Fixed',
    table_rows: rows ?? null,
    create_time: new Date(table.createdAt).toISOString().slice(0, 19),
    table_collation: 'utf8_bin',
    create_options: '',
    table_comment: table.options.comment ?? null,
    temporary: 'N'
  }
}

function columnRow(table: Table, column: TableColumn, i: number): Row {
  const { name, type, semantic, nullable, comment } = column
  return {
    table_catalog: catalogName,
    table_schema: table.database,
    table_name: table.name,
    column_name: name,
    ordinal_position: i + 1,
    datetime_precision: isTimestamp(type) ? Number(/\d/.exec(sqlTypeName(type))![0]) : null,
    column_default: column.default ?? null,
    is_nullable: nullable ? 'Yes' : 'No',
    data_type: sqlTypeName(type).toLowerCase(),
    column_type: sqlTypeName(type).toLowerCase(),
    column_key: { tag: 'PRI', timestamp: 'TIME INDEX', field: '' }[semantic],
    extra: '',
    svc_data_type: type,
    semantic_type: semantic.toUpperCase(),
    column_comment: comment ?? null
  }
}

function rowsText(rows: readonly Row[], columns: readonly (readonly [string, string])[]): string {
  const cell = (value: Cell) => (value === null ? 'NULL' : typeof value === 'number' ? String(value) : quoteText(value))
  const typed = columns.map(([name, type]) => `CAST(${quoteName(name)} AS ${type}) AS ${quoteName(name)}`).join(', ')
  const lines = rows.map(row => `(${columns.map(([name]) => cell(row[name] ?? null)).join(', ')})`)
  const source = lines.length > 0 ? lines.join(', ') : `(${columns.map(() => 'NULL').join(', ')})`
  const names = columns.map(([name]) => quoteName(name)).join(', ')
  return `(SELECT ${typed} FROM (VALUES ${source}) AS rows(${names})${lines.length > 0 ? '' : ' WHERE false'})`
}

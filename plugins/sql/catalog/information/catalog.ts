// information_schema: databases, tables and views.
import { type Database, mapPaced, type Store, type Table, type View } from '../../../../core/index.ts'
import { ddlOptions } from '../ddl.ts'
import { catalogName, informationSchema } from '../name.ts'
import { columns, type InformationTable, named, type Row, timeText } from './table.ts'

export const catalogTables: Readonly<Record<string, InformationTable>> = {
  schemata: {
    columns: columns('catalog_name schema_name default_character_set_name default_collation_name sql_path options'),
    rows: ({ store }) => [...store.databases(), { name: informationSchema, options: {} } as Database].map(schemaRow)
  },
  tables: {
    columns: columns(`table_catalog table_schema table_name table_type table_id:UINTEGER data_length:UBIGINT
      max_data_length:UBIGINT index_length:UBIGINT max_index_length:UBIGINT avg_row_length:UBIGINT engine version:UBIGINT
      row_format table_rows:UBIGINT data_free:UBIGINT auto_increment:UBIGINT create_time:TIMESTAMP_S
      update_time:TIMESTAMP_S check_time:TIMESTAMP_S table_collation checksum:UBIGINT create_options table_comment temporary`),
    rows: async ({ store }, pace) => [
      ...(await mapPaced(pace, everyTable(store), table => tableRow(store, table))),
      ...everyView(store).map(viewTableRow)
    ]
  },
  views: {
    columns: columns(`table_catalog table_schema table_name view_definition check_option is_updatable:BOOLEAN definer
      security_type character_set_client collation_connection`),
    rows: ({ store }) => everyView(store).map(viewRow)
  }
}

export function everyTable(store: Store): Table[] {
  return store.databases().flatMap(database => store.tables(database.name))
}

export function everyView(store: Store): View[] {
  return store.databases().flatMap(database => store.views(database.name))
}

function schemaRow({ name, options }: Database): Row {
  return {
    catalog_name: catalogName,
    schema_name: name,
    default_character_set_name: 'utf8',
    default_collation_name: 'utf8_bin',
    sql_path: null,
    options: optionsText(options)
  }
}

function optionsText(options: Database['options']): string {
  return ddlOptions(options)
    .map(([key, value]) => `${key.replaceAll("'", '')}='${value}'`)
    .join(' ')
}

/** `metric` for tables that share the files of another. */
export function engineOf({ options }: Table): string {
  return options.physical_table === undefined ? 'embedded' : 'metric'
}

function tableRow(store: Store, table: Table): Row {
  const { rows, bytes } = store.statistics(table)
  const { comment, ...options } = table.options
  return {
    ...named(table),
    table_type: 'BASE TABLE',
    table_id: table.id,
    data_length: bytes,
    max_data_length: 0,
    index_length: 0,
    max_index_length: 0,
    avg_row_length: rows ? Math.round(bytes / rows) : 0,
    engine: engineOf(table),
    version: 11,
    row_format: 'Fixed',
    table_rows: rows ?? null,
    data_free: 0,
    create_time: timeText(table.createdAt),
    table_collation: 'utf8_bin',
    create_options: optionsText(options),
    table_comment: comment ?? null,
    temporary: 'N'
  }
}

function viewTableRow(view: View): Row {
  return {
    ...named(view),
    table_type: 'VIEW',
    version: 11,
    create_time: timeText(view.createdAt),
    temporary: 'N'
  }
}

function viewRow(view: View): Row {
  return {
    ...named(view),
    view_definition: view.query,
    is_updatable: 'false',
    security_type: 'INVOKER',
    character_set_client: 'utf8',
    collation_connection: 'utf8_bin'
  }
}

// information_schema: keys and indexes of tables.
import { mapPaced, type Table } from '../../../../core/index.ts'
import { keysOf } from '../keys.ts'
import { everyTable } from './catalog.ts'
import { columns, type InformationTable, named, type Row } from './table.ts'

export const keyTables: Readonly<Record<string, InformationTable>> = {
  key_column_usage: {
    columns:
      columns(`constraint_catalog constraint_schema constraint_name table_catalog table_schema table_name column_name
      ordinal_position:UINTEGER position_in_unique_constraint:UINTEGER referenced_table_schema referenced_table_name
      referenced_column_name`),
    rows: async ({ store }, pace) => (await mapPaced(pace, everyTable(store), keyRows)).flat()
  },
  table_constraints: {
    columns: columns(
      `constraint_catalog constraint_schema constraint_name table_schema table_name constraint_type enforced`
    ),
    rows: async ({ store }, pace) => (await mapPaced(pace, everyTable(store), constraintRows)).flat()
  },
  statistics: {
    columns:
      columns(`table_catalog table_schema table_name non_unique:BIGINT index_schema index_name seq_in_index:BIGINT
      column_name collation cardinality:BIGINT nullable index_type comment index_comment is_visible`),
    rows: async ({ store }, pace) => (await mapPaced(pace, everyTable(store), indexRows)).flat()
  }
}

function keyRows(table: Table): Row[] {
  return table.columns.flatMap(column =>
    keysOf(table, column).map(({ key, position }) => ({
      constraint_catalog: 'def',
      constraint_schema: table.database,
      constraint_name: key,
      ...named(table),
      column_name: column.name,
      ordinal_position: position
    }))
  )
}

function constraintRows(table: Table): Row[] {
  const row = (name: string, type: string): Row => ({
    constraint_catalog: 'def',
    constraint_schema: table.database,
    constraint_name: name,
    table_schema: table.database,
    table_name: table.name,
    constraint_type: type,
    enforced: 'YES'
  })
  return [row('TIME INDEX', 'TIME INDEX'), ...(table.tags.length > 0 ? [row('PRIMARY', 'PRIMARY KEY')] : [])]
}

export function indexRows(table: Table): Row[] {
  return table.columns.flatMap(column =>
    keysOf(table, column).map(({ key, position, type, options }) => ({
      ...named(table),
      non_unique: 1,
      index_schema: table.database,
      index_name: key,
      seq_in_index: position,
      column_name: column.name,
      collation: 'A',
      cardinality: null,
      nullable: column.nullable ? 'YES' : '',
      index_type: type,
      comment: '',
      index_comment: options,
      is_visible: 'YES'
    }))
  )
}

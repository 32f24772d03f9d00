// information_schema.columns: the columns of tables and views.
import {
  type ColumnType,
  integerSize,
  isTimestamp,
  mapPaced,
  type Table,
  type TableColumn,
  type View
} from '../../../../core/index.ts'
import { columnTypeName } from '../type-name.ts'
import { everyTable, everyView } from './catalog.ts'
import { columns, type InformationTable, named, type Row } from './table.ts'

export const columnsTable: InformationTable = {
  columns: columns(`table_catalog table_schema table_name column_name ordinal_position:BIGINT
    character_maximum_length:BIGINT character_octet_length:BIGINT numeric_precision:BIGINT numeric_scale:BIGINT
    datetime_precision:BIGINT character_set_name collation_name column_key extra privileges generation_expression
    svc_data_type data_type semantic_type column_default is_nullable column_type column_comment srs_id:BIGINT`),
  async rows({ store }, pace) {
    const ofTables = await mapPaced(pace, everyTable(store), table =>
      table.columns.map((column, i) => columnRow(table, column, i))
    )
    const ofViews = await mapPaced(pace, everyView(store), view =>
      view.columns.map((column, i) => columnRow(view, asField(column), i))
    )
    return [...ofTables, ...ofViews].flat()
  }
}

/** A column of a table or view. */
export type Described = Pick<TableColumn, 'name' | 'type' | 'semantic' | 'nullable' | 'default' | 'comment'>

export function asField({ name, type }: View['columns'][number]): Described {
  return { name, type: type as ColumnType, semantic: 'field', nullable: true }
}

/** Bytes that a text or a value of bytes may have. */
const maxLength = 2_147_483_647

export function columnRow(table: Pick<Table, 'database' | 'name'>, column: Described, i: number): Row {
  const { name, type, semantic, nullable, comment } = column
  const text = type === 'String' || type === 'Json'
  const word = columnTypeName(type)
  return {
    ...named(table),
    column_name: name,
    ordinal_position: i + 1,
    character_maximum_length: text ? maxLength : null,
    character_octet_length: text || type === 'Binary' ? maxLength : null,
    ...numericParts(type),
    datetime_precision: isTimestamp(type) ? Number(/\d/.exec(word)![0]) : null,
    character_set_name: text ? 'utf8' : null,
    collation_name: text ? 'utf8_bin' : null,
    column_key: { tag: 'PRI', timestamp: 'TIME INDEX', field: '' }[semantic],
    extra: '',
    privileges: 'select,insert',
    generation_expression: '',
    svc_data_type: type,
    data_type: word,
    semantic_type: semantic.toUpperCase(),
    column_default: column.default ?? null,
    is_nullable: nullable ? 'Yes' : 'No',
    column_type: word,
    column_comment: comment ?? null
  }
}

/** Of the largest integer of so many bits. */
const digits: Readonly<Record<number, number>> = { 8: 3, 16: 5, 32: 10, 64: 20 }

/** Decimal digits, before and behind the point. */
function numericParts(type: ColumnType): Row {
  const decimal = /^Decimal\((\d+), (\d+)\)$/.exec(type)
  if (decimal !== null) return { numeric_precision: Number(decimal[1]), numeric_scale: Number(decimal[2]) }
  if (type === 'Float32' || type === 'Float64') return { numeric_precision: type === 'Float32' ? 12 : 22 }
  const size = integerSize(type)
  if (size === undefined) return {}
  return { numeric_precision: size.bits === 64 && size.signed ? 19 : digits[size.bits]!, numeric_scale: 0 }
}

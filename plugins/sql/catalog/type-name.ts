// Types of columns as DDL writes them, in the lower case that lists of columns show.
import { type ColumnType, sqlTypeName } from '../../../core/index.ts'

/** Views have columns of types that no table has; those keep their own name. */
export function columnTypeName(type: ColumnType): string {
  return (sqlTypeName(type) ?? type).toLowerCase()
}

// Types of columns as DDL writes them, in the lower case that lists of columns show.
import { type ColumnType, type ResultType, sqlTypeName } from '../../../core/index.ts'

/** Views have columns of types that no table has; those keep their own name. */
export function columnTypeName(type: ResultType): string {
  return (sqlTypeName(type as ColumnType) ?? type).toLowerCase()
}

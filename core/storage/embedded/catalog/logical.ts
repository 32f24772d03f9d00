// Logical tables: many of them, a metric each, share the files and the series of one physical table.
import type { Table, TableColumn } from '../../../model/table.ts'
import { isPhysical } from '../../logical.ts'

/** Whose row it is: the first tag of every series of a physical table, never shown. */
export const tableColumn: TableColumn = {
  id: 0,
  name: '__table',
  physical: '__table',
  type: 'UInt32',
  semantic: 'tag',
  nullable: false
}

/** The number of a row's series, as a column of a data file that holds no tags. */
export const numberColumn = -1
/** Columns of such a file that order the versions of rows; absent if every row is newer than those of all older files. */
export const orderColumn = -2

/** The columns that identify a series. */
export function seriesColumns(table: Table): readonly TableColumn[] {
  return isPhysical(table) ? [tableColumn, ...table.tags] : table.tags
}

/** Whether rows carry the number of a series. */
export function hasSeries(table: Table): boolean {
  return seriesColumns(table).length > 0
}

/** Whether the tags of a file's rows are those of their series; files of format 1 hold the tags themselves, too. */
export function isNumbered({ columns }: { readonly columns: readonly number[] }): boolean {
  return columns.includes(numberColumn)
}

/** Whether the rows of a file of the table carry the number of a series, by the columns the file holds. */
export function isTagged(table: Table, file: { readonly columns: readonly number[] }): boolean {
  return isNumbered(file) || seriesColumns(table).some(({ id }) => file.columns.includes(id))
}

/** Every column of the table's rows besides the hidden ones. */
export function storedColumns(table: Table): readonly TableColumn[] {
  return isPhysical(table) ? [tableColumn, ...table.columns] : table.columns
}

/** Those of them a data file holds: tags are in the series, but for whose row of a physical table it is. */
export function fileColumns(table: Table): readonly TableColumn[] {
  return storedColumns(table).filter(column => column === tableColumn || column.semantic !== 'tag')
}

/** A physical table's column that can hold a logical one's and is not `taken` by another of the same logical table. */
export function findPhysicalColumn(
  host: Table,
  column: TableColumn,
  taken: ReadonlySet<number | undefined>
): TableColumn | undefined {
  return host.columns.find(
    ({ id, name, type, semantic }) =>
      !taken.has(id) &&
      type === column.type &&
      semantic === column.semantic &&
      (name === column.name || semantic === 'timestamp')
  )
}

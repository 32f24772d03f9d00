// Logical tables: many of them, a metric each, share the files and the series of one physical table.
import type { ColumnDefinition, Table, TableColumn, TableOptions } from '../../../model/table.ts'

export function isLogical(table: Table): boolean {
  return table.options.physical_table !== undefined
}

export function isPhysical(table: Table): boolean {
  return table.options.physical_metric_table === true
}

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
/** What orders the versions of rows, as columns of such a file; absent where every row is newer than those of all older files. */
export const orderColumn = -2

/** What a series consists of. */
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

/** Whether versions of a row are merged field by field. */
export function mergesFields({ options }: Table): boolean {
  return options.merge_mode === 'last_non_null' && !options.append_mode
}

/** Every column of the table's rows besides the hidden ones. */
export function storedColumns(table: Table): readonly TableColumn[] {
  return isPhysical(table) ? [tableColumn, ...table.columns] : table.columns
}

/** Those of them a data file holds: tags are in the series, but for whose row of a physical table it is. */
export function fileColumns(table: Table): readonly TableColumn[] {
  return storedColumns(table).filter(column => column === tableColumn || column.semantic !== 'tag')
}

/** Why a table cannot hold a logical one with this time index and these modes; undefined when it can. */
export function hostProblem(host: Table, time: ColumnDefinition, modes: TableOptions): string | undefined {
  if (!isPhysical(host)) return 'it is an ordinary table'
  const { timeIndex, options } = host
  if (timeIndex.type !== time.type) return `its time index is ${timeIndex.type}, not ${time.type}`
  for (const mode of shared) {
    if ((options[mode] || undefined) !== (modes[mode] || undefined)) {
      return `its ${mode} is ${options[mode] ?? 'not set'}, not ${modes[mode] ?? 'unset'}`
    }
  }
  return undefined
}

/** Modes a physical table takes from its first logical one, and that the others must have too. */
export function sharedModes({ append_mode, merge_mode, skip_wal }: TableOptions): TableOptions {
  return {
    ...(append_mode !== undefined && { append_mode }),
    ...(merge_mode !== undefined && { merge_mode }),
    ...(skip_wal !== undefined && { skip_wal })
  }
}

const shared = ['append_mode', 'merge_mode', 'skip_wal'] as const
const fixed = ['physical_table', 'physical_metric_table'] as const

/** Why a table cannot take on these options later; undefined when it can. */
export function changeProblem(table: Table, options: TableOptions): string | undefined {
  const changes = (key: keyof TableOptions) => key in options && options[key] !== table.options[key]
  const place = fixed.find(changes)
  if (place !== undefined) return `${place} is decided when a table is made`
  if (changes('append_mode') && table.options.append_mode)
    return 'append_mode cannot be taken back: rows may be there twice'
  const mode = isLogical(table) || isPhysical(table) ? shared.find(changes) : undefined
  if (mode === undefined) return undefined
  return `${mode} belongs to all tables of the physical table ${table.options.physical_table ?? table.name}`
}

/** A physical table's column that can hold a logical one's and is not `taken` by another of the same logical table. */
export function findPlace(
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

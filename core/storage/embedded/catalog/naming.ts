// Names on disk and inside DuckDB for names that users may choose freely.
import type { ColumnDefinition, TableColumn } from '../../../model/table.ts'

/** Columns the engine keeps beside the user's, see memtable.ts. */
export const hiddenNames = ['__tsid', '__seq', '__op', '__table', '__rank', '__deleted', '__group', '__file_time']

/** Gives a column its id and a physical name no other column of the table ever had, whatever the case. */
export function identify(column: ColumnDefinition, id: number, taken: Set<string>): TableColumn {
  let physical = column.name
  while (taken.has(physical.toLowerCase())) physical = `${physical}~${id}`
  taken.add(physical.toLowerCase())
  return { ...column, id, physical }
}

/** A readable name that no file system minds: percent-encoded, cut, made unique by the id. */
export function folderName(name: string, id: number): string {
  const encoded = Array.from(Buffer.from(name), byte =>
    /[A-Za-z0-9_-]/.test(String.fromCharCode(byte))
      ? String.fromCharCode(byte)
      : `%${byte.toString(16).padStart(2, '0')}`
  ).join('')
  return `${encoded.slice(0, 120)}-${id}`
}

// What a change makes of a table's columns: pure, the rows of the catalog follow from it.
import type { ColumnDefinition, TableColumn } from '../../../model/table.ts'
import { identify } from './naming.ts'

/** Columns in the order of their names; those it does not name stay behind. */
export function reorder(columns: readonly TableColumn[], order: readonly string[] | undefined): readonly TableColumn[] {
  if (order === undefined) return columns
  const place = new Map(order.map((name, i) => [name, i]))
  const at = ({ name }: TableColumn) => place.get(name) ?? order.length
  return columns.toSorted((a, b) => at(a) - at(b))
}

/** A column by its new definition. With another type it is a new column that takes over the values of the old one. */
export function modify(
  column: TableColumn,
  definition: ColumnDefinition,
  next: { readonly id: number; readonly taken: Set<string> }
): TableColumn {
  const { id, physical, stored, was, type } = column
  const kept = { ...(stored !== undefined && { stored }), ...(was && { was }) }
  if (definition.type === type) return { ...definition, id, physical, ...kept }
  const former = [{ id, physical, type }, ...(was ?? [])]
  return { ...identify(definition, next.id, next.taken), was: former }
}

// The text of a statement with the rows of tables in the places of their names, and the way back from a place in it.
import type { Placeholder } from '../sql/frames.ts'

/** Tables ascend and do not overlap. */
export function fill(text: string, tables: readonly Placeholder[]): string {
  return tables.reduceRight((sql, { start, end, sql: rows }) => sql.slice(0, start) + rows + sql.slice(end), text)
}

/** The place in the text of a place in it when it is filled in; in the rows of a table, that of its name. */
export function offsetIn(tables: readonly Placeholder[], filled: number): number {
  let added = 0
  for (const { start, end, sql } of tables) {
    const from = start + added
    if (filled < from) break
    if (filled < from + sql.length) return start
    added += sql.length - (end - start)
  }
  return filled - added
}

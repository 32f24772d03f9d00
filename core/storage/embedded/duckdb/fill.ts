// Replaces table names in a statement by SQL, and maps positions back.
import type { Placeholder } from '../sql/frames.ts'

/** Tables ascend and do not overlap. */
export function fill(text: string, tables: readonly Placeholder[]): string {
  return tables.reduceRight((sql, { start, end, sql: rows }) => sql.slice(0, start) + rows + sql.slice(end), text)
}

/** The position in the original text of one in the filled text; positions in a table's SQL map to its name. */
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

// Assembles the text of a statement with placeholders for its tables.
import type { Condition, SqlQuery, Table } from '../../../core/index.ts'
import type { Writing } from './constant.ts'

/** Stands for a table's rows until they are known; names cannot contain it. */
export const tablePlaceholder = '\0'

/** `conditions`: what rows of the table must meet, per placeholder. */
export function statement(
  text: string,
  table: Table,
  conditions: readonly (Condition | undefined)[],
  { parameters, dialect }: Pick<Writing, 'parameters' | 'dialect'>
): SqlQuery {
  // Columns whose name occurs in the text. Constants are parameters, so a false match only reads a column too many.
  const names = table.columns.filter(({ physical }) => text.includes(`stored.${dialect.quoteName(physical)}`))
  const columns = text.includes('stored.*') ? undefined : names.map(({ name }) => name)
  const starts = [...text.matchAll(/\0/g)].map(match => match.index)
  const relations = starts.map((start, i) => {
    const where = conditions[i]
    return {
      start,
      end: start + tablePlaceholder.length,
      table,
      alias: 'stored',
      ...(columns && { columns }),
      ...(where && { where })
    }
  })
  return { kind: 'sql', text, relations, timezone: 'UTC', parameters: parameters.values }
}

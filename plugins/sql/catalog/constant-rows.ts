// Rows made here, as a SQL expression that a query can read.
import { quoteName, quoteText } from '../text/token.ts'

/** SQL that makes a value of one of the engine's types from the text in a column. */
type CastText = (column: string, type: string) => string

const plainCast: CastText = (column, type) => `CAST(${column} AS ${type})`

/**
 * Rows of columns, each with its name and the engine's type, from the texts of their cells column by column. One text of JSON instead
 * of thousands of constants: the engine reads it faster than SQL.
 */
export function constantRows(
  columns: readonly (readonly [string, string])[],
  lists: readonly (readonly (string | null)[])[],
  cast = plainCast
): string {
  if (lists[0] === undefined || lists[0].length === 0) {
    const nothing = columns.map(([name, type]) => `CAST(NULL AS ${type}) AS ${quoteName(name)}`).join(', ')
    return `(SELECT ${nothing} WHERE false)`
  }
  const structure = columns.map((_, i) => `"c${i}":["VARCHAR"]`).join(',')
  const json = `{${lists.map((list, i) => `"c${i}":${JSON.stringify(list)}`).join(',')}}`
  const cells = columns.map((_, i) => `unnest(held.c${i}) AS c${i}`).join(', ')
  const typed = columns.map(([name, type], i) => `${cast(`c${i}`, type)} AS ${quoteName(name)}`).join(', ')
  const held = `SELECT from_json(${quoteText(json)}, ${quoteText(`{${structure}}`)}) AS held`
  return `(SELECT ${typed} FROM (SELECT ${cells} FROM (${held}) AS one) AS rows)`
}

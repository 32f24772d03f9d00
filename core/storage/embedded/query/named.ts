// The text of a statement with a name of its own for each table: whoever checks it reads names, whoever runs it puts rows there.
import type { GivenRows, Relation } from '../../engine.ts'
import { quoteName } from '../duckdb/index.ts'
import type { CountedRows, Placeholder } from '../sql/frames.ts'

interface Named {
  readonly text: string
  /** Where the names are, and the rows of each. */
  readonly tables: readonly Placeholder[]
  /** Offset in the original text of an offset in this one. */
  back(at: number): number
}

export function named(
  written: string,
  relations: readonly Relation[],
  given: readonly GivenRows[],
  rowsOf: (relation: number) => string,
  countsOf: (relation: number) => CountedRows | undefined = () => undefined
): Named {
  const all = [
    ...relations.map(({ start, end, alias }, i) => ({ start, end, alias, sql: `(${rowsOf(i)})`, counts: countsOf(i) })),
    ...given.map(rows => ({ ...rows, alias: undefined, counts: undefined }))
  ].sort((a, b) => a.start - b.start)
  const tables: Placeholder[] = []
  /** Of each table, where the text behind it begins here and there. */
  const ends: (readonly [here: number, there: number])[] = []
  let text = ''
  let at = 0
  for (const [i, { start, end, alias, sql, counts }] of all.entries()) {
    text += written.slice(at, start)
    const name = `table_${i}`
    tables.push({ start: text.length, end: text.length + name.length, sql, ...(counts && { counts }) })
    text += alias === undefined ? name : `${name} AS ${quoteName(alias)}`
    at = end
    ends.push([text.length, end])
  }
  const back = (offset: number) => {
    const last = ends.findLastIndex(([here]) => here <= offset)
    const [here, there] = last < 0 ? [0, 0] : ends[last]!
    const next = all[last + 1]
    return Math.min(there + offset - here, next === undefined ? written.length : next.start)
  }
  return { text: text + written.slice(at), tables, back }
}

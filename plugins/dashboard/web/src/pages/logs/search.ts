// Which lines the address asks for.
import type { LogSelection } from '../../api/logs.ts'
import type { LogTable } from '../../log-tables.ts'
import { wordConditions } from '../../log-words.ts'
import { conditionOf, type Filter } from './filters.ts'
import { escaped } from './json-pattern.ts'

export interface Search {
  /** Words that all must be in a line; in quotes with blanks, behind a minus those that must not. */
  readonly text: string
  readonly ignoresCase: boolean
  readonly filters: readonly Filter[]
}

export function selectionOf(table: LogTable, { text, ignoresCase, filters }: Search): LogSelection {
  const conditions = [
    ...filters.map(filter => conditionOf(filter, table.columns.find(({ name }) => name === filter.column)?.type)),
    ...wordConditions(table, text, word => (ignoresCase ? { Regex: `(?i)${escaped(word)}` } : { Contains: word }))
  ]
  return { table: table.name, ...(conditions.length > 0 && { filters: { And: conditions } }) }
}

// Which lines the address asks for.
import type { Condition, LogSelection, Test } from '../../api/logs.ts'
import { conditionOf, type Filter } from './filters.ts'
import { escaped } from './json-pattern.ts'
import type { LogTable } from './tables.ts'

export interface Search {
  /** Words that all must be in a line; in quotes with blanks, behind a minus those that must not. */
  readonly text: string
  readonly ignoresCase: boolean
  readonly filters: readonly Filter[]
}

export function selectionOf(table: LogTable, { text, ignoresCase, filters }: Search): LogSelection {
  const texts = table.columns.filter(({ type }) => type === 'String' || type === 'Json').map(({ name }) => name)
  const conditions = [
    ...filters.map(filter => conditionOf(filter, table.columns.find(({ name }) => name === filter.column)?.type)),
    ...readWords(text).map(word => wordCondition(texts, word, ignoresCase))
  ]
  return { table: table.name, ...(conditions.length > 0 && { filters: { And: conditions } }) }
}

interface Word {
  readonly text: string
  readonly isOut: boolean
}

export function readWords(text: string): Word[] {
  return Array.from(text.matchAll(/(-?)(?:"([^"]*)"?|(\S+))/g), ([, minus, quoted, bare]) => ({
    text: quoted ?? bare ?? '',
    isOut: minus === '-'
  })).filter(word => word.text !== '')
}

/** In any of the columns, or in none. */
function wordCondition(columns: readonly string[], { text, isOut }: Word, ignoresCase: boolean): Condition {
  const test: Test = ignoresCase ? { Regex: `(?i)${escaped(text)}` } : { Contains: text }
  const each = (column: string, filter: Test): Condition => ({
    Single: { expr: { NamedIdent: column }, filters: [filter] }
  })
  if (!isOut) return { Or: columns.map(column => each(column, test)) }
  return { And: columns.map(column => ({ Or: [{ Not: each(column, test) }, { Not: each(column, 'Exist') }] })) }
}

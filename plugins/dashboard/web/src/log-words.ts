// Words lines of logs are looked for by.
import type { Condition, Test } from './api/logs.ts'
import type { LogTable } from './log-tables.ts'

interface Word {
  readonly text: string
  readonly isOut: boolean
}

/** In quotes with blanks, behind a minus those that must not be there. */
export function readWords(text: string): Word[] {
  return Array.from(text.matchAll(/(-?)(?:"([^"]*)"?|(\S+))/g), ([, minus, quoted, bare]) => ({
    text: quoted ?? bare ?? '',
    isOut: minus === '-'
  })).filter(word => word.text !== '')
}

/** All must hold. */
export function wordConditions({ columns }: LogTable, text: string, test: (word: string) => Test): Condition[] {
  const texts = columns.filter(({ type }) => type === 'String' || type === 'Json').map(({ name }) => name)
  return readWords(text).map(word => wordCondition(texts, word, test(word.text)))
}

/** In any of the columns, or in none. */
function wordCondition(columns: readonly string[], { isOut }: Word, test: Test): Condition {
  const each = (column: string, filter: Test): Condition => ({
    Single: { expr: { NamedIdent: column }, filters: [filter] }
  })
  if (!isOut) return { Or: columns.map(column => each(column, test)) }
  return { And: columns.map(column => ({ Or: [{ Not: each(column, test) }, { Not: each(column, 'Exist') }] })) }
}

// Puts SQL in place of searches, and tells the engine what rows of tables must meet.
import { DbError, type Reading, type TableColumn, type Zone } from '../../../core/index.ts'
import type { Position } from '../grammar/tree.ts'
import type { Alone } from '../query/bind.ts'
import { all, whereCondition } from '../query/condition.ts'
import { applyEdits, type Edit, span } from '../query/edit.ts'
import { asksNewest, lastRows } from '../query/newest.ts'
import type { Canonical } from '../text/canonical.ts'
import { readingOf, type SearchCall, searchCallSql } from './call.ts'

export interface Asked {
  readonly searches: readonly SearchCall[]
  readonly alone: readonly Alone[]
  readonly zone: Zone
  /** The columns a token may name. */
  columnsAt(token: number): readonly TableColumn[]
  /** The token at a place of the text. */
  index(position: Position): number
}

/** The edits with conditions at their tables and with searches as SQL. */
export function rewriteSearches(statement: Canonical, edits: readonly Edit[], asked: Asked): readonly Edit[] {
  const readings = new Map(
    asked.searches.map(call => {
      const reading = readingOf(call, call.column === undefined ? [] : asked.columnsAt(call.column))
      return [call.first, { call, reading }]
    })
  )
  const search: Parameters<typeof whereCondition>[0]['search'] = place => readings.get(asked.index(place))
  const token: Parameters<typeof whereCondition>[0]['token'] = place => statement.tokens[asked.index(place)]!
  let rewritten: readonly Edit[] = edits.map(edit => {
    const only = edit.table && asked.alone.find(({ at }) => statement.starts[at] === edit.start)
    if (edit.table === undefined || only === undefined) return edit
    const names = [(only.alias?.value ?? edit.table.name).toLowerCase()]
    const { table } = edit
    const { select, orderBy, limit } = only
    const selected = { table, names, select, orderBy, limit, token }
    const last = lastRows(selected)
    const met = whereCondition({ table, names, zone: asked.zone, token, search }, select['selection'])
    const where = all([
      met,
      asksNewest(selected) ? { kind: 'newest' } : undefined,
      last === undefined ? undefined : { kind: 'last', rows: last }
    ])
    return where === undefined ? edit : { ...edit, where }
  })
  for (const { call, reading } of readings.values()) rewritten = replaceSearch(statement, rewritten, call, reading)
  return rewritten
}

/** What is searched is edited first, because it may come to stand there more than once. */
function replaceSearch(statement: Canonical, edits: readonly Edit[], call: SearchCall, reading: Reading): Edit[] {
  const whole = span(statement, call.first, call.last)
  const text = span(statement, ...call.text)
  const inner = edits.filter(edit => edit.start >= text.start && edit.end <= text.end)
  if (inner.some(edit => edit.table !== undefined || edit.relations !== undefined)) {
    throw new DbError('Unsupported', `a query inside of ${call.name} is not supported`)
  }
  const moved = inner.map(edit => ({ ...edit, start: edit.start - text.start, end: edit.end - text.start }))
  const searched = applyEdits(statement.text.slice(text.start, text.end), moved).text
  const rest = edits.filter(edit => !(edit.start >= whole.start && edit.end <= whole.end && edit.start < whole.end))
  return [...rest, { ...whole, text: searchCallSql(call, `(${searched})`, reading) }]
}

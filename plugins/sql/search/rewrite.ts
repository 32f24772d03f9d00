// Puts SQL in place of searches, and tells the engine what rows of tables must meet.
import type { Reading, TableColumn, Zone } from '../../../core/index.ts'
import { unsupported } from '../error.ts'
import type { Alone } from '../query/bind.ts'
import { all, whereCondition } from '../query/condition.ts'
import { applyEdits, type Edit, span } from '../query/edit.ts'
import { asksNewest, lastRows } from '../query/newest.ts'
import type { Canonical } from '../text/canonical.ts'
import { readingOf, type SearchCall, searchCallSql } from './call.ts'

interface Asked {
  readonly searches: readonly SearchCall[]
  readonly alone: readonly Alone[]
  readonly zone: Zone
  /** The columns a token may name. */
  columnsAt(token: number): readonly TableColumn[]
}

/** The edits with conditions at their tables and with searches as SQL. */
export function rewriteSearches(statement: Canonical, edits: readonly Edit[], asked: Asked): readonly Edit[] {
  const readings = new Map(
    asked.searches.map(call => {
      const reading = readingOf(call, call.column === undefined ? [] : asked.columnsAt(call.column))
      return [call.first, { call, reading }]
    })
  )
  const search: Parameters<typeof whereCondition>[0]['search'] = at => readings.get(at)
  const token: Parameters<typeof whereCondition>[0]['token'] = at => statement.tokens[at]!
  const alone = new Map(asked.alone.map(each => [statement.starts[each.at], each]))
  const told = edits.map(edit => {
    const only = alone.get(edit.start)
    if (edit.table === undefined || only === undefined) return edit
    const names = [(only.alias?.value ?? edit.table.name).toLowerCase()]
    const { table } = edit
    const { select, orderBy, limit } = only
    const selected = { table, names, select, orderBy, limit, token }
    const last = lastRows(selected)
    const met = whereCondition({ table, names, zone: asked.zone, token, search }, select['selection'])
    const where = all([
      met,
      asksNewest(selected) ? { kind: 'latest' } : undefined,
      last === undefined ? undefined : { kind: 'last', rows: last }
    ])
    return where === undefined ? edit : { ...edit, where }
  })
  return replaceSearches(statement, told, [...readings.values()])
}

/** The searched expression is edited first, because the rewritten text may contain it more than once. */
function replaceSearches(
  statement: Canonical,
  edits: readonly Edit[],
  searches: readonly { readonly call: SearchCall; readonly reading: Reading }[]
): readonly Edit[] {
  if (searches.length === 0) return edits
  const sorted = edits.toSorted((a, b) => a.start - b.start || a.end - b.end)
  const kept: Edit[] = []
  let at = 0
  for (const { call, reading } of searches.toSorted((a, b) => a.call.first - b.call.first)) {
    const whole = span(statement, call.first, call.last)
    const text = span(statement, ...call.text)
    while (at < sorted.length && sorted[at]!.start < whole.start) kept.push(sorted[at++]!)
    const inner: Edit[] = []
    const behind: Edit[] = []
    for (; at < sorted.length && sorted[at]!.start < whole.end; at++) {
      const edit = sorted[at]!
      if (edit.start >= text.start && edit.end <= text.end) inner.push(edit)
      else if (edit.end > whole.end) behind.push(edit)
    }
    if (inner.some(edit => edit.table !== undefined || edit.relations !== undefined)) {
      throw unsupported(`a query inside of ${call.name} is not supported`)
    }
    const moved = inner.map(edit => ({ ...edit, start: edit.start - text.start, end: edit.end - text.start }))
    const searched = applyEdits(statement.text.slice(text.start, text.end), moved).text
    kept.push({ ...whole, text: searchCallSql(call, `(${searched})`, reading) }, ...behind)
  }
  return [...kept, ...sorted.slice(at)]
}

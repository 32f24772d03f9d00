// The condition that a filter implies on columns of the table, so that the engine can skip rows.

import type { TableColumn, TimeUnit } from '../../../core/index.ts'
import {
  type Condition,
  convertTime,
  parseSearch,
  partCondition,
  readingOf,
  requiredText,
  searchCondition,
  type Table
} from '../../../core/index.ts'
import type { Scalar } from '../document/node.ts'
import type { ContentFilter, Expression, Filter, TimeRange } from '../document/tree.ts'

/** A condition that every row passing the filter meets; undefined if nothing is known. */
export function filterCondition(
  table: Table,
  filter: Filter,
  columnOf: (expression: Expression) => TableColumn | undefined
): Condition | undefined {
  if (filter.kind === 'not') return undefined
  if (filter.kind === 'single') {
    const column = columnOf(filter.expression)
    return column && all(filter.contents.map(each => contentCondition(column, each)))
  }
  const of = filter.of.map(each => filterCondition(table, each, columnOf))
  return filter.kind === 'and' ? all(of) : any(of)
}

export function all(conditions: readonly (Condition | undefined)[]): Condition | undefined {
  const of = conditions.filter(each => each !== undefined)
  return of.length > 1 ? { kind: 'all', of } : of[0]
}

/** Undefined if there are none, because then nothing can be concluded. */
function any(conditions: readonly (Condition | undefined)[]): Condition | undefined {
  const of = conditions.filter(each => each !== undefined)
  if (of.length < conditions.length || of.length === 0) return undefined
  return of.length > 1 ? { kind: 'any', of } : of[0]
}

/** The range in the unit of the time index. */
export function timeCondition({ from, to }: TimeRange, unit: TimeUnit): Extract<Condition, { kind: 'time' }> {
  return {
    kind: 'time',
    ...(from !== undefined && { from: ceiling(from, unit) }),
    ...(to !== undefined && { to: ceiling(to, unit) })
  }
}

/** The first tick of a unit at or after a time in nanoseconds. */
function ceiling(ns: bigint, unit: TimeUnit): bigint {
  return -convertTime(-ns, 'ns', unit)
}

function contentCondition(column: TableColumn, filter: ContentFilter): Condition | undefined {
  const { name, type } = column
  switch (filter.kind) {
    case 'compare':
      return filter.op === '=' ? equals(column, filter.value) : undefined
    case 'in':
      return any(filter.values.map(value => equals(column, value)))
    case 'compound': {
      const of = filter.of.map(each => contentCondition(column, each))
      return filter.op === 'and' ? all(of) : any(of)
    }
  }
  if (type !== 'String' || !('text' in filter)) return undefined
  const { kind, text } = filter
  const reading = readingOf([column])
  switch (kind) {
    case 'contains':
      return partCondition(name, text, { start: true, end: true })
    case 'regex': {
      const held = requiredText(text)
      if (held === undefined) return undefined
      return all([
        { kind: 'contains', column: name, text: held },
        partCondition(name, held, { start: true, end: true })
      ])
    }
    case 'prefix':
      return partCondition(name, text, { start: false, end: true })
    case 'postfix':
      return partCondition(name, text, { start: true, end: false })
    case 'matches':
      return searchCondition(parseSearch(text), name, reading.folded)
    case 'matches_term':
      return text === '' ? undefined : { kind: 'term', column: name, term: text, folded: reading.folded }
  }
  return undefined
}

function equals({ name, type }: TableColumn, value: Scalar): Condition | undefined {
  const text = String(value)
  if (type === 'String') return all([{ kind: 'equals', column: name, value: text }, partCondition(name, text, whole)])
  const isWhole = /^U?Int\d+$/.test(type) && /^-?\d{1,38}$/.test(text)
  return isWhole ? { kind: 'equals', column: name, value: BigInt(text).toString() } : undefined
}

const whole = { start: false, end: false }

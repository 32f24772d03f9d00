// Which series and times a condition leaves, as far as the registry can tell.
import type { Table } from '../../../model/table.ts'
import type { Condition } from '../../engine.ts'
import type { LabelIndex } from '../series/label-index.ts'

/** Each of them is a look through all series. */
const mostAlternatives = 100

/** Numbers, ascending, of all series that may have rows which meet the condition; undefined where it says nothing of text tags. */
export function seriesAsked(
  labels: LabelIndex,
  table: Table,
  owner: number | undefined,
  condition: Condition
): Uint32Array | undefined {
  if (condition.kind === 'equals') {
    const { column, value } = condition
    if (!table.tags.some(({ name, type }) => name === column && type === 'String')) return undefined
    return labels.select(table, [{ column, test: text => text === value, equals: value }], owner)
  }
  if ((condition.kind !== 'all' && condition.kind !== 'any') || condition.of.length > mostAlternatives) return undefined
  const parts = condition.of.map(each => seriesAsked(labels, table, owner, each))
  if (condition.kind === 'any') return parts.every(part => part !== undefined) ? inAny(parts) : undefined
  return parts.reduce((a, b) => (a && b ? inBoth(a, b) : (a ?? b)), undefined)
}

function inAny(parts: readonly Uint32Array[]): Uint32Array {
  if (parts.length === 1) return parts[0]!
  return Uint32Array.from(new Set(parts.flatMap(part => [...part]))).sort()
}

function inBoth(a: Uint32Array, b: Uint32Array): Uint32Array {
  const others = new Set(b)
  return a.filter(tsid => others.has(tsid))
}

/** Times of a column's unit, both ends included. */
export interface Times {
  readonly from: number
  readonly to: number
}

/** All rows that meet a condition lie between these. */
export function timesAsked(condition: Condition): Times {
  const always = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY }
  if (condition.kind === 'time') {
    const { from, to } = condition
    return { from: from === undefined ? always.from : Number(from), to: to === undefined ? always.to : Number(to) }
  }
  if (condition.kind !== 'all' && condition.kind !== 'any') return always
  const [first, ...others] = condition.of.map(timesAsked)
  const isAll = condition.kind === 'all'
  const [later, earlier] = isAll ? [Math.max, Math.min] : [Math.min, Math.max]
  const join = (a: Times, b: Times) => ({ from: later(a.from, b.from), to: earlier(a.to, b.to) })
  return first === undefined ? always : others.reduce(join, first)
}

// Which series a condition leaves, as far as the registry can tell.
import type { Table } from '../../../model/table.ts'
import type { Steps } from '../../../pace.ts'
import type { Condition } from '../../engine.ts'
import { usualLimits } from '../read/limits.ts'
import type { LabelIndex } from '../series/label-index.ts'

/** Numbers, ascending, of all series that may have rows which meet the condition; undefined if the condition has no part about text tags. */
export function* seriesAsked(
  labels: LabelIndex,
  table: Table,
  owner: number | undefined,
  condition: Condition,
  max = usualLimits.alternatives
): Steps<Uint32Array | undefined> {
  if (condition.kind === 'equals') {
    const { column, value } = condition
    if (!table.tags.some(({ name, type }) => name === column && type === 'String')) return undefined
    return yield* labels.select(table, [{ column, test: text => text === value, equals: value }], owner)
  }
  if ((condition.kind !== 'all' && condition.kind !== 'any') || condition.of.length > max) return undefined
  const parts: (Uint32Array | undefined)[] = []
  for (const each of condition.of) parts.push(yield* seriesAsked(labels, table, owner, each, max))
  if (condition.kind === 'any') return inAny(parts)
  return parts.reduce((a, b) => (a && b ? inBoth(a, b) : (a ?? b)), undefined)
}

/** Numbers that are in some of the lists, ascending; undefined where one is not known. */
export function inAny(parts: readonly (Uint32Array | undefined)[]): Uint32Array | undefined {
  if (!parts.every(part => part !== undefined)) return undefined
  if (parts.length === 1) return parts[0]
  return Uint32Array.from(new Set(parts.flatMap(part => [...part]))).sort()
}

function inBoth(a: Uint32Array, b: Uint32Array): Uint32Array {
  const others = new Set(b)
  return a.filter(tsid => others.has(tsid))
}

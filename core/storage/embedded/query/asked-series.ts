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

/** Numbers that are in some of the lists, all of them ascending; undefined where one is not known. */
export function inAny(parts: readonly (Uint32Array | undefined)[]): Uint32Array | undefined {
  if (!parts.every(part => part !== undefined)) return undefined
  let lists: readonly Uint32Array[] = parts
  // Two and two, so that no number is copied more often than the logarithm of the lists.
  while (lists.length > 1)
    lists = Array.from({ length: Math.ceil(lists.length / 2) }, (_, i) => inEither(lists[2 * i]!, lists[2 * i + 1]))
  return lists[0] ?? new Uint32Array(0)
}

function inEither(a: Uint32Array, b: Uint32Array | undefined): Uint32Array {
  if (b === undefined) return a
  const found = new Uint32Array(a.length + b.length)
  let count = 0
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    const [left, right] = [a[i] ?? Number.POSITIVE_INFINITY, b[j] ?? Number.POSITIVE_INFINITY]
    found[count++] = Math.min(left, right)
    if (left <= right) i++
    if (right <= left) j++
  }
  return found.subarray(0, count)
}

function inBoth(a: Uint32Array, b: Uint32Array): Uint32Array {
  const found = new Uint32Array(Math.min(a.length, b.length))
  let count = 0
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    const [left, right] = [a[i]!, b[j]!]
    if (left === right) found[count++] = left
    if (left <= right) i++
    if (right <= left) j++
  }
  return found.subarray(0, count)
}

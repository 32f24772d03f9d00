// Sums and differences of histograms, and whether a counter was reset between two.
import { type Buckets, type Histogram, isCustom, type ResetHint } from './histogram.ts'
import { align, toBounds, toSchema, widenZero } from './layout.ts'

export interface Combined {
  readonly result: Histogram
  /** Custom bounds differed, so only the common ones were kept. */
  readonly reconciled: boolean
  /** One had the hint `reset`, the other `no-reset`. */
  readonly collision: boolean
}

/** Undefined if one has exponential and the other custom buckets. */
export function add(left: Histogram, right: Histogram): Combined | undefined {
  return combine(left, right, 1)
}

export function subtract(left: Histogram, right: Histogram): Combined | undefined {
  return combine(left, right, -1)
}

function combine(left: Histogram, right: Histogram, sign: 1 | -1): Combined | undefined {
  const aligned = align(left, right)
  if (aligned === undefined) return undefined
  const { left: a, right: b, reconciled } = aligned
  const { hint, collision } = combinedHint(left.hint, right.hint)
  const result = {
    ...a,
    zeroCount: a.zeroCount + sign * b.zeroCount,
    count: a.count + sign * b.count,
    sum: a.sum + sign * b.sum,
    positive: combineBuckets(a.positive, b.positive, sign),
    negative: combineBuckets(a.negative, b.negative, sign),
    hint: sign < 0 ? 'gauge' : hint
  } satisfies Histogram
  return { result, reconciled, collision }
}

function combinedHint(a: ResetHint, b: ResetHint): { readonly hint: ResetHint; readonly collision: boolean } {
  if (a === b) return { hint: a, collision: false }
  if (a === 'gauge' || b === 'gauge') return { hint: 'gauge', collision: false }
  return { hint: 'unknown', collision: a !== 'unknown' && b !== 'unknown' }
}

function combineBuckets(a: Buckets, b: Buckets, sign: 1 | -1): Buckets {
  if (b.indexes.length === 0) return a
  const indexes = new Int32Array(a.indexes.length + b.indexes.length)
  const counts = new Float64Array(indexes.length)
  let [i, j, n] = [0, 0, 0]
  while (i < a.indexes.length || j < b.indexes.length) {
    const left = i < a.indexes.length ? a.indexes[i]! : Number.POSITIVE_INFINITY
    const right = j < b.indexes.length ? b.indexes[j]! : Number.POSITIVE_INFINITY
    indexes[n] = Math.min(left, right)
    counts[n] = (left <= right ? a.counts[i++]! : 0) + (right <= left ? sign * b.counts[j++]! : 0)
    n++
  }
  return { indexes: indexes.slice(0, n), counts: counts.slice(0, n) }
}

/** Whether the counter behind `current` was reset since `previous`. */
export function isReset(current: Histogram, previous: Histogram): boolean {
  if (current.hint === 'reset') return true
  if (current.hint === 'no-reset') return false
  if (current.count < previous.count || isCustom(current) !== isCustom(previous)) return true
  return isCustom(current) ? customReset(current, previous) : exponentialReset(current, previous)
}

function customReset(current: Histogram, previous: Histogram): boolean {
  const common = current.bounds.filter(bound => previous.bounds.includes(bound))
  return anyFewer(toBounds(current, common).positive, toBounds(previous, common).positive)
}

function exponentialReset(current: Histogram, previous: Histogram): boolean {
  if (current.schema > previous.schema || current.zeroThreshold < previous.zeroThreshold) return true
  const widened = widenZero(previous, current.zeroThreshold)
  if (widened.zeroThreshold !== current.zeroThreshold || current.zeroCount < widened.zeroCount) return true
  const before = toSchema(widened, current.schema)
  return anyFewer(current.positive, before.positive) || anyFewer(current.negative, before.negative)
}

function anyFewer(current: Buckets, previous: Buckets): boolean {
  let i = 0
  for (let j = 0; j < previous.indexes.length; j++) {
    while (i < current.indexes.length && current.indexes[i]! < previous.indexes[j]!) i++
    const count = current.indexes[i] === previous.indexes[j] ? current.counts[i]! : 0
    if (count < previous.counts[j]!) return true
  }
  return false
}

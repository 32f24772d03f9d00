// Quantiles of numbers, without sorting all of them.
import type { Steps } from '../../../core/index.ts'

/** Linear between the two nearest values; NaN counts as the smallest. The order of `values` changes. */
export function quantile(q: number, values: Float64Array): number {
  const fixed = withoutValues(q, values)
  if (fixed !== undefined) return fixed
  const nans = gatherNans(values, 0, 0, values.length)
  const { lower, upper, weight } = ranksOf(q, values)
  if (upper < nans) return Number.NaN
  const high = select(values, nans, values.length - 1, upper)
  const low =
    lower < nans ? Number.NaN : lower === upper ? high : greatest(Number.NEGATIVE_INFINITY, values, nans, upper)
  return low * (1 - weight) + high * weight
}

/** `quantile`, looking at `size` values a step at most. */
export function* quantileSteps(q: number, values: Float64Array, size: number): Steps<number> {
  const fixed = withoutValues(q, values)
  if (fixed !== undefined) return fixed
  let nans = 0
  for (let from = 0; from < values.length; from += size) {
    nans = gatherNans(values, nans, from, Math.min(values.length, from + size))
    yield
  }
  const { lower, upper, weight } = ranksOf(q, values)
  if (upper < nans) return Number.NaN
  const high = yield* selectSteps(values, nans, upper, size)
  let low = lower === upper ? high : Number.NEGATIVE_INFINITY
  for (let from = nans; from < upper && lower !== upper; from += size) {
    low = greatest(low, values, from, Math.min(upper, from + size))
    yield
  }
  if (lower < nans) low = Number.NaN
  return low * (1 - weight) + high * weight
}

/** The quantile where it does not depend on the values. */
function withoutValues(q: number, values: Float64Array): number | undefined {
  if (values.length === 0 || Number.isNaN(q)) return Number.NaN
  if (q < 0) return Number.NEGATIVE_INFINITY
  return q > 1 ? Number.POSITIVE_INFINITY : undefined
}

/** The positions in order between which the quantile lies, and the weight of the upper one. */
function ranksOf(q: number, values: Float64Array): { lower: number; upper: number; weight: number } {
  const rank = q * (values.length - 1)
  const lower = Math.max(0, Math.floor(rank))
  return { lower, upper: Math.min(values.length - 1, lower + 1), weight: rank - Math.floor(rank) }
}

/** Moves NaNs from `from` to below `to` behind the first `found` ones at the front; returns their number. */
function gatherNans(values: Float64Array, found: number, from: number, to: number): number {
  let nans = found
  for (let i = from; i < to; i++) {
    const value = values[i]!
    if (!Number.isNaN(value)) continue
    values[i] = values[nans]!
    values[nans++] = value
  }
  return nans
}

/**
 * The value at `index` if all values from `first` to `last` were sorted (quickselect). Afterwards no value before `index` is greater than
 * it.
 */
function select(values: Float64Array, first: number, last: number, index: number): number {
  let [low, high] = [first, last]
  const pivotOf = createPivots()
  while (low < high) {
    const pivot = pivotOf(values, low, high)
    let [i, j] = [low, high]
    while (i <= j) {
      while (values[i]! < pivot) i++
      while (values[j]! > pivot) j--
      if (i > j) break
      const value = values[i]!
      values[i++] = values[j]!
      values[j--] = value
    }
    if (index <= j) high = j
    else if (index >= i) low = i
    else break
  }
  return values[index]!
}

/** `select` in steps: the same exchanges in the same order, as many values of a step at most. */
function* selectSteps(values: Float64Array, first: number, index: number, size: number): Steps<number> {
  let [low, high] = [first, values.length - 1]
  const pivotOf = createPivots()
  while (high - low >= size) {
    const pivot = pivotOf(values, low, high)
    const at = { i: low, j: high }
    while (at.i <= at.j) {
      partition(values, pivot, at, size)
      yield
    }
    if (index <= at.j) high = at.j
    else if (index >= at.i) low = at.i
    else return values[index]!
  }
  return select(values, low, high, index)
}

/** Moves `i` up and `j` down until they meet, for `size` values at most, exchanging values so that smaller ones come first. */
function partition(values: Float64Array, pivot: number, at: { i: number; j: number }, size: number): void {
  let { i, j } = at
  for (let left = size; left > 0 && i <= j; left--) {
    if (values[i]! < pivot) i++
    else if (values[j]! > pivot) j--
    else {
      const value = values[i]!
      values[i++] = values[j]!
      values[j--] = value
    }
  }
  at.i = i
  at.j = j
}

/** Ranges from which a pivot is chosen by their ends and middle; later ones of a selection are long only where the order of the values is unlucky. */
const fixedPivots = 8

/**
 * Chooses pivots for one selection: first by the median of the first, middle and last value, which suits values in order, and then at random. No
 * order of values, also none made for it, makes a selection quadratic.
 */
function createPivots(): (values: Float64Array, low: number, high: number) => number {
  let chosen = 0
  return (values, low, high) => {
    if (chosen++ < fixedPivots) return middle(values[low]!, values[(low + high) >> 1]!, values[high]!)
    const any = () => values[low + Math.floor(Math.random() * (high - low + 1))]!
    return middle(any(), any(), any())
  }
}

function middle(a: number, b: number, c: number): number {
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c))
}

function greatest(known: number, values: Float64Array, from: number, to: number): number {
  let most = known
  for (let i = from; i < to; i++) if (values[i]! > most) most = values[i]!
  return most
}

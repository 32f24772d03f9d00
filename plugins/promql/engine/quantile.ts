// Quantiles of numbers, without sorting all of them.

/** Linear between the two nearest values; NaN counts as the smallest. The order of `values` changes. */
export function quantile(q: number, values: Float64Array): number {
  if (values.length === 0 || Number.isNaN(q)) return Number.NaN
  if (q < 0) return Number.NEGATIVE_INFINITY
  if (q > 1) return Number.POSITIVE_INFINITY
  const nans = gatherNans(values)
  const rank = q * (values.length - 1)
  const lower = Math.max(0, Math.floor(rank))
  const upper = Math.min(values.length - 1, lower + 1)
  const weight = rank - Math.floor(rank)
  if (upper < nans) return Number.NaN
  const high = select(values, nans, upper)
  const low = lower < nans ? Number.NaN : lower === upper ? high : greatest(values, nans, upper)
  return low * (1 - weight) + high * weight
}

/** Moves NaNs to the front; returns their number. */
function gatherNans(values: Float64Array): number {
  let nans = 0
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!
    if (!Number.isNaN(value)) continue
    values[i] = values[nans]!
    values[nans++] = value
  }
  return nans
}

/** The value at `index` if all values from `first` on were sorted (quickselect). Afterwards no value before `index` is greater than it. */
function select(values: Float64Array, first: number, index: number): number {
  let [low, high] = [first, values.length - 1]
  while (low < high) {
    const pivot = middle(values[low]!, values[(low + high) >> 1]!, values[high]!)
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

function middle(a: number, b: number, c: number): number {
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c))
}

function greatest(values: Float64Array, from: number, to: number): number {
  let most = values[from]!
  for (let i = from + 1; i < to; i++) if (values[i]! > most) most = values[i]!
  return most
}

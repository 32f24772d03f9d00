// Quantiles of values in orders that are made to take long.
import t from 'tap'
import { runAtOnce } from '../../../../core/pace.ts'
import { quantile, quantileSteps } from '../../../../plugins/promql/engine/quantile.ts'

/**
 * Values for which a selection of the one at `index` by the median of the first, middle and last value takes quadratic time (McIlroy, A killer
 * adversary for quicksort): each value is decided when the selection looks at it, so that pivots are always among the smallest.
 */
function hostileOrder(length: number, index: number): Float64Array {
  const values = new Float64Array(length).fill(length)
  let [decided, candidate] = [0, -1]
  const isUndecided = (id: number) => values[id] === length
  const compare = (a: number, b: number): number => {
    if (isUndecided(a) && isUndecided(b)) values[a === candidate ? a : b] = decided++
    if (isUndecided(a)) candidate = a
    else if (isUndecided(b)) candidate = b
    return values[a]! - values[b]!
  }
  const least = (a: number, b: number) => (compare(a, b) <= 0 ? a : b)
  const greatest = (a: number, b: number) => (compare(a, b) > 0 ? a : b)
  const ids = Uint32Array.from({ length }, (_, i) => i)
  let [low, high] = [0, length - 1]
  while (low < high) {
    const [a, b, c] = [ids[low]!, ids[(low + high) >> 1]!, ids[high]!]
    const pivot = greatest(least(a, b), least(greatest(a, b), c))
    let [i, j] = [low, high]
    while (i <= j) {
      if (compare(ids[i]!, pivot) < 0) i++
      else if (compare(ids[j]!, pivot) > 0) j--
      else {
        const id = ids[i]!
        ids[i++] = ids[j]!
        ids[j--] = id
      }
    }
    if (index <= j) high = j
    else if (index >= i) low = i
    else break
  }
  return values
}

t.test('no order of values makes a quantile quadratic', async t => {
  const [length, size] = [8_000, 16]
  const values = hostileOrder(length, length / 2)
  const expected = [...values].sort((a, b) => a - b)
  const median = (expected[length / 2 - 1]! + expected[length / 2]!) / 2
  // Each step compares `size` values at most. With the median of three as the pivot alone it would be 750,000 steps.
  let steps = 0
  const selecting = quantileSteps(0.5, values.slice(), size)
  let step = selecting.next()
  for (; !step.done; step = selecting.next()) steps++
  t.equal(step.value, median)
  t.ok(steps < (40 * length) / size, `${steps} steps`)
  t.equal(quantile(0.5, values.slice()), median, 'at once')
})

t.test('values in order, and equal ones, take few steps, too', async t => {
  const [length, size] = [8_000, 16]
  const orders: Readonly<Record<string, (i: number) => number>> = {
    ascending: i => i,
    descending: i => length - i,
    equal: () => 7,
    'up and down': i => Math.min(i, length - i)
  }
  for (const [name, valueAt] of Object.entries(orders)) {
    const values = Float64Array.from({ length }, (_, i) => valueAt(i))
    const steps = [...quantileSteps(0.9, values.slice(), size)].length
    t.ok(steps < (40 * length) / size, `${name}: ${steps} steps`)
    t.equal(runAtOnce(quantileSteps(0.9, values.slice(), size)), quantile(0.9, values), name)
  }
})

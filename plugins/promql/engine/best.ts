// The best members of a group at each step, for topk and bottomk.
import { endsStep, type Pace, sortPaced } from '../../../core/index.ts'
import type { Series } from './series.ts'

/** Heaps of up to this size are kept for all steps while the members are visited once; larger ones are filled step by step. */
const maxKept = 64

/** Members offered to a heap between two checks of the pace. */
const pauseMembers = 1_024

/**
 * Gives the indices of the best floats at a step, as many as `max` says there: the highest first, or with `sign` -1 the lowest. NaN comes
 * last in either order. Which of equal values are among them is decided as Prometheus does: a heap takes the members in their order.
 */
export async function chooseBest(
  pace: Pace,
  members: readonly Series[],
  max: Float64Array,
  sign: 1 | -1
): Promise<(step: number) => Promise<ArrayLike<number>> | ArrayLike<number>> {
  const counts = Uint32Array.from(max, each => Math.min(members.length, Math.max(0, Math.trunc(each))))
  const width = counts.reduce((all, each) => Math.max(all, each), 0)
  if (width <= maxKept) {
    const heaps = new Heaps(counts.length, width)
    for (const [index, { kinds, values }] of members.entries()) {
      for (let step = 0; step < counts.length; step++) {
        if (kinds[step] === 1) heaps.offer(step, counts[step]!, sign * values[step]!, index)
      }
      if (pace.isDue) await pace.pause()
    }
    return step => heaps.indices(pace, step)
  }
  return async step => {
    const heaps = new Heaps(1, counts[step]!)
    for (const [index, { kinds, values }] of members.entries()) {
      if (kinds[step] === 1) heaps.offer(0, counts[step]!, sign * values[step]!, index)
      if (endsStep(index, pauseMembers) && pace.isDue) await pace.pause()
    }
    return heaps.indices(pace, 0)
  }
}

/** A heap per step, the worst value on top. */
class Heaps {
  readonly #width: number
  readonly #values: Float64Array
  readonly #indices: Uint32Array
  readonly #sizes: Uint32Array

  constructor(count: number, width: number) {
    this.#width = width
    this.#values = new Float64Array(count * width)
    this.#indices = new Uint32Array(count * width)
    this.#sizes = new Uint32Array(count)
  }

  /** Adds a value to a heap of at most `max` entries, if it is better than the worst entry. */
  offer(heap: number, max: number, value: number, index: number): void {
    const first = heap * this.#width
    const size = this.#sizes[heap]!
    if (size < max) {
      this.#put(first + size, value, index)
      this.#sizes[heap]!++
      this.#rise(first, size)
    } else if (max > 0 && worse(this.#values[first]!, value) && !Number.isNaN(value)) {
      this.#put(first, value, index)
      this.#sink(first, size)
    }
  }

  /** Indexes of members, the best first, equal ones in member order. */
  indices(pace: Pace, heap: number): Promise<ArrayLike<number>> | ArrayLike<number> {
    const first = heap * this.#width
    const order = Array.from({ length: this.#sizes[heap]! }, (_, i) => first + i)
    const compare = (i: number, j: number) => {
      const [a, b] = [this.#values[i]!, this.#values[j]!]
      if (Number.isNaN(a) !== Number.isNaN(b)) return Number.isNaN(a) ? 1 : -1
      return b - a || this.#indices[i]! - this.#indices[j]!
    }
    const toIndices = (sorted: readonly number[]) => sorted.map(at => this.#indices[at]!)
    // A promise for each of many steps would cost more than sorting a few entries.
    return order.length <= maxKept ? toIndices(order.sort(compare)) : sortPaced(pace, order, compare).then(toIndices)
  }

  #rise(first: number, from: number): void {
    for (let child = from; child > 0; ) {
      const parent = (child - 1) >> 1
      if (!this.#isWorse(first + child, first + parent)) return
      this.#swap(first + child, first + parent)
      child = parent
    }
  }

  #sink(first: number, size: number): void {
    for (let parent = 0; ; ) {
      let child = 2 * parent + 1
      if (child >= size) return
      if (child + 1 < size && this.#isWorse(first + child + 1, first + child)) child++
      if (!this.#isWorse(first + child, first + parent)) return
      this.#swap(first + child, first + parent)
      parent = child
    }
  }

  #isWorse(i: number, j: number): boolean {
    return worse(this.#values[i]!, this.#values[j]!)
  }

  #swap(i: number, j: number): void {
    const [value, index] = [this.#values[i]!, this.#indices[i]!]
    this.#put(i, this.#values[j]!, this.#indices[j]!)
    this.#put(j, value, index)
  }

  #put(at: number, value: number, index: number): void {
    this.#values[at] = value
    this.#indices[at] = index
  }
}

function worse(a: number, b: number): boolean {
  return a < b || Number.isNaN(a)
}

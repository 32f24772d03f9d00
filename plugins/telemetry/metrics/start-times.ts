// Since when series count: a time that is told with every point and changes when a process starts anew.
import type { KeyHash } from '../../../core/index.ts'

/** Words of an entry: two of the attributes' hash, the metric, two of the time. */
const words = 5
const firstSlots = 1 << 12
/** Series whose start is remembered; with more they are told of again and again. */
const mostSlots = 1 << 20

/** Remembers the starts of series. It forgets some, never takes one for known that is not. */
export class StartTimes {
  #slots = firstSlots
  #entries = new Int32Array(firstSlots * words)
  #misses = 0

  /** Whether this start of a series is not the one from before; then it is remembered. */
  isNew({ a, b }: KeyHash, metric: number, low: number, high: number): boolean {
    const entries = this.#entries
    const at = ((a ^ Math.imul(metric, 0x9e3779b1)) & (this.#slots - 1)) * words
    if (
      entries[at] === a &&
      entries[at + 1] === b &&
      entries[at + 2] === metric &&
      entries[at + 3] === low &&
      entries[at + 4] === high
    ) {
      return false
    }
    if (++this.#misses > this.#slots / 2 && this.#slots < mostSlots) {
      this.#grow()
      return this.isNew({ a, b } as KeyHash, metric, low, high)
    }
    entries[at] = a
    entries[at + 1] = b
    entries[at + 2] = metric
    entries[at + 3] = low
    entries[at + 4] = high
    return true
  }

  /** After a request that was not stored. */
  forget(): void {
    this.#entries.fill(0)
  }

  #grow(): void {
    const old = this.#entries
    this.#slots *= 4
    this.#misses = 0
    this.#entries = new Int32Array(this.#slots * words)
    for (let from = 0; from < old.length; from += words) {
      if (old[from + 2] === 0) continue
      const at = ((old[from]! ^ Math.imul(old[from + 2]!, 0x9e3779b1)) & (this.#slots - 1)) * words
      this.#entries.set(old.subarray(from, from + words), at)
    }
  }
}

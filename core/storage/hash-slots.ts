// A hash table from 32-bit hashes to numbers. It grows incrementally, a few slots per insertion, so that no insertion rehashes everything.
import { free } from '../workers/free.ts'

/** Words of a slot: the hash, and the number from 1; 0 there is free. */
const words = 2
/** Slots moved per insertion while the table grows. Two would be enough: n slots have to move within the n/2 insertions the new table has room for. */
const movedAtOnce = 8

/** Open addressing, at most half full. Callers compare what numbers with equal hashes stand for. */
export class HashSlots {
  /** Small at first: every table has one of these. */
  #slots = new Int32Array(4 * words)
  /** While the table grows: the previous one, half as large, until all of its slots have moved to `#slots`. */
  #before: Int32Array | undefined
  /** How many slots of `#before` have moved to `#slots`. */
  #moved = 0
  #count = 0
  /** State of the last search: its hash, the table it is in, and the slot it looks at next. */
  #hash = 0
  #searched: Int32Array = this.#slots
  #next = 0

  /** The first number with this hash, or -1. */
  find(hash: number): number {
    this.#hash = hash | 0
    this.#searched = this.#slots
    this.#next = hash & (this.#slots.length / words - 1)
    return this.next()
  }

  /** The next number with the hash of the last search, or -1. While the table grows the same number may come twice. */
  next(): number {
    for (;;) {
      const slots = this.#searched
      const last = slots.length / words - 1
      for (let slot = this.#next; ; slot = (slot + 1) & last) {
        const number = slots[slot * words + 1]! - 1
        if (number < 0) break
        if (slots[slot * words] !== this.#hash) continue
        this.#next = (slot + 1) & last
        return number
      }
      if (this.#before === undefined || slots === this.#before) return -1
      this.#searched = this.#before
      this.#next = this.#hash & (this.#before.length / words - 1)
    }
  }

  /** Adds a number from 0 to 2³¹ - 2. */
  add(hash: number, number: number): void {
    this.#count++
    if (this.#count * words * 2 > this.#slots.length) this.#grow()
    else if (this.#before !== undefined) this.#move(this.#before)
    this.#insert(hash | 0, number + 1)
  }

  #insert(hash: number, stored: number): void {
    const slots = this.#slots
    const last = slots.length / words - 1
    let slot = hash & last
    while (slots[slot * words + 1] !== 0) slot = (slot + 1) & last
    slots[slot * words] = hash
    slots[slot * words + 1] = stored
  }

  /** Doubles the table; the new one starts empty and takes the old slots over step by step. */
  #grow(): void {
    this.#before = this.#slots
    this.#slots = new Int32Array(this.#slots.length * 2)
    this.#moved = 0
  }

  #move(before: Int32Array): void {
    const end = Math.min(before.length / words, this.#moved + movedAtOnce)
    for (; this.#moved < end; this.#moved++) {
      const stored = before[this.#moved * words + 1]!
      if (stored !== 0) this.#insert(before[this.#moved * words]!, stored)
    }
    if (this.#moved * words < before.length) return
    this.#before = undefined
    this.#searched = this.#slots
    free(before)
  }
}

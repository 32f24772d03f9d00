// Repeated texts of a request: each is kept once, as a range of the bytes, and has a number.
import { hashBytes } from './hash.ts'

export class Dictionary {
  readonly bytes: Uint8Array
  /** Where each text begins and ends. */
  starts = new Uint32Array(16)
  ends = new Uint32Array(16)
  count = 0
  /** Hash table: numbers of texts plus one, 0 where free; at most half full. */
  #slots = new Uint32Array(64)
  #last = 0

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
  }

  /** The number of a text; a new text gets the next number. */
  add(start: number, end: number): number {
    if (this.count > 0 && this.#is(this.#last, start, end)) return this.#last
    const mask = this.#slots.length - 1
    for (let slot = hashBytes(this.bytes, start, end) & mask; ; slot = (slot + 1) & mask) {
      const number = this.#slots[slot]! - 1
      if (number < 0) {
        this.#slots[slot] = this.count + 1
        return this.#append(start, end)
      }
      if (this.#is(number, start, end)) {
        this.#last = number
        return number
      }
    }
  }

  #append(start: number, end: number): number {
    const number = this.count++
    if (number === this.starts.length) this.#grow()
    this.starts[number] = start
    this.ends[number] = end
    if (this.count * 2 > this.#slots.length) this.#rehash()
    this.#last = number
    return number
  }

  #is(number: number, start: number, end: number): boolean {
    const { bytes } = this
    const own = this.starts[number]!
    const length = end - start
    if (this.ends[number]! - own !== length) return false
    for (let i = length - 1; i >= 0; i--) if (bytes[own + i] !== bytes[start + i]) return false
    return true
  }

  #rehash(): void {
    this.#slots = new Uint32Array(this.#slots.length * 2)
    const mask = this.#slots.length - 1
    for (let number = 0; number < this.count; number++) {
      let slot = hashBytes(this.bytes, this.starts[number]!, this.ends[number]!) & mask
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask
      this.#slots[slot] = number + 1
    }
  }

  #grow(): void {
    const { starts, ends } = this
    this.starts = new Uint32Array(starts.length * 2)
    this.starts.set(starts)
    this.ends = new Uint32Array(ends.length * 2)
    this.ends.set(ends)
  }
}

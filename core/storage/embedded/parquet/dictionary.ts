// The different values of a column chunk, numbered in the order they come.
import { widthOf } from './bits.ts'
import type { Texts } from './texts.ts'

/** Entries of a table before it grows. */
const firstSize = 1 << 10

export interface Numbered {
  /** Of each value. */
  readonly codes: Int32Array
  readonly entries: number
  /** How often a code differs from the one before. */
  readonly changes: number
}

/** Bytes its codes take at most. */
export function codeBytes({ codes, entries, changes }: Numbered, count: number): number {
  const width = codeWidth(entries)
  return Math.min((count * width) / 8, changes * (2 + (width >>> 3)) + 64, codes.length * 4)
}

/** Bits of a code; readers do not all expect 0. */
export function codeWidth(entries: number): number {
  return Math.max(1, widthOf(entries - 1))
}

/** Memory and hash table; what it answers is valid until it is used again. */
export class Dictionary {
  #slots = new Int32Array(2 * firstSize)
  #bits = widthOf(2 * firstSize - 1)
  #codes = new Int32Array(0)
  /** Halves of numbers in the order of their codes. */
  entries = new Int32Array(2 * firstSize)
  /** Of texts: where an entry was met first. */
  #hashes = new Int32Array(firstSize)

  #begin(count: number): void {
    if (this.#codes.length < count) this.#codes = new Int32Array(count)
    this.#slots.fill(-1)
  }

  /** Makes the table at least twice as large as the entries are many. */
  #grow(rehash: (entry: number) => number, entries: number): void {
    this.#bits++
    this.#slots = new Int32Array(1 << this.#bits).fill(-1)
    const mask = (1 << this.#bits) - 1
    for (let entry = 0; entry < entries; entry++) {
      let slot = rehash(entry) >>> (32 - this.#bits)
      while (this.#slots[slot]! >= 0) slot = (slot + 1) & mask
      this.#slots[slot] = entry
    }
    const grow = (array: Int32Array<ArrayBuffer>, length: number) => {
      if (array.length >= length) return array
      const grown = new Int32Array(length)
      grown.set(array)
      return grown
    }
    this.entries = grow(this.entries, 1 << this.#bits)
    this.#hashes = grow(this.#hashes, 1 << (this.#bits - 1))
  }

  /** Numbers `count` integers from `from` on, `step` 1: of 32 bits, 2: halves. Undefined: more than `limit` are different. */
  numbers(values: Int32Array, from: number, count: number, step: 1 | 2, limit: number): Numbered | undefined {
    this.#begin(count)
    const codes = this.#codes
    const end = step * (from + count)
    const second = step - 1
    let { entries: known } = this
    let slots = this.#slots
    let mask = (1 << this.#bits) - 1
    let shift = 32 - this.#bits
    let entries = 0
    let changes = 0
    let beforeLow = 0
    let beforeHigh = 0
    let code = -1
    for (let i = step * from, put = 0; i < end; i += step, put++) {
      const low = values[i]!
      const high = second === 0 ? 0 : values[i + 1]!
      if (low === beforeLow && high === beforeHigh && code >= 0) {
        codes[put] = code
        continue
      }
      changes++
      beforeLow = low
      beforeHigh = high
      let slot = hash64(low, high) >>> shift
      for (;;) {
        code = slots[slot]!
        if (code < 0 || (known[2 * code] === low && known[2 * code + 1] === high)) break
        slot = (slot + 1) & mask
      }
      if (code < 0) {
        if (entries === limit) return undefined
        code = entries++
        slots[slot] = code
        known[2 * code] = low
        known[2 * code + 1] = high
        if (entries * 2 >= slots.length) {
          const all = known
          this.#grow(entry => hash64(all[2 * entry]!, all[2 * entry + 1]!), entries)
          known = this.entries
          slots = this.#slots
          mask = (1 << this.#bits) - 1
          shift = 32 - this.#bits
        }
      }
      codes[put] = code
    }
    return { codes, entries, changes }
  }

  /** Row of the first value of each code; valid until the dictionary is used again. */
  get rows(): Int32Array {
    return this.entries
  }

  /** Numbers texts `from` to `from + count`. Gives up when more than `limit` are different, or nearly all of the first ones, unless `all`. */
  texts({ offsets, bytes }: Texts, from: number, count: number, limit: number, all = false): Numbered | undefined {
    this.#begin(count)
    const codes = this.#codes
    let { entries: rows } = this
    let slots = this.#slots
    let mask = (1 << this.#bits) - 1
    let shift = 32 - this.#bits
    let entries = 0
    let changes = 0
    let code = -1
    let beforeAt = 0
    let beforeLength = -1
    for (let i = from, put = 0; put < count; i++, put++) {
      const at = offsets[i]!
      const length = offsets[i + 1]! - at
      if (length === beforeLength && same(bytes, at, beforeAt, length)) {
        codes[put] = code
        continue
      }
      beforeAt = at
      beforeLength = length
      changes++
      const hash = hashText(bytes, at, length)
      let slot = hash >>> shift
      for (;;) {
        code = slots[slot]!
        if (code < 0) break
        if (this.#hashes[code] === hash) {
          const row = rows[code]!
          if (offsets[row + 1]! - offsets[row]! === length && same(bytes, at, offsets[row]!, length)) break
        }
        slot = (slot + 1) & mask
      }
      if (code < 0) {
        if (entries === limit || (!all && entries > 2048 && entries > put * 0.85)) return undefined
        code = entries++
        slots[slot] = code
        rows[code] = i
        this.#hashes[code] = hash
        if (entries * 2 >= slots.length) {
          this.#grow(entry => this.#hashes[entry]!, entries)
          rows = this.entries
          slots = this.#slots
          mask = (1 << this.#bits) - 1
          shift = 32 - this.#bits
        }
      }
      codes[put] = code
    }
    return { codes, entries, changes }
  }
}

function hash64(low: number, high: number): number {
  const mixed = Math.imul(low ^ Math.imul(high, 0x85ebca6b), 0x9e3779b1)
  return Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d)
}

function hashText(bytes: Uint8Array, at: number, length: number): number {
  let hash = length
  for (let i = at; i < at + length; i++) hash = Math.imul(hash ^ bytes[i]!, 0x01000193)
  return Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
}

function same(bytes: Uint8Array, a: number, b: number, length: number): boolean {
  for (let i = 0; i < length; i++) if (bytes[a + i] !== bytes[b + i]) return false
  return true
}

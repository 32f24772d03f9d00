// Dictionary encoding: numbers the distinct values of a column chunk in order of appearance.
import { randomFillSync } from 'node:crypto'
import { widthOf } from './bits.ts'
import type { Texts } from './texts.ts'

/** Initial slots of the hash table, as a power of two. */
const firstBits = 11

export interface Numbered {
  /** The code of each value. */
  readonly codes: Int32Array
  readonly entries: number
  /** How often a code differs from its predecessor. */
  readonly changes: number
}

/** Bytes its codes take at most. */
export function codeBytes({ codes, entries, changes }: Numbered, count: number): number {
  const width = codeWidth(entries)
  return Math.min((count * width) / 8, changes * (2 + (width >>> 3)) + 64, codes.length * 4)
}

/** Bits per code. At least 1, because some readers do not expect 0, and 8 instead of 5 to 7, because whole bytes compress far better. */
export function codeWidth(entries: number): number {
  const width = Math.max(1, widthOf(entries - 1))
  return width > 4 && width < 8 ? 8 : width
}

/** Hash table and memory; its results are valid until the next use. */
export class Dictionary {
  #bits = firstBits
  #slots = new Int32Array(1 << firstBits)
  #codes = new Int32Array(0)
  /** Numbers: their halves in the order of codes. Texts: the first row with each. */
  entries = new Int32Array(1 << firstBits)
  #hashes = new Int32Array(1 << (firstBits - 1))

  #begin(count: number): void {
    if (this.#codes.length < count) this.#codes = new Int32Array(count)
    this.#bits = firstBits
    this.#slots.fill(-1, 0, 1 << firstBits)
  }

  /** Doubles the table when it is half full. */
  #grow(entries: number): void {
    this.#bits++
    const size = 1 << this.#bits
    if (this.#slots.length < size) this.#slots = new Int32Array(size)
    this.#slots.fill(-1, 0, size)
    for (let entry = 0; entry < entries; entry++) {
      let slot = this.#hashes[entry]! >>> (32 - this.#bits)
      while (this.#slots[slot]! >= 0) slot = (slot + 1) & (size - 1)
      this.#slots[slot] = entry
    }
    const grow = (array: Int32Array<ArrayBuffer>, length: number) => {
      if (array.length >= length) return array
      const grown = new Int32Array(length)
      grown.set(array)
      return grown
    }
    this.entries = grow(this.entries, size)
    this.#hashes = grow(this.#hashes, size >> 1)
  }

  /** Numbers `count` 32-bit integers from `from` on. Undefined if there are more than `limit` distinct ones. */
  words(values: Int32Array, from: number, count: number, limit: number): Numbered | undefined {
    this.#begin(count)
    const codes = this.#codes
    let entries = 0
    let changes = 0
    let before = 0
    let code = -1
    for (let i = from, put = 0; put < count; i++, put++) {
      const value = values[i]!
      if (value !== before || code < 0) {
        changes++
        before = value
        code = this.#code(value, 0, entries)
        if (code === entries) {
          if (entries === limit) return undefined
          entries++
          if (entries << 1 >= 1 << this.#bits) this.#grow(entries)
        }
      }
      codes[put] = code
    }
    return { codes, entries, changes }
  }

  /** Numbers 64-bit integers given as halves. */
  halves(values: Int32Array, from: number, count: number, limit: number): Numbered | undefined {
    this.#begin(count)
    const codes = this.#codes
    let entries = 0
    let changes = 0
    let beforeLow = 0
    let beforeHigh = 0
    let code = -1
    for (let i = 2 * from, put = 0; put < count; i += 2, put++) {
      const low = values[i]!
      const high = values[i + 1]!
      if (low !== beforeLow || high !== beforeHigh || code < 0) {
        changes++
        beforeLow = low
        beforeHigh = high
        code = this.#code(low, high, entries)
        if (code === entries) {
          if (entries === limit) return undefined
          entries++
          if (entries << 1 >= 1 << this.#bits) this.#grow(entries)
        }
      }
      codes[put] = code
    }
    return { codes, entries, changes }
  }

  /** The code of a number; `entries` if it is new. */
  #code(low: number, high: number, entries: number): number {
    const known = this.entries
    const slots = this.#slots
    const mask = (1 << this.#bits) - 1
    const hash = hash64(low, high)
    let slot = hash >>> (32 - this.#bits)
    for (;;) {
      const code = slots[slot]!
      if (code < 0) {
        slots[slot] = entries
        known[2 * entries] = low
        known[2 * entries + 1] = high
        this.#hashes[entries] = hash
        return entries
      }
      if (known[2 * code] === low && known[2 * code + 1] === high) return code
      slot = (slot + 1) & mask
    }
  }

  /**
   * Numbers texts `from` to `from + count`. Undefined if there are more than `limit` distinct ones or, unless `all` is set, if nearly all of
   * the first ones are distinct.
   */
  texts({ offsets, bytes }: Texts, from: number, count: number, limit: number, all = false): Numbered | undefined {
    this.#begin(count)
    const codes = this.#codes
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    let entries = 0
    let changes = 0
    let code = -1
    let beforeAt = 0
    let beforeLength = -1
    for (let i = from, put = 0; put < count; i++, put++) {
      const at = offsets[i]!
      const length = offsets[i + 1]! - at
      if (length !== beforeLength || !same(view, at, beforeAt, length)) {
        beforeAt = at
        beforeLength = length
        changes++
        const hash = hashText(view, at, length)
        const mask = (1 << this.#bits) - 1
        let slot = hash >>> (32 - this.#bits)
        for (;;) {
          code = this.#slots[slot]!
          if (code < 0) break
          if (this.#hashes[code] === hash) {
            const row = this.entries[code]!
            if (offsets[row + 1]! - offsets[row]! === length && same(view, at, offsets[row]!, length)) break
          }
          slot = (slot + 1) & mask
        }
        if (code < 0) {
          if (entries === limit || (!all && entries > 2048 && entries > put * 0.85)) return undefined
          code = entries++
          this.#slots[slot] = code
          this.entries[code] = i
          this.#hashes[code] = hash
          if (entries << 1 >= 1 << this.#bits) this.#grow(entries)
        }
      }
      codes[put] = code
    }
    return { codes, entries, changes }
  }
}

/** Random per thread, so that clients cannot construct values that all hash alike. */
const [lowSeed, highSeed] = randomFillSync(new Int32Array(2)) as unknown as readonly [number, number]

function hash64(low: number, high: number): number {
  const mixed = Math.imul(low ^ lowSeed ^ Math.imul(high ^ highSeed, 0x85ebca6b), 0x9e3779b1)
  return Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d)
}

function hashText(view: DataView, at: number, length: number): number {
  let hash = length ^ lowSeed
  let i = at
  const end = at + length
  for (; i + 4 <= end; i += 4) {
    hash = Math.imul(hash ^ view.getInt32(i, true), 0x9e3779b1)
    hash ^= hash >>> 15
  }
  for (; i < end; i++) hash = Math.imul(hash ^ view.getUint8(i), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  return hash ^ (hash >>> 13)
}

function same(view: DataView, a: number, b: number, length: number): boolean {
  let i = 0
  for (; i + 4 <= length; i += 4) if (view.getInt32(a + i, true) !== view.getInt32(b + i, true)) return false
  for (; i < length; i++) if (view.getUint8(a + i) !== view.getUint8(b + i)) return false
  return true
}

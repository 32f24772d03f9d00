// Hashes each row of a result to two 32-bit numbers, independent of the engine.
import { isValid, type ResultBatch, type ResultVector } from '../../model/batch.ts'

const [p, q, r] = [0x9e3779b1, 0x85ebca77, 0xc2b2ae3d] as const
const nullWord = 0x165667b1

/** Two words per row. */
export function hashRows({ rows, columns }: ResultBatch): Int32Array {
  const hashes = new Int32Array(rows * 2).fill(0x27d4eb2f)
  for (const column of columns) {
    if (ArrayBuffer.isView(column.values)) addFixed(hashes, rows, column)
    else for (let i = 0; i < rows; i++) addValue(hashes, i, isValid(column.valid, i) ? column.values[i] : null)
  }
  for (let i = 0; i < hashes.length; i++) hashes[i] = finish(hashes[i]!)
  return hashes
}

/** Hashes numbers by their bits, because the bits of a NaN may have a meaning. */
function addFixed(hashes: Int32Array, rows: number, { values, valid }: ResultVector): void {
  const array = values as Int32Array
  const words = array.BYTES_PER_ELEMENT / 4
  const bits = words < 1 ? array : new Int32Array(array.buffer, array.byteOffset, array.length * words)
  for (let i = 0; i < rows; i++) {
    if (!isValid(valid, i)) add(hashes, i, nullWord)
    else {
      add(hashes, i, words === 2 ? bits[i * 2]! : bits[i]!)
      if (words === 2) add(hashes, i, bits[i * 2 + 1]!)
    }
  }
}

function addValue(hashes: Int32Array, row: number, value: unknown): void {
  if (value === null || value === undefined) add(hashes, row, nullWord)
  else if (value instanceof Uint8Array) {
    add(hashes, row, value.length)
    for (const byte of value) add(hashes, row, byte)
  } else {
    const text = String(value)
    add(hashes, row, text.length)
    for (let i = 0; i < text.length; i++) add(hashes, row, text.charCodeAt(i))
  }
}

function add(hashes: Int32Array, row: number, word: number): void {
  const a = Math.imul(hashes[row * 2]! ^ word, p)
  const b = Math.imul(hashes[row * 2 + 1]! + word, q)
  hashes[row * 2] = ((a << 13) | (a >>> 19)) + b
  hashes[row * 2 + 1] = ((b << 15) | (b >>> 17)) ^ a
}

/** A final mix, so that sums of hashes depend on all bits. */
function finish(word: number): number {
  let mixed = Math.imul(word ^ (word >>> 15), r)
  mixed = Math.imul(mixed ^ (mixed >>> 13), q)
  return mixed ^ (mixed >>> 16)
}

/** A multiset of rows, by their hashes. */
export class RowBag {
  /** Three words per slot: two of the hash, and the count. */
  #slots = new Int32Array(1024 * 3)
  #used = 0

  put(hashes: Int32Array, row: number): void {
    if (this.#used * 6 > this.#slots.length) this.#grow()
    const slot = this.#find(hashes[row * 2]!, hashes[row * 2 + 1]!)
    if (this.#slots[slot + 2] === 0 && this.#slots[slot] === 0 && this.#slots[slot + 1] === 0) this.#used++
    this.#slots[slot] = hashes[row * 2]!
    this.#slots[slot + 1] = hashes[row * 2 + 1]!
    this.#slots[slot + 2]!++
  }

  /** Removes one such row; false if there is none. */
  take(hashes: Int32Array, row: number): boolean {
    const slot = this.#find(hashes[row * 2]!, hashes[row * 2 + 1]!)
    // The slot stays with count 0, so that later entries of the chain are still found.
    if (this.#slots[slot + 2]! <= 0) return false
    this.#slots[slot + 2]!--
    return true
  }

  /** The slot of a hash, or the free slot for it. */
  #find(a: number, b: number): number {
    const slots = this.#slots
    const last = slots.length / 3 - 1
    for (let i = a & last; ; i = (i + 1) & last) {
      const slot = i * 3
      const isFree = slots[slot + 2] === 0 && slots[slot] === 0 && slots[slot + 1] === 0
      if (isFree || (slots[slot] === a && slots[slot + 1] === b)) return slot
    }
  }

  #grow(): void {
    const before = this.#slots
    this.#slots = new Int32Array(before.length * 2)
    this.#used = 0
    for (let at = 0; at < before.length; at += 3) {
      if (before[at + 2]! <= 0) continue
      const slot = this.#find(before[at]!, before[at + 1]!)
      this.#slots.set(before.subarray(at, at + 3), slot)
      this.#used++
    }
  }
}

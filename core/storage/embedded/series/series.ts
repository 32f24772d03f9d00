// The series registry of one table: tag values ↔ a dense 32-bit number, assigned at first sight and never changed.
import { free } from '../../../workers/free.ts'
import { HashSlots } from '../../hash-slots.ts'
import { noSeries, type SeriesRun } from '../log/record.ts'
import type { SeriesKeyWriter } from './series-key.ts'
import { SeriesOrder } from './series-order.ts'

/** The series without tag values; it has the rows from before a table had tags. Always known, never stored. */
export const noTags = 0

/** Before owners are asked for. */
const noOwners = new Uint32Array(new SharedArrayBuffer(0))

/** Canonical bytes of a series: for each tag with a value, ascending by column id: id (u16), length (u32), UTF-8 bytes. */
export class SeriesRegistry {
  /** The order in which their rows came. */
  readonly order = new SeriesOrder()
  readonly #slots = new HashSlots()
  #starts = new Float64Array(5)
  #keys: Uint8Array = new Uint8Array(64)
  #view = new DataView(this.#keys.buffer)
  #count = 0
  /** Owners read from the keys so far; the series without tags has none. */
  #owners = noOwners
  #owned = 1

  constructor() {
    this.add(new Uint8Array(), 0, 0)
  }

  get size(): number {
    return this.#count
  }

  /** The number of a series, or undefined if it is new. */
  find(key: Uint8Array, start: number, end: number): number | undefined {
    let tsid = this.#slots.find(hashOf(key, start, end))
    while (tsid >= 0 && !this.#equals(tsid, key, start, end)) tsid = this.#slots.next()
    return tsid < 0 ? undefined : tsid
  }

  /** Assigns the next number to a new series. */
  add(key: Uint8Array, start: number, end: number): number {
    const tsid = this.#count++
    this.#grow(end - start)
    const keys = this.#keys
    const at = this.#starts[tsid]!
    for (let i = start; i < end; i++) keys[at + i - start] = key[i]!
    this.#starts[tsid + 1] = at + end - start
    this.#slots.add(hashOf(key, start, end), tsid)
    return tsid
  }

  /** Restores a series from disk or log. Numbers must come without gaps; known ones are skipped. */
  restore(tsid: number, key: Uint8Array): void {
    if (tsid === noTags) throw new Error('series 0 is the one without tags: another version wrote this')
    if (tsid < this.#count) return
    if (tsid > this.#count) throw new Error(`series ${tsid} restored before series ${this.#count}`)
    this.add(key, 0, key.length)
  }

  /** Keys of the series in `[from, to)`, copied into one buffer. */
  keys(from: number, to: number): Uint8Array[] {
    const starts = this.#starts
    const first = starts[from]!
    const { buffer } = this.#keys.slice(first, starts[to]!)
    return Array.from({ length: to - from }, (_, i) => {
      const start = starts[from + i]!
      return new Uint8Array(buffer, start - first, starts[from + i + 1]! - start)
    })
  }

  /** The series from a number on. */
  run(from: number): SeriesRun {
    const count = this.#count - from
    if (count <= 0) return noSeries
    const starts = this.#starts
    const lengths = new Uint32Array(count)
    for (let i = 0; i < count; i++) lengths[i] = starts[from + i + 1]! - starts[from + i]!
    return { first: from, lengths, keys: this.#keys.slice(starts[from]!, starts[this.#count]!) }
  }

  /** The logical table of every series of a physical table, which each key begins with. In shared memory. */
  owners(): Uint32Array<SharedArrayBuffer> {
    if (this.#owners.length < this.#count) {
      const grown = new Uint32Array(new SharedArrayBuffer(4 * Math.max(this.#count, 2 * this.#owners.length)))
      grown.set(this.#owners)
      this.#owners = grown
    }
    for (; this.#owned < this.#count; this.#owned++) {
      this.#owners[this.#owned] = this.#view.getUint32(this.#starts[this.#owned]! + 6, true)
    }
    return this.#owners.subarray(0, this.#count)
  }

  key(tsid: number): Uint8Array {
    return this.#keys.slice(this.#starts[tsid]!, this.#starts[tsid + 1]!)
  }

  /** Whether a row belongs to the series. */
  is(tsid: number, keys: SeriesKeyWriter, row: number): boolean {
    return tsid < this.#count && keys.equals(row, this.#view, this.#starts[tsid]!, this.#starts[tsid + 1]!)
  }

  #equals(tsid: number, key: Uint8Array, start: number, end: number): boolean {
    const at = this.#starts[tsid]!
    const length = end - start
    if (this.#starts[tsid + 1]! - at !== length) return false
    for (let i = 0; i < length; i++) if (this.#keys[at + i] !== key[start + i]) return false
    return true
  }

  #grow(bytes: number): void {
    const used = this.#starts[this.#count - 1]!
    if (used + bytes > this.#keys.length) {
      const keys = new Uint8Array(Math.max(this.#keys.length * 2, used + bytes))
      keys.set(this.#keys)
      free(this.#keys)
      this.#keys = keys
      this.#view = new DataView(keys.buffer)
    }
    if (this.#count < this.#starts.length) return
    const starts = new Float64Array(this.#starts.length * 2)
    starts.set(this.#starts)
    free(this.#starts)
    this.#starts = starts
  }
}

/** Invertible steps of four bytes, and a final mix. */
function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0x811c9dc5 ^ (end - start)
  let i = start
  for (; i + 4 <= end; i += 4) {
    const word = bytes[i]! | (bytes[i + 1]! << 8) | (bytes[i + 2]! << 16) | (bytes[i + 3]! << 24)
    const mixed = Math.imul(hash ^ word, 0x9e3779b1)
    hash = mixed ^ (mixed >>> 15)
  }
  for (; i < end; i++) hash = Math.imul(hash ^ bytes[i]!, 0x01000193)
  hash ^= hash >>> 15
  return Math.imul(hash, 0x2c1b3c6d) >>> 0
}

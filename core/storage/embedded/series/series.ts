// The series registry of one table: tag values ↔ a dense 32-bit number, assigned at first sight and never changed.
import { HashSlots } from '../../hash-slots.ts'
import { noSeries, type SeriesRun } from '../log/record.ts'
import { hashBytes } from './hash-bytes.ts'
import { type KeyBlock, KeyStore } from './key-store.ts'
import { entryHeadBytes, type SeriesKeyWriter } from './series-key.ts'
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
  readonly #keys = new KeyStore()
  /** Owners read from the keys so far; the series without tags has none. */
  #owners = noOwners
  #owned = 1

  constructor() {
    this.add(new Uint8Array(), 0, 0)
  }

  get size(): number {
    return this.#keys.size
  }

  /** The number of a series, or undefined if it is new. */
  find(key: Uint8Array, start: number, end: number): number | undefined {
    let tsid = this.#slots.find(hashBytes(key, start, end))
    while (tsid >= 0 && !this.#keys.equals(tsid, key, start, end)) tsid = this.#slots.next()
    return tsid < 0 ? undefined : tsid
  }

  /** Assigns the next number to a new series. */
  add(key: Uint8Array, start: number, end: number): number {
    const tsid = this.#keys.size
    this.#keys.add(key, start, end)
    this.#slots.add(hashBytes(key, start, end), tsid)
    return tsid
  }

  /** Restores a series from disk or log. Numbers must come without gaps; known ones are skipped. */
  restore(tsid: number, key: Uint8Array): void {
    if (tsid === noTags) throw new Error('series 0 is the one without tags: another version wrote this')
    if (tsid < this.size) return
    if (tsid > this.size) throw new Error(`series ${tsid} restored before series ${this.size}`)
    this.add(key, 0, key.length)
  }

  /** Keys of the series in `[from, to)`, copied into one buffer. */
  keys(from: number, to: number): Uint8Array[] {
    const { keys, lengths } = this.#keys.copy(from, to)
    let at = 0
    return Array.from(lengths, length => {
      at += length
      return keys.subarray(at - length, at)
    })
  }

  /** The series from a number on. */
  run(from: number): SeriesRun {
    return from < this.size ? { first: from, ...this.#keys.copy(from, this.size) } : noSeries
  }

  /** The logical table of every series of a physical table, which each key begins with. In shared memory. */
  owners(): Uint32Array<SharedArrayBuffer> {
    const keys = this.#keys
    const { size } = keys
    if (this.#owners.length < size) {
      const grown = new Uint32Array(new SharedArrayBuffer(4 * Math.max(size, 2 * this.#owners.length)))
      grown.set(this.#owners)
      this.#owners = grown
    }
    for (; this.#owned < size; this.#owned++) {
      this.#owners[this.#owned] = keys
        .block(this.#owned)
        .view.getUint32(keys.offset(this.#owned) + entryHeadBytes, true)
    }
    return this.#owners.subarray(0, size)
  }

  /** The memory that the key of a series lies in: `keyLength` bytes from `keyOffset` on. */
  keyBlock(tsid: number): KeyBlock {
    return this.#keys.block(tsid)
  }

  keyOffset(tsid: number): number {
    return this.#keys.offset(tsid)
  }

  keyLength(tsid: number): number {
    return this.#keys.length(tsid)
  }

  /** Whether a row belongs to the series. */
  is(tsid: number, keys: SeriesKeyWriter, row: number): boolean {
    if (tsid >= this.size) return false
    const start = this.#keys.offset(tsid)
    return keys.equals(row, this.#keys.block(tsid).view, start, start + this.#keys.length(tsid))
  }
}

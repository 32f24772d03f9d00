// From the keys of series, as a protocol writes them, to the numbers the registry gave them.
import type { SeriesKeys } from '../../../model/series.ts'
import { KeyHash } from './key-hash.ts'

/** Words of an entry: four of the hash, the series number, the place and one; 0 there is free. */
const words = 6

/** Place and number of the series of some keys. */
export interface FoundKeys {
  readonly places: Uint16Array
  readonly tsids: Uint32Array
}

export class KeyIndex {
  readonly #hash = new KeyHash()
  #entries = new Int32Array(1024 * words)
  #count = 0

  get size(): number {
    return this.#count
  }

  /** Fills in what is known of the keys; returns the others. */
  find(keys: SeriesKeys, found: FoundKeys): number[] {
    const { bytes, starts, ends, count } = keys
    const { places, tsids } = found
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const unknown: number[] = []
    for (let i = 0; i < count; i++) {
      this.#hash.of(view, starts[i]!, ends[i]!)
      const at = this.#seek()
      const place = this.#entries[at + 5]!
      if (place === 0) unknown.push(i)
      else {
        places[i] = place - 1
        tsids[i] = this.#entries[at + 4]!
      }
    }
    return unknown
  }

  /** Keeps what a key stands for; `view` is of the bytes of the keys. */
  add({ starts, ends }: SeriesKeys, view: DataView, i: number, place: number, tsid: number): void {
    if ((this.#count + 1) * words * 2 > this.#entries.length) this.#grow()
    this.#hash.of(view, starts[i]!, ends[i]!)
    const at = this.#seek()
    if (this.#entries[at + 5] === 0) this.#count++
    const entries = this.#entries
    entries[at] = this.#hash.a
    entries[at + 1] = this.#hash.b
    entries[at + 2] = this.#hash.c
    entries[at + 3] = this.#hash.d
    entries[at + 4] = tsid
    entries[at + 5] = place + 1
  }

  /** Where the entry of the last hash is, or would be. */
  #seek(): number {
    const entries = this.#entries
    const { a, b, c, d } = this.#hash
    const slots = entries.length / words
    for (let slot = a & (slots - 1); ; slot = (slot + 1) & (slots - 1)) {
      const at = slot * words
      if (entries[at + 5] === 0) return at
      if (entries[at] === a && entries[at + 1] === b && entries[at + 2] === c && entries[at + 3] === d) return at
    }
  }

  #grow(): void {
    const old = this.#entries
    const entries = new Int32Array(old.length * 2)
    const slots = entries.length / words
    for (let from = 0; from < old.length; from += words) {
      if (old[from + 5] === 0) continue
      let slot = old[from]! & (slots - 1)
      while (entries[slot * words + 5] !== 0) slot = (slot + 1) & (slots - 1)
      entries.set(old.subarray(from, from + words), slot * words)
    }
    this.#entries = entries
  }
}

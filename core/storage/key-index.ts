// An index from the keys of series, as protocols write them, to series numbers.
import type { SeriesKeys } from '../model/series.ts'
import { KeyHash } from '../model/series-hash.ts'
import type { Steps } from '../pace.ts'
import { free } from '../workers/free.ts'
import { HashSlots } from './hash-slots.ts'

/** Four words mixed into the hash, so that equal keys of different scopes differ. */
export type KeySalt = Readonly<Int32Array>

/** Words of an entry: four of the hash, the series number, the target, the entry that came after it last time, and one unused. */
const words = 8
const tsidWord = 4
const targetWord = 5
const nextWord = 6
/** Shift from entries to blocks, and entries of a block; the first one begins with fewer. */
const blockShift = 15
const blockEntries = 1 << blockShift
const firstEntries = 1024
/** Keys looked up in one step. */
const stepKeys = 4_096

/** Series numbers of keys, and the targets they belong to. */
interface FoundKeys {
  readonly targets: Uint32Array
  readonly tsids: Uint32Array
}

/**
 * Entries lie in the order in which keys came first. Senders repeat that order, so the entry after the previous one is tried before the hash table.
 */
export class KeyIndex {
  readonly #hash = new KeyHash()
  /** In blocks, so that growing copies none but the first. */
  readonly #blocks = [new Int32Array(firstEntries * words)]
  readonly #slots = new HashSlots()
  #count = 0

  get size(): number {
    return this.#count
  }

  /** Fills in the entries of known keys and returns the indexes of the others. */
  *find(keys: SeriesKeys, found: FoundKeys, salt?: KeySalt): Steps<number[]> {
    const { bytes, count } = keys
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const unknown: number[] = []
    let before = -1
    for (let i = 0; i < count; i += stepKeys) {
      if (i > 0) yield
      before = this.#findSome(keys, view, i, Math.min(count, i + stepKeys), before, found, unknown, salt)
    }
    return unknown
  }

  /** Looks up the keys from one index to another. `before` is the entry of the key before them, -1 for none. Returns the entry of the last key. */
  #findSome(
    keys: SeriesKeys,
    view: DataView,
    from: number,
    to: number,
    first: number,
    { targets, tsids }: FoundKeys,
    unknown: number[],
    salt: KeySalt | undefined
  ): number {
    const blocks = this.#blocks
    let before = first
    for (let i = from; i < to; i++) {
      this.#take(keys, view, i, salt)
      let entry = before < 0 ? 0 : blocks[before >>> blockShift]![placeOf(before) + nextWord]!
      if (!this.#is(entry)) {
        entry = this.#seek()
        if (entry < 0) {
          unknown.push(i)
          before = -1
          continue
        }
        if (before >= 0) blocks[before >>> blockShift]![placeOf(before) + nextWord] = entry
      }
      const block = blocks[entry >>> blockShift]!
      const at = placeOf(entry)
      targets[i] = block[at + targetWord]!
      tsids[i] = block[at + tsidWord]!
      before = entry
    }
    return before
  }

  /** Adds an entry for a key; `view` covers the bytes of the keys. */
  add(keys: SeriesKeys, view: DataView, i: number, target: number, tsid: number, salt?: KeySalt): void {
    this.#take(keys, view, i, salt)
    let entry = this.#seek()
    if (entry < 0) entry = this.#append()
    const block = this.#blocks[entry >>> blockShift]!
    block[placeOf(entry) + tsidWord] = tsid
    block[placeOf(entry) + targetWord] = target
  }

  /** Computes the hash of a key, or takes the one that came with it. */
  #take({ starts, ends, hashes }: SeriesKeys, view: DataView, i: number, salt: KeySalt | undefined): void {
    const hash = this.#hash
    if (hashes === undefined) hash.of(view, starts[i]!, ends[i]!)
    else hash.take(hashes, i)
    if (salt !== undefined) hash.mix(salt)
  }

  /** Whether the entry has the current hash. */
  #is(entry: number): boolean {
    if (entry >= this.#count) return false
    const { a, b, c, d } = this.#hash
    const block = this.#blocks[entry >>> blockShift]!
    const at = placeOf(entry)
    return block[at] === a && block[at + 1] === b && block[at + 2] === c && block[at + 3] === d
  }

  /** The entry with the current hash, or -1. */
  #seek(): number {
    let entry = this.#slots.find(this.#hash.a)
    while (entry >= 0 && !this.#is(entry)) entry = this.#slots.next()
    return entry
  }

  /** Adds an entry with the current hash. */
  #append(): number {
    const entry = this.#count++
    const block = this.#blockFor(entry)
    const { a, b, c, d } = this.#hash
    const at = placeOf(entry)
    block[at] = a
    block[at + 1] = b
    block[at + 2] = c
    block[at + 3] = d
    block[at + nextWord] = entry + 1
    this.#slots.add(a, entry)
    return entry
  }

  /** The block of a new entry. */
  #blockFor(entry: number): Int32Array {
    const number = entry >>> blockShift
    const block = this.#blocks[number]
    if (block !== undefined && placeOf(entry) < block.length) return block
    const made = new Int32Array(block === undefined ? blockEntries * words : block.length * 2)
    if (block !== undefined) {
      made.set(block)
      free(block)
    }
    this.#blocks[number] = made
    return made
  }
}

/** Where an entry begins in its block. */
function placeOf(entry: number): number {
  return (entry & (blockEntries - 1)) * words
}

/** Scopes that are kept; the one added first is forgotten first. */
const maxScopes = 64

/** An index for each scope; within a scope, keys of the same bytes mean the same series. */
export class KeyIndexes {
  readonly #byScope = new Map<string, KeyIndex>()

  of(scope: string): KeyIndex {
    let index = this.#byScope.get(scope)
    if (index === undefined) {
      const [oldest] = this.#byScope.keys()
      if (this.#byScope.size >= maxScopes) this.#byScope.delete(oldest!)
      index = new KeyIndex()
      this.#byScope.set(scope, index)
    }
    return index
  }

  forget(scope: string): void {
    this.#byScope.delete(scope)
  }

  clear(): void {
    this.#byScope.clear()
  }
}

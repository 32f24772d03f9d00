// The keys of a series registry. They lie in blocks, so that the next one costs no copy of all others, neither time nor memory.
import { free } from '../../../workers/free.ts'

/** Bytes of a block; the first one begins small, because every table with tags has one. */
const blockBytes = 1 << 20
const firstBytes = 64
/** Keys begin at multiples of four bytes. */
const word = 4
const blockWords = blockBytes / word
/** Shift from words to blocks. */
const blockShift = Math.log2(blockWords)

export interface KeyBlock {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** The same memory. */
  readonly view: DataView
}

/** Appended keys by number, from 0; at most 16 GiB of them. */
export class KeyStore {
  /** A key that is longer than a block has one of its own, and the places of as many as it would fill. */
  readonly #blocks: KeyBlock[] = [newBlock(firstBytes)]
  /** By number: the word a key begins at, and its bytes. */
  #starts = new Uint32Array(4)
  #lengths = new Uint32Array(4)
  #count = 0
  /** The word behind the last key. */
  #end = 0

  get size(): number {
    return this.#count
  }

  /** Appends `key[start … end]`. Throws RangeError when the keys are too long together. */
  add(key: Uint8Array, start: number, end: number): void {
    const length = end - start
    const at = this.#place(length)
    if (at + Math.ceil(length / word) > 0xffffffff) throw new RangeError('the tags of a table take more than 16 GiB')
    if (this.#count === this.#starts.length) {
      this.#starts = doubled(this.#starts)
      this.#lengths = doubled(this.#lengths)
    }
    this.#starts[this.#count] = at
    this.#lengths[this.#count++] = length
    this.#end = at + Math.ceil(length / word)
    const { bytes } = this.#blocks[at >>> blockShift]!
    const offset = (at & (blockWords - 1)) * word
    for (let i = 0; i < length; i++) bytes[offset + i] = key[start + i]!
  }

  /** Bytes of a key. */
  length(number: number): number {
    return this.#lengths[number]!
  }

  /** The memory that a key lies in, from `offset` on. */
  block(number: number): KeyBlock {
    return this.#blocks[this.#starts[number]! >>> blockShift]!
  }

  offset(number: number): number {
    return (this.#starts[number]! & (blockWords - 1)) * word
  }

  equals(number: number, key: Uint8Array, start: number, end: number): boolean {
    const length = this.length(number)
    if (end - start !== length) return false
    const { bytes } = this.block(number)
    const offset = this.offset(number)
    for (let i = 0; i < length; i++) if (bytes[offset + i] !== key[start + i]) return false
    return true
  }

  /** The keys in `[from, to)`, one behind the other, and the bytes of each. A copy. */
  copy(from: number, to: number): { readonly keys: Uint8Array<ArrayBuffer>; readonly lengths: Uint32Array } {
    const lengths = this.#lengths.slice(from, to)
    const keys = new Uint8Array(lengths.reduce((sum, length) => sum + length, 0))
    for (let number = from, at = 0; number < to; number++) {
      const { bytes } = this.block(number)
      const offset = this.offset(number)
      const length = this.#lengths[number]!
      for (let i = 0; i < length; i++) keys[at + i] = bytes[offset + i]!
      at += length
    }
    return { keys, lengths }
  }

  /** The word at which the next key of so many bytes begins, with memory for it. */
  #place(length: number): number {
    const used = (this.#end % blockWords) * word
    const last = this.#blocks.length - 1
    const isFull = this.#end === this.#blocks.length * blockWords
    if (!isFull && used + length <= blockBytes) {
      // The first block begins small, and one behind a long key empty.
      const { bytes } = this.#blocks[last]!
      if (used + length > bytes.length) this.#blocks[last] = grownTo(bytes, Math.min(blockBytes, 2 * (used + length)))
      return this.#end
    }
    const next = this.#end === 0 ? 0 : this.#blocks.length
    this.#blocks[next] = newBlock(Math.max(length, blockBytes))
    for (let more = blockBytes; more < length; more += blockBytes) this.#blocks.push(newBlock(0))
    return next * blockWords
  }
}

function newBlock(length: number): KeyBlock {
  const bytes = new Uint8Array(length)
  return { bytes, view: new DataView(bytes.buffer) }
}

function grownTo(bytes: Uint8Array, length: number): KeyBlock {
  const block = newBlock(length)
  block.bytes.set(bytes)
  free(bytes)
  return block
}

function doubled(numbers: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const grown = new Uint32Array(numbers.length * 2)
  grown.set(numbers)
  free(numbers)
  return grown
}

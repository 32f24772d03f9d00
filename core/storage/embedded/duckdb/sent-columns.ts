// Converts DuckDB's result chunks to columns that a query process sends: texts stay bytes, numbers are copied once.
import { type DuckDBDataChunk, type DuckDBType, DuckDBTypeId as Id } from '@duckdb/node-api'
import bindings from '@duckdb/node-bindings'
import { isValid, type ResultColumn } from '../../../model/batch.ts'
import { type SentColumn, type SentTexts, textBytes } from '../sql/batch-frame.ts'
import { readVector } from './result.ts'

const inlined = 12
/** Texts this close to each other are read together. The gap is shorter than a page, so it is readable. */
const gap = 64
/** Bytes read at once, unless a single text is longer. */
const maxRun = 1 << 20

export function sentColumns(
  chunk: DuckDBDataChunk,
  types: readonly DuckDBType[],
  columns: readonly ResultColumn[]
): SentColumn[] {
  const rows = chunk.rowCount
  return types.map((type, c) => {
    if (type.typeId === Id.VARCHAR) {
      const vector = bindings.data_chunk_get_vector(chunk.chunk, c)
      const valid = bindings.vector_get_validity(vector, Math.ceil(rows / 64) * 8)?.slice()
      const structures = bindings.vector_get_data(vector, rows * textBytes).slice().buffer
      return { kind: 'text', texts: new PointedTexts(structures as ArrayBuffer, valid), valid }
    }
    const { values, valid } = readVector(chunk, c, type, rows, columns[c]!.type)
    return isFixed(values) ? { kind: 'fixed', values, valid } : { kind: 'values', values }
  })
}

function isFixed<T extends ArrayBufferView>(values: T | readonly unknown[]): values is T {
  return ArrayBuffer.isView(values)
}

/** Texts that are in DuckDB's memory. */
class PointedTexts implements SentTexts {
  readonly #structures: ArrayBuffer
  readonly #words: Uint32Array
  readonly #valid: Uint8Array | undefined

  constructor(structures: ArrayBuffer, valid: Uint8Array | undefined) {
    this.#structures = structures
    this.#words = new Uint32Array(structures)
    this.#valid = valid
  }

  heapBytes(from: number, to: number): number {
    const words = this.#words
    let bytes = 0
    let last = -1
    for (let i = from; i < to; i++) {
      const length = words[i * 4]!
      if (length <= inlined || !isValid(this.#valid, i)) continue
      if (last < 0 || !this.#same(last, i)) bytes += length
      last = i
    }
    return bytes
  }

  copy(from: number, to: number, structures: Uint32Array, heap: Uint8Array): void {
    const words = this.#words
    structures.set(words.subarray(from * 4, to * 4))
    const run = new Run(this.#structures, words, heap)
    let at = 0
    let last = -1
    for (let i = from; i < to; i++) {
      const length = words[i * 4]!
      if (length <= inlined || !isValid(this.#valid, i)) continue
      if (last < 0 || !this.#same(last, i)) {
        run.add(i, at)
        at += length
      }
      last = i
      const structure = (i - from) * 4
      structures[structure + 2] = at - length
      structures[structure + 3] = 0
    }
    run.copy()
  }

  /** Whether two rows point to the same text. */
  #same(a: number, b: number): boolean {
    const words = this.#words
    return (
      words[a * 4] === words[b * 4] && words[a * 4 + 2] === words[b * 4 + 2] && words[a * 4 + 3] === words[b * 4 + 3]
    )
  }
}

/** Adjacent texts, read by one call. */
class Run {
  readonly #structures: ArrayBuffer
  readonly #words: Uint32Array
  readonly #heap: Uint8Array
  readonly #rows: number[] = []
  readonly #starts: number[] = []
  /** The target of the first one; the others follow without gaps. */
  #at = 0
  #end = 0
  #bytes = 0

  constructor(structures: ArrayBuffer, words: Uint32Array, heap: Uint8Array) {
    this.#structures = structures
    this.#words = words
    this.#heap = heap
  }

  add(row: number, at: number): void {
    const length = this.#words[row * 4]!
    const start = this.#words[row * 4 + 2]! + this.#words[row * 4 + 3]! * 2 ** 32
    if (start < this.#end || start > this.#end + gap || this.#bytes > maxRun) this.copy()
    if (this.#rows.length === 0) this.#at = at
    this.#rows.push(row)
    this.#starts.push(start)
    this.#end = start + length
    this.#bytes += length
  }

  copy(): void {
    const first = this.#rows[0]
    if (first === undefined) return
    const base = this.#starts[0]!
    const memory = bindings.get_data_from_pointer(this.#structures, first * textBytes + 8, this.#end - base)
    if (memory.length === this.#bytes) this.#heap.set(memory, this.#at)
    else {
      let at = this.#at
      this.#rows.forEach((row, i) => {
        const from = this.#starts[i]! - base
        const length = this.#words[row * 4]!
        this.#heap.set(memory.subarray(from, from + length), at)
        at += length
      })
    }
    this.#rows.length = 0
    this.#starts.length = 0
    this.#end = 0
    this.#bytes = 0
  }
}

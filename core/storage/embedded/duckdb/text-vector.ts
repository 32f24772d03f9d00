// Reads text columns of DuckDB's result chunks as strings, with as few library calls and decodings as possible.
import { constants, isAscii } from 'node:buffer'
import bindings from '@duckdb/node-bindings'
import { DbError } from '../../../errors.ts'
import { isValid } from '../../../model/batch.ts'

/** Bytes of DuckDB's string structure: length, then up to twelve bytes, or four of them and a pointer. */
export const textBytes = 16
const inlined = 12
/** Texts this close to each other are read together. The gap is shorter than a page, so it is readable. */
const gap = 64
/** Bytes read at once, unless a single text is longer. */
const maxRunBytes = 1 << 20
/** Bytes of a text that certainly fit a string. */
const maxTextLength = constants.MAX_STRING_LENGTH

/** The texts of the first `rows` structures in `data`; null for nulls. */
export function readTexts(data: Uint8Array, rows: number, valid: Uint8Array | undefined): (string | null)[] {
  const bytes = Buffer.from(data.slice(0, rows * textBytes).buffer)
  const words = new Uint32Array(bytes.buffer, 0, rows * 4)
  const texts = new Array<string | null>(rows).fill(null)
  const chars = bytes.toString('latin1', 0, bytes.length)
  const runs = new RunReader(bytes, words, texts)
  for (let i = 0; i < rows; i++) {
    if (!isValid(valid, i)) continue
    const length = words[i * 4]!
    if (length > inlined) runs.add(i, length)
    else {
      const from = i * textBytes + 4
      const plain = ((words[i * 4 + 1]! | words[i * 4 + 2]! | words[i * 4 + 3]!) & 0x80808080) === 0
      texts[i] = plain ? chars.slice(from, from + length) : bytes.toString('utf8', from, from + length)
    }
  }
  runs.read()
  return texts
}

/** Collects texts behind pointers while they are adjacent. */
class RunReader {
  private readonly bytes: Buffer
  private readonly words: Uint32Array
  private readonly texts: (string | null)[]
  /** Rows of the run, and the positions of their texts. */
  private readonly rows: number[] = []
  private readonly starts: number[] = []
  private end = 0
  /** Texts that were read alone, by pointer, because repeated texts have the same pointer. */
  private readonly known = new Map<number, { readonly length: number; readonly text: string }>()

  constructor(bytes: Buffer, words: Uint32Array, texts: (string | null)[]) {
    this.bytes = bytes
    this.words = words
    this.texts = texts
  }

  add(row: number, length: number): void {
    if (length > maxTextLength) {
      throw new DbError(
        'PlanQuery',
        `a text of ${length} bytes is too long for a result, at most ${maxTextLength} are possible`
      )
    }
    const start = this.words[row * 4 + 2]! + this.words[row * 4 + 3]! * 2 ** 32
    const repeated = start === this.starts.at(-1)
    const long = this.end - (this.starts[0] ?? 0) > maxRunBytes
    if (!repeated && (long || start < this.end || start > this.end + gap)) this.read()
    this.rows.push(row)
    this.starts.push(start)
    if (!repeated || start + length > this.end) this.end = start + length
  }

  read(): void {
    const [first] = this.rows
    const base = this.starts[0]
    if (first === undefined || base === undefined) return
    if (this.rows.length === 1) this.texts[first] = this.readOne(first, base)
    else this.readRun(first, base)
    this.rows.length = 0
    this.starts.length = 0
    this.end = 0
  }

  private readOne(row: number, start: number): string {
    const length = this.words[row * 4]!
    const known = this.known.get(start)
    if (known?.length === length) return known.text
    const text = this.fetch(row, length).toString('utf8', 0, length)
    this.known.set(start, { length, text })
    return text
  }

  private readRun(first: number, base: number): void {
    const memory = this.fetch(first, this.end - base)
    const chars = isAscii(memory) ? memory.toString('latin1', 0, memory.length) : undefined
    let last = { from: -1, length: -1, text: '' }
    this.rows.forEach((row, i) => {
      const from = this.starts[i]! - base
      const length = this.words[row * 4]!
      if (from !== last.from || length !== last.length) {
        const end = from + length
        const text = chars === undefined ? memory.toString('utf8', from, end) : chars.slice(from, end)
        last = { from, length, text }
      }
      this.texts[row] = last.text
    })
  }

  /** Reads the bytes behind a row's pointer. */
  private fetch(row: number, length: number): Buffer {
    const { buffer } = this.bytes
    const bytes = bindings.get_data_from_pointer(buffer as ArrayBuffer, row * textBytes + 8, length)
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  }
}

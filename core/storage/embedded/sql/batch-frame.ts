// Encodes rows of a result as bytes: numbers as they are in memory, texts as DuckDB's string structures, other values serialised by V8.
import { isAscii } from 'node:buffer'
import { deserialize, serialize } from 'node:v8'
import { type FixedData, isValid, type ResultBatch, type ResultVector, setBit } from '../../../model/batch.ts'
import { headerBytes } from './frames.ts'

/*
 * Payload: rows, columns (32 bits each); for each column its descriptor: representation, offset of the validity bitmap (0: all rows have
 * a value), offset and length of the data, offset and length of what texts point to (32 bits each). Then the areas these mean, each at
 * a multiple of eight bytes.
 */
const descriptorWords = 6

/** Representations from 2 on are numbers: the array's index in this list plus 2. */
const textColumn = 0
const serializedColumn = 1
const arrays = [
  Uint8Array,
  Int8Array,
  Int16Array,
  Int32Array,
  BigInt64Array,
  Uint16Array,
  Uint32Array,
  BigUint64Array,
  Float32Array,
  Float64Array
] as const
type FixedArray = FixedData['values']

/** Bytes of DuckDB's structure of one text: length, then either up to twelve bytes or four of them and a pointer. */
export const textBytes = 16
const inlined = 12

/** A column to be sent. */
export type SentColumn =
  | { readonly kind: 'fixed'; readonly values: FixedArray; readonly valid: Uint8Array | undefined }
  | { readonly kind: 'text'; readonly texts: SentTexts; readonly valid: Uint8Array | undefined }
  | { readonly kind: 'values'; readonly values: readonly unknown[] }

/** Texts as structures, and the bytes they point to. */
export interface SentTexts {
  /** Bytes behind the pointers of some rows' texts. */
  heapBytes(from: number, to: number): number
  /** Copies them to `heap`; the structures go to `structures`, with offsets into `heap` instead of pointers. */
  copy(from: number, to: number, structures: Uint32Array, heap: Uint8Array): void
}

/**
 * Frames with the rows: space for the header, then the payload; split if they are too large for one. Throws the error of `refuse` for a row
 * of more than `maxRow` bytes.
 */
export function* encodeBatches(
  rows: number,
  columns: readonly SentColumn[],
  limits: { readonly maxFrame: number; readonly maxRow: number },
  refuse: (bytes: number) => Error
): Generator<Buffer> {
  const ranges: [number, number][] = [[0, rows]]
  for (let range = ranges.pop(); range !== undefined; range = ranges.pop()) {
    const [from, to] = range
    const planned = plan(columns, from, to)
    if (planned.bytes > limits.maxFrame && to - from > 1) {
      const pieces = Math.min(to - from, Math.ceil(planned.bytes / limits.maxFrame))
      const max = Math.ceil((to - from) / pieces)
      // Pushed in reverse order, because the list is a stack.
      for (let piece = pieces - 1; piece >= 0; piece--) {
        const start = from + piece * max
        if (start < to) ranges.push([start, Math.min(to, start + max)])
      }
    } else if (planned.bytes > limits.maxRow) throw refuse(planned.bytes)
    else yield encode(columns, planned, from, to)
  }
}

interface Plan {
  readonly bytes: number
  /** Bytes behind the pointers, per column. */
  readonly heaps: readonly number[]
  readonly serialized: readonly (Buffer | undefined)[]
}

function plan(columns: readonly SentColumn[], from: number, to: number): Plan {
  const rows = to - from
  const heaps: number[] = []
  const serialized: (Buffer | undefined)[] = []
  let bytes = aligned(8 + columns.length * descriptorWords * 4)
  for (const column of columns) {
    const heap = column.kind === 'text' ? column.texts.heapBytes(from, to) : 0
    const values = column.kind === 'values' ? serialize(column.values.slice(from, to)) : undefined
    heaps.push(heap)
    serialized.push(values)
    if (column.kind !== 'values' && column.valid !== undefined) bytes += aligned((rows + 7) >> 3)
    bytes += aligned(values?.length ?? rows * width(column)) + aligned(heap)
  }
  return { bytes, heaps, serialized }
}

function width(column: SentColumn): number {
  return column.kind === 'fixed' ? column.values.BYTES_PER_ELEMENT : textBytes
}

function encode(columns: readonly SentColumn[], { bytes, heaps, serialized }: Plan, from: number, to: number): Buffer {
  const rows = to - from
  const frame = Buffer.allocUnsafeSlow(headerBytes + bytes)
  const { buffer } = frame
  const head = new Uint32Array(buffer, headerBytes, 2 + columns.length * descriptorWords)
  head[0] = rows
  head[1] = columns.length
  let at = aligned(head.byteLength)
  const area = (length: number) => {
    const start = at
    at += aligned(length)
    return start
  }
  columns.forEach((column, c) => {
    const valid = column.kind === 'values' ? undefined : column.valid
    let validAt = 0
    if (valid !== undefined) {
      validAt = area((rows + 7) >> 3)
      copyBits(valid, from, new Uint8Array(buffer, headerBytes + validAt, (rows + 7) >> 3), rows)
    }
    const length = serialized[c]?.length ?? rows * width(column)
    const dataAt = area(length)
    const heapAt = area(heaps[c]!)
    if (column.kind === 'fixed') {
      const { values } = column
      const source = new Uint8Array(values.buffer, values.byteOffset + from * values.BYTES_PER_ELEMENT, length)
      frame.set(source, headerBytes + dataAt)
    } else if (column.kind === 'text') {
      const structures = new Uint32Array(buffer, headerBytes + dataAt, rows * 4)
      column.texts.copy(from, to, structures, new Uint8Array(buffer, headerBytes + heapAt, heaps[c]!))
    } else frame.set(serialized[c]!, headerBytes + dataAt)
    head.set([representation(column), validAt, dataAt, length, heapAt, heaps[c]!], 2 + c * descriptorWords)
  })
  return frame
}

function representation(column: SentColumn): number {
  if (column.kind === 'text') return textColumn
  if (column.kind === 'values') return serializedColumn
  return 2 + arrays.findIndex(array => column.values instanceof array)
}

function copyBits(source: Uint8Array, from: number, target: Uint8Array, count: number): void {
  if ((from & 7) === 0) {
    target.set(source.subarray(from >> 3, (from >> 3) + target.length))
    return
  }
  target.fill(0)
  for (let i = 0; i < count; i++) if (isValid(source, from + i)) setBit(target, i)
}

function aligned(bytes: number): number {
  return Math.ceil(bytes / 8) * 8
}

/** Decodes a payload. Numbers are views of it. */
export function decodeBatch(payload: Buffer): ResultBatch {
  const { buffer, byteOffset } = payload
  const [rows = 0, columns = 0] = new Uint32Array(buffer, byteOffset, 2)
  const descriptors = new Uint32Array(buffer, byteOffset + 8, columns * descriptorWords)
  return { rows, columns: Array.from({ length: columns }, (_, c) => decodeColumn(payload, rows, descriptors, c)) }
}

function decodeColumn(payload: Buffer, rows: number, descriptors: Uint32Array, c: number): ResultVector {
  const word = (i: number) => descriptors[c * descriptorWords + i]!
  const [kind, validAt, dataAt, length] = [word(0), word(1), word(2), word(3)]
  const valid =
    validAt === 0 ? undefined : new Uint8Array(payload.buffer, payload.byteOffset + validAt, (rows + 7) >> 3)
  const data = payload.subarray(dataAt, dataAt + length)
  if (kind === textColumn) {
    return { values: decodeTexts(data, payload.subarray(word(4), word(4) + word(5)), rows, valid) }
  }
  if (kind === serializedColumn) return { values: deserialize(data) as unknown[] }
  const values = new arrays[kind - 2]!(payload.buffer as ArrayBuffer, data.byteOffset, rows)
  return valid === undefined ? { values } : { values, valid }
}

/** Decodes texts from structures; null for nulls. */
function decodeTexts(structures: Buffer, heap: Buffer, rows: number, valid: Uint8Array | undefined) {
  const words = new Uint32Array(structures.buffer, structures.byteOffset, rows * 4)
  const texts = new Array<string | null>(rows).fill(null)
  const chars = structures.toString('latin1', 0, structures.length)
  const heapChars = heap.length > 0 && isAscii(heap) ? heap.toString('latin1', 0, heap.length) : undefined
  let last = { from: -1, length: -1, text: '' }
  for (let i = 0; i < rows; i++) {
    if (!isValid(valid, i)) continue
    const length = words[i * 4]!
    if (length <= inlined) {
      const from = i * textBytes + 4
      const plain = ((words[i * 4 + 1]! | words[i * 4 + 2]! | words[i * 4 + 3]!) & 0x80808080) === 0
      texts[i] = plain ? chars.slice(from, from + length) : structures.toString('utf8', from, from + length)
      continue
    }
    const from = words[i * 4 + 2]!
    if (from !== last.from || length !== last.length) {
      const end = from + length
      last = {
        from,
        length,
        text: heapChars === undefined ? heap.toString('utf8', from, end) : heapChars.slice(from, end)
      }
    }
    texts[i] = last.text
  }
  return texts
}

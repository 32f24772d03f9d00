// Text columns from byte ranges of the request. Repeated texts become a dictionary; others are copied.
import { isAscii, isUtf8 } from 'node:buffer'
import { type BytesData, bitmap, copyBytes, type DictionaryData } from '../../../core/index.ts'
import { Dictionary } from './dictionary.ts'
import { notUtf8 } from './growing-bytes.ts'

/** Byte ranges of texts (the first `count` entries) and the row of each, ascending; without `rows` text `i` is row `i`. */
export interface Slices {
  readonly count: number
  readonly starts: ArrayLike<number>
  readonly ends: ArrayLike<number>
  /** Entries between two ranges in `starts` and `ends`. */
  readonly step?: number
  readonly owners?: Uint32Array
}

/** A text column; rows without a text are null. Throws DbError `InvalidArguments` for what is not valid UTF-8. */
export function textData(body: Uint8Array, slices: Slices, rows: number): BytesData | DictionaryData {
  return repeated(body, slices, rows) ?? copied(body, slices, rows, true)
}

/** The same for bytes that need not be UTF-8. */
export function binaryData(body: Uint8Array, slices: Slices, rows: number): BytesData {
  return copied(body, slices, rows, false)
}

/** The texts of a dictionary as a column; with `empty` an empty text comes first. */
export function dictionaryBytes({ bytes, starts, ends, count }: Dictionary, empty = false): BytesData {
  const texts = copied(bytes, { count, starts, ends }, count, true)
  if (!empty) return texts
  const offsets = new Uint32Array(count + 2)
  offsets.set(texts.offsets, 1)
  return { ...texts, offsets }
}

/** Percentage of distinct texts from which on no dictionary is built. */
const maxNewPercent = 25
const firstLook = 16

function repeated(body: Uint8Array, { count, starts, ends, step = 1, owners }: Slices, rows: number) {
  const dictionary = new Dictionary(body)
  const codes = new Uint32Array(rows)
  for (let i = 0; i < count; i++) {
    codes[owners === undefined ? i : owners[i]!] = dictionary.add(starts[i * step]!, ends[i * step]!)
    if (dictionary.count > firstLook && dictionary.count * 100 > i * maxNewPercent) return undefined
  }
  if (count < firstLook) return undefined
  const valid = validity(count, rows, owners)
  return { kind: 'dictionary', codes, dictionary: dictionaryBytes(dictionary), ...(valid && { valid }) } as const
}

function copied(body: Uint8Array, slices: Slices, rows: number, isText: boolean): BytesData {
  const { count, starts, ends, step = 1, owners } = slices
  const offsets = new Uint32Array(rows + 1)
  let length = 0
  let row = 0
  for (let i = 0; i < count; i++) {
    const owner = owners === undefined ? i : owners[i]!
    while (row < owner) offsets[++row] = length
    length += ends[i * step]! - starts[i * step]!
    offsets[++row] = length
  }
  while (row < rows) offsets[++row] = length
  // Not zeroed: every byte is written below.
  const bytes = new Uint8Array(Buffer.allocUnsafeSlow(length).buffer)
  for (let i = 0, to = 0; i < count; i++) {
    const start = starts[i * step]!
    const size = ends[i * step]! - start
    copyBytes(body, start, bytes, to, size)
    to += size
  }
  if (isText) checkUtf8(bytes, offsets, slices)
  const valid = validity(count, rows, owners)
  return { kind: 'bytes', offsets, bytes, ...(valid && { valid }) }
}

/** Checks that no text begins within a character: all bytes together may be valid although single texts are not. */
function checkUtf8(bytes: Uint8Array, offsets: Uint32Array, { starts }: Slices): void {
  if (isAscii(bytes)) return
  if (!isUtf8(bytes)) throw notUtf8(starts[0]!)
  for (let row = 0; row < offsets.length - 1; row++) {
    const at = offsets[row]!
    if (at < offsets[row + 1]! && (bytes[at]! & 0xc0) === 0x80) throw notUtf8(starts[0]!)
  }
}

/** The validity bitmap; undefined where every row has a value. */
export function validity(count: number, rows: number, owners: Uint32Array | undefined): Uint8Array | undefined {
  if (count === rows) return undefined
  const bits = bitmap(rows, false)
  for (let i = 0; i < count; i++) {
    const row = owners === undefined ? i : owners[i]!
    bits[row >> 3]! |= 1 << (row & 7)
  }
  return bits
}

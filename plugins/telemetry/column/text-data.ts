// Columns of text from slices in the request: texts that repeat are kept once, others copied one behind the other.
import { isAscii, isUtf8 } from 'node:buffer'
import { type BytesData, bitmap, type DictionaryData } from '../../../core/index.ts'
import { Dictionary } from './dictionary.ts'
import { notUtf8 } from './growing-bytes.ts'

/** Where texts stand, the first `count` entries, and which row each belongs to (ascending; absent: its own number). */
export interface Slices {
  readonly count: number
  readonly starts: ArrayLike<number>
  readonly ends: ArrayLike<number>
  /** Two slices lie so many entries apart. */
  readonly step?: number
  readonly owners?: Uint32Array
}

/** Up to this many bytes a loop is faster than a call that copies. */
const shortCopy = 48

/** A row for each text, others are null. Throws DbError `InvalidArguments` for what is not valid UTF-8. */
export function textData(body: Uint8Array, slices: Slices, rows: number): BytesData | DictionaryData {
  return repeated(body, slices, rows) ?? copied(body, slices, rows, true)
}

/** The same for bytes of any kind. */
export function binaryData(body: Uint8Array, slices: Slices, rows: number): BytesData {
  return copied(body, slices, rows, false)
}

/** The texts of a dictionary, each once; with `empty` an empty one before them. */
export function dictionaryBytes({ bytes, starts, ends, count }: Dictionary, empty = false): BytesData {
  const texts = copied(bytes, { count, starts, ends }, count, true)
  if (!empty) return texts
  const offsets = new Uint32Array(count + 2)
  offsets.set(texts.offsets, 1)
  return { ...texts, offsets }
}

/** Texts that are new, per hundred, from which on it does not pay to look for those that repeat. */
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
  // Not cleared first: every byte is written below.
  const bytes = new Uint8Array(Buffer.allocUnsafeSlow(length).buffer)
  for (let i = 0, to = 0; i < count; i++) {
    const start = starts[i * step]!
    const end = ends[i * step]!
    if (end - start > shortCopy) {
      bytes.set(body.subarray(start, end), to)
      to += end - start
    } else for (let from = start; from < end; from++) bytes[to++] = body[from]!
  }
  if (isText) checkUtf8(bytes, offsets, slices)
  const valid = validity(count, rows, owners)
  return { kind: 'bytes', offsets, bytes, ...(valid && { valid }) }
}

/** Together they may be valid though one ends within a character and the next begins there. */
function checkUtf8(bytes: Uint8Array, offsets: Uint32Array, { starts }: Slices): void {
  if (isAscii(bytes)) return
  if (!isUtf8(bytes)) throw notUtf8(starts[0]!)
  for (let row = 0; row < offsets.length - 1; row++) {
    const at = offsets[row]!
    if (at < offsets[row + 1]! && (bytes[at]! & 0xc0) === 0x80) throw notUtf8(starts[0]!)
  }
}

/** Undefined where every row has a value. */
export function validity(count: number, rows: number, owners: Uint32Array | undefined): Uint8Array | undefined {
  if (count === rows) return undefined
  const bits = bitmap(rows, false)
  for (let i = 0; i < count; i++) {
    const row = owners === undefined ? i : owners[i]!
    bits[row >> 3]! |= 1 << (row & 7)
  }
  return bits
}

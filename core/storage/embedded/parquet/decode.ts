// Decodes the values of pages: numbers as one, two or four 32-bit words each, everything else as bytes.

import { unpack32 } from './bits.ts'
import { DeltaInput, decodeDelta32, decodeDelta64 } from './delta.ts'
import { Encoding } from './format.ts'
import { decodeHybrid, decodeRuns } from './hybrid.ts'
import type { Input } from './input.ts'
import type { PageValues } from './page.ts'
import { decodeSplit } from './split.ts'
import {
  decodeDeltaLength,
  decodeDeltaTexts,
  decodeFixedTexts,
  decodePlainTexts,
  TextScratch,
  type Texts
} from './texts.ts'
import type { ParquetColumn } from './types.ts'

/** Maximum bytes of a page's texts after shared prefixes are expanded. */
const maxTextBytes = 2 ** 30

/** The entries of a dictionary page. */
export type Entries =
  | { readonly kind: 'words'; readonly words: Int32Array; readonly count: number }
  | { readonly kind: 'texts'; readonly texts: Texts; readonly count: number }

/** Memory reused from page to page. */
export class DecodeScratch {
  readonly delta = new DeltaInput()
  readonly texts = new TextScratch(this.delta)
  #codes = new Int32Array(0)

  codes(count: number): Int32Array {
    if (this.#codes.length < count) this.#codes = new Int32Array(count)
    return this.#codes
  }
}

/** 32-bit words per number. */
export function wordsOf(column: ParquetColumn): 1 | 2 | 4 {
  if (column.type === 'fixed16') return 4
  return column.type === 'int64' || column.type === 'double' ? 2 : 1
}

export function isDictionary(encoding: number): boolean {
  return encoding === Encoding.rleDictionary || encoding === Encoding.plainDictionary
}

export function decodeEntries(column: ParquetColumn, page: PageValues, scratch: DecodeScratch): Entries {
  const { input, rows: count, encoding } = page
  if (encoding !== Encoding.plain && encoding !== Encoding.plainDictionary) {
    throw input.damaged(`a dictionary in the encoding ${encoding}`)
  }
  if (column.type === 'bytes') {
    const texts =
      column.length === undefined ? decodePlainTexts(input, count) : decodeFixedTexts(input, count, column.length)
    return { kind: 'texts', texts: { ...texts, bytes: new Uint8Array(texts.bytes) }, count }
  }
  input.need(column.type === 'boolean' ? 0 : count)
  const words = new Int32Array(count * wordsOf(column))
  decodeNumbers(column, { ...page, encoding: Encoding.plain }, words, 0, undefined, scratch)
  return { kind: 'words', words, count }
}

/** Decodes a page's dictionary codes into `out`, from index `to` on. */
export function decodeCodes({ input, present }: PageValues, entries: number, out: Int32Array, to: number): void {
  if (present === 0) return
  const width = input.byte()
  if (width === 0) out.fill(0, to, to + present)
  else decodeHybrid(input, width, present, out, to)
  for (let i = to; i < to + present; i++) {
    if (out[i]! >>> 0 >= entries) throw beyond(input, out[i]!, entries)
  }
}

function beyond(input: Input, code: number, entries: number): Error {
  return input.damaged(`the code ${code >>> 0} of a dictionary of ${entries} entries`)
}

/** Takes equal numbers of adjacent rows; the rows before them are `from`. */
type TakeRun = (number: number, from: number, rows: number) => void

/** Passes the 32-bit numbers of a page without nulls to `take`, in order; neighbours may be equal. */
export function decodeNumberRuns(
  column: ParquetColumn,
  page: PageValues,
  entries: Entries | undefined,
  scratch: DecodeScratch,
  take: TakeRun
): void {
  const { input, present: count } = page
  const numbers = scratch.codes(count)
  if (count === 0) return
  if (!isDictionary(page.encoding)) {
    decodeNumbers(column, page, numbers, 0, entries, scratch)
    for (let row = 0; row < count; row++) take(numbers[row]!, row, 1)
    return
  }
  if (entries?.kind !== 'words') throw input.damaged('codes of a dictionary that is not there')
  const { words, count: known } = entries
  const takeCode = (code: number, from: number, rows: number) => {
    if (code >>> 0 >= known) throw beyond(input, code, known)
    take(words[code]!, from, rows)
  }
  const width = input.byte()
  decodeRuns(input, width, count, {
    repeat: takeCode,
    packed: (from, rows) => {
      unpack32(input.view, input.at, width, rows, numbers, 0)
      for (let i = 0; i < rows; i++) takeCode(numbers[i]!, from + i, 1)
    }
  })
}

/** Decodes a page's numbers into `out`, from number `to` on. */
export function decodeNumbers(
  column: ParquetColumn,
  page: PageValues,
  out: Int32Array,
  to: number,
  entries: Entries | undefined,
  scratch: DecodeScratch
): void {
  const { input, present: count, encoding } = page
  if (count === 0) return
  const words = wordsOf(column)
  if (isDictionary(encoding)) spellNumbers(page, entries, words, out, to, scratch)
  else if (column.type === 'boolean') decodeBooleans(page, out, to)
  else if (column.type === 'fixed16') decodeBig(column, page, out, to, scratch)
  else if (encoding === Encoding.plain) {
    const bytes = 4 * words * count
    if (input.left !== bytes) throw input.damaged(`it has ${input.left} bytes of numbers instead of ${bytes}`)
    const target = new Uint8Array(out.buffer, out.byteOffset + 4 * words * to, bytes)
    target.set(input.bytes.subarray(input.at, input.at + bytes))
  } else if (encoding === Encoding.byteStreamSplit) decodeSplit(input, count, 4 * words, out, to)
  else if (encoding !== Encoding.deltaBinaryPacked) throw unsupported(column, input, encoding)
  else if (column.type === 'int32') decodeDelta32(input, count, out, to, scratch.delta)
  else if (column.type === 'int64') decodeDelta64(input, count, out, to, scratch.delta)
  else throw unsupported(column, input, encoding)
}

/**
 * Decodes numbers `from` to `end` of a page without nulls to the beginning of `out`, after earlier numbers if the encoding requires those.
 * Returns the index of number `from` in `out`, which has room for `end` numbers and a few more.
 */
export function decodeRange(
  column: ParquetColumn,
  page: PageValues,
  from: number,
  end: number,
  out: Int32Array,
  entries: Entries | undefined,
  scratch: DecodeScratch
): number {
  const { input, present, encoding } = page
  const width = 4 * wordsOf(column)
  if (encoding === Encoding.byteStreamSplit && column.type !== 'fixed16' && column.type !== 'boolean') {
    decodeSplit(input, present, width, out, 0, from, end)
    return 0
  }
  if (encoding === Encoding.deltaBinaryPacked && column.type === 'int64') {
    decodeDelta64(input, present, out, 0, scratch.delta, end)
    return from
  }
  if (isDictionary(encoding)) decodeNumbers(column, { ...page, present: end }, out, 0, entries, scratch)
  else decodeNumbers(column, page, out, 0, entries, scratch)
  return from
}

function spellNumbers(
  page: PageValues,
  entries: Entries | undefined,
  words: 1 | 2 | 4,
  out: Int32Array,
  to: number,
  scratch: DecodeScratch
): void {
  const { present: count } = page
  if (entries?.kind !== 'words') throw page.input.damaged('codes of a dictionary that is not there')
  const from = entries.words
  if (words === 1) {
    decodeCodes(page, entries.count, out, to)
    for (let i = to; i < to + count; i++) out[i] = from[out[i]!]!
    return
  }
  const codes = scratch.codes(count)
  decodeCodes(page, entries.count, codes, 0)
  if (words === 2) {
    for (let i = 0, put = 2 * to; i < count; i++, put += 2) {
      const take = 2 * codes[i]!
      out[put] = from[take]!
      out[put + 1] = from[take + 1]!
    }
    return
  }
  for (let i = 0, put = 4 * to; i < count; i++) {
    for (let take = 4 * codes[i]!, end = take + 4; take < end; ) out[put++] = from[take++]!
  }
}

function decodeBooleans({ input, present: count, encoding }: PageValues, out: Int32Array, to: number): void {
  if (encoding === Encoding.plain) {
    input.need((count + 7) >> 3)
    for (let i = 0; i < count; i++) out[to + i] = (input.bytes[input.at + (i >> 3)]! >> (i & 7)) & 1
    return
  }
  if (encoding !== Encoding.rle) throw input.damaged(`booleans in the encoding ${encoding}, which is not supported`)
  const length = input.int32()
  if (length < 0 || length > input.left) throw input.damaged(`booleans of ${length} bytes`)
  decodeHybrid(input, 1, count, out, to)
}

/** Big-endian integers of up to 16 bytes as four words, the lowest first. */
function decodeBig(column: ParquetColumn, page: PageValues, out: Int32Array, to: number, scratch: DecodeScratch): void {
  const length = column.length ?? 16
  const { offsets, bytes } = decodeTexts({ ...column, length }, page, scratch)
  for (let i = 0; i < page.present; i++) {
    const end = offsets[i + 1]!
    if (end - offsets[i]! !== length) throw page.input.damaged(`a number of ${end - offsets[i]!} bytes, not ${length}`)
    const sign = bytes[end - length]! > 127 ? 255 : 0
    for (let k = 0; k < 4; k++) {
      let word = 0
      for (let byte = 0; byte < 4; byte++) {
        const digit = 4 * k + byte
        word |= (digit < length ? bytes[end - 1 - digit]! : sign) << (8 * byte)
      }
      out[4 * (to + i) + k] = word
    }
  }
}

/** The texts of a page without a dictionary; valid until the next page is read. */
export function decodeTexts(column: ParquetColumn, page: PageValues, scratch: DecodeScratch): Texts {
  const { input, present: count, encoding } = page
  if (count === 0) return { offsets: new Uint32Array(1), bytes: new Uint8Array(0) }
  switch (encoding) {
    case Encoding.plain:
      return column.length === undefined
        ? decodePlainTexts(input, count)
        : decodeFixedTexts(input, count, column.length)
    case Encoding.deltaLengthByteArray:
      if (column.length === undefined) return decodeDeltaLength(input, count, scratch.texts)
      break
    case Encoding.deltaByteArray:
      return decodeDeltaTexts(input, count, scratch.texts, maxTextBytes)
    case Encoding.byteStreamSplit:
      if (column.length !== undefined) return joinStreams(input, count, column.length)
  }
  throw unsupported(column, input, encoding)
}

/** Decodes BYTE_STREAM_SPLIT of values with a fixed length. */
function joinStreams(input: Input, count: number, length: number): Texts {
  input.need(count * length)
  const bytes = new Uint8Array(count * length)
  const offsets = new Uint32Array(count + 1)
  for (let i = 0; i < count; i++) {
    for (let k = 0; k < length; k++) bytes[i * length + k] = input.bytes[input.at + k * count + i]!
    offsets[i + 1] = (i + 1) * length
  }
  return { offsets, bytes }
}

function unsupported(column: ParquetColumn, input: Input, encoding: number): Error {
  return input.damaged(
    `the column ${column.name} of the type ${column.type} has the encoding ${encoding}, which is not supported`
  )
}

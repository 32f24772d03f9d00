// Chooses the encoding of a column chunk by a cheap size estimate, and computes the bounds of its pages.
import { widthOf } from './bits.ts'
import {
  boundsOfCodes,
  boundsOfFloats,
  boundsOfInt32,
  boundsOfInt64,
  boundsOfTexts,
  isUnsigned,
  type Seen
} from './bounds.ts'
import { tryCompress } from './compress.ts'
import { DeltaScratch, encodeDelta32, encodeDelta64 } from './delta.ts'
import type { Dense } from './dense.ts'
import { codeBytes, codeWidth, Dictionary, type Numbered } from './dictionary.ts'
import { Encoding } from './format.ts'
import { encodeHybrid } from './hybrid.ts'
import { Output } from './output.ts'
import { encodeSplit } from './split.ts'
import { encodeDeltaLength, encodePlainTexts, type Texts, TextsBuilder } from './texts.ts'
import { type ParquetColumn, ParquetError } from './types.ts'

export interface ChunkEncoder {
  readonly encoding: number
  /** The content of the dictionary page. */
  readonly dictionary?: { readonly bytes: Uint8Array; readonly entries: number }
  readonly distinct?: number
  /** Writes values `from` to `to`. */
  page(out: Output, from: number, to: number): void
  bounds(from: number, to: number): Seen
}

/** Memory reused from chunk to chunk. */
export class EncodeScratch {
  readonly delta = new DeltaScratch()
  readonly dictionary = new Dictionary()
  readonly dictionaryPage = new Output()
  readonly sample = new Output()
  #lengths = new Int32Array(0)
  #used = new Uint8Array(0)

  lengths(count: number): Int32Array {
    if (this.#lengths.length < count) this.#lengths = new Int32Array(count)
    return this.#lengths
  }

  used(count: number): Uint8Array {
    if (this.#used.length < count) this.#used = new Uint8Array(count)
    return this.#used
  }
}

/** Values per part of the sample, and number of parts. */
const samplePart = 256
const sampleParts = 4

/** Values on which the encodings of floating point numbers are tried. */
const trialValues = 8192

/** Maximum entries of a dictionary of numbers. */
const maxEntries = 1 << 15

export function chooseEncoder(
  column: ParquetColumn,
  dense: Dense,
  count: number,
  level: number,
  scratch: EncodeScratch
): ChunkEncoder {
  switch (dense.kind) {
    case 'boolean':
      return booleans(dense.values)
    case 'int32':
      return integers(dense.values, count, 1, isUnsigned(column), scratch)
    case 'int64':
      return integers(dense.halves, count, 2, isUnsigned(column), scratch)
    case 'float':
      return floats(dense.values, dense.halves, count, 1, level, scratch)
    case 'double':
      return floats(dense.values, dense.halves, count, 2, level, scratch)
    case 'texts':
      return texts(column, dense.texts, count, scratch)
    case 'codes':
      return codes(column, dense.codes, dense.dictionary, count, scratch)
  }
}

/** In quick mode, integers are delta-encoded if a difference takes fewer bits than this: counters, and values that hardly change. */
const quickBits = 2

/** In quick mode, up to so many distinct texts get a dictionary, because readers group and compare its entries instead of each text. */
const maxQuickEntries = 1024

/**
 * The quick mode: values are stored plain; existing dictionaries are kept, few distinct texts get one, and integers with tiny differences are
 * delta-encoded.
 */
export function plainEncoder(column: ParquetColumn, dense: Dense, count: number, scratch: EncodeScratch): ChunkEncoder {
  switch (dense.kind) {
    case 'boolean':
      return booleans(dense.values)
    case 'int32':
      return quickIntegers(dense.values, count, 1, isUnsigned(column), scratch)
    case 'int64':
      return quickIntegers(dense.halves, count, 2, isUnsigned(column), scratch)
    case 'float':
      return plainNumbers(dense.halves, 1, withoutBounds)
    case 'double':
      return plainNumbers(dense.halves, 2, withoutBounds)
    case 'texts':
      return { ...texts(column, dense.texts, count, scratch, maxQuickEntries), bounds: withoutBounds }
    case 'codes':
      return { ...codes(column, dense.codes, dense.dictionary, count, scratch), bounds: withoutBounds }
  }
}

function withoutBounds(from: number, to: number): Seen {
  return from === to ? 'none' : 'nan'
}

function booleans(values: Int32Array): ChunkEncoder {
  return {
    encoding: Encoding.rle,
    page(out, from, to) {
      const start = out.at
      out.int32(0)
      encodeHybrid(out, values, from, to, 1)
      out.view.setInt32(start, out.at - start - 4, true)
    },
    bounds: (from, to) => boundsOfInt32(values, from, to, false)
  }
}

function quickIntegers(
  values: Int32Array,
  count: number,
  step: 1 | 2,
  unsigned: boolean,
  scratch: EncodeScratch
): ChunkEncoder {
  const bounds = boundsOfIntegers(values, step, unsigned)
  return differenceBits(values, count, step) > quickBits
    ? plainNumbers(values, step, bounds)
    : differences(values, step, bounds, scratch)
}

function boundsOfIntegers(values: Int32Array, step: 1 | 2, unsigned: boolean): ChunkEncoder['bounds'] {
  return (from, to) =>
    step === 1 ? boundsOfInt32(values, from, to, unsigned) : boundsOfInt64(values, from, to, unsigned)
}

function differences(
  values: Int32Array,
  step: 1 | 2,
  bounds: ChunkEncoder['bounds'],
  { delta }: EncodeScratch
): ChunkEncoder {
  return {
    encoding: Encoding.deltaBinaryPacked,
    page: (out, from, to) =>
      step === 1 ? encodeDelta32(out, values, from, to, delta) : encodeDelta64(out, values, from, to, delta),
    bounds
  }
}

function integers(
  values: Int32Array,
  count: number,
  step: 1 | 2,
  unsigned: boolean,
  scratch: EncodeScratch
): ChunkEncoder {
  const bounds = boundsOfIntegers(values, step, unsigned)
  const bits = differenceBits(values, count, step)
  const numbered = numberWhereFew(values, count, step, scratch.dictionary, (count * bits) / 8)
  if (numbered !== undefined) return dictionaryOfNumbers(numbered, step, bounds, scratch)
  return bits > 30 * step ? plainNumbers(values, step, bounds) : differences(values, step, bounds, scratch)
}

function floats(
  values: Float32Array | Float64Array,
  halves: Int32Array,
  count: number,
  step: 1 | 2,
  level: number,
  scratch: EncodeScratch
): ChunkEncoder {
  const bounds = (from: number, to: number) => boundsOfFloats(values, from, to)
  const whole = 4 * step * count
  const numbered = numberWhereFew(halves, count, step, scratch.dictionary, whole)
  // Other encodings are only tried if a dictionary is not much smaller.
  const few = numbered === undefined ? whole : codeBytes(numbered, count) + 4 * step * numbered.entries
  if (numbered !== undefined && few * 16 < whole) return dictionaryOfNumbers(numbered, step, bounds, scratch)
  const from = Math.max(0, (count - trialValues) >> 1)
  const to = Math.min(count, from + trialValues)
  const tried = (write: (out: Output) => void) => {
    scratch.sample.at = 0
    write(scratch.sample)
    return (tryCompress(scratch.sample.content(), level)?.length ?? scratch.sample.at) * (count / (to - from))
  }
  const plain = tried(out => out.raw(bytesOf(halves, step * from, step * to)))
  const split = tried(out => encodeSplit(out, halves, from, to, step === 1 ? 4 : 8))
  if (numbered !== undefined) {
    const { codes, entries } = numbered
    const coded = tried(out => encodeCodes(out, codes, from, to, entries)) + 4 * step * entries
    if (coded <= Math.min(plain, split)) return dictionaryOfNumbers(numbered, step, bounds, scratch)
  }
  if (plain <= split) return plainNumbers(halves, step, bounds)
  return {
    encoding: Encoding.byteStreamSplit,
    page: (out, from, to) => encodeSplit(out, halves, from, to, step === 1 ? 4 : 8),
    bounds
  }
}

function bytesOf(values: Int32Array, from: number, to: number): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset + 4 * from, 4 * (to - from))
}

function plainNumbers(values: Int32Array, step: 1 | 2, bounds: ChunkEncoder['bounds']): ChunkEncoder {
  return {
    encoding: Encoding.plain,
    page: (out, from, to) => out.raw(bytesOf(values, step * from, step * to)),
    bounds
  }
}

/** Estimates the bits of differences from parts of the values. */
function differenceBits(values: Int32Array, count: number, step: 1 | 2): number {
  if (count < 2) return 0
  const parts = count <= samplePart * sampleParts ? 1 : sampleParts
  const size = parts === 1 ? count : samplePart
  let bits = 0
  let seen = 0
  for (let part = 0; part < parts; part++) {
    const start = parts === 1 ? 0 : Math.floor(((count - size) * part) / (parts - 1))
    for (let block = start; block + 1 < start + size; block += samplePart) {
      const end = Math.min(start + size - 1, block + samplePart)
      let min = Number.POSITIVE_INFINITY
      for (let i = block; i < end; i++) min = Math.min(min, differenceAt(values, i, step))
      for (let mini = block; mini < end; mini += 32) {
        let max = min
        const stop = Math.min(end, mini + 32)
        for (let i = mini; i < stop; i++) max = Math.max(max, differenceAt(values, i, step))
        const range = max - min
        const width = range < 2 ** 32 ? widthOf(range) : Math.min(64, Math.ceil(Math.log2(range + 1)))
        bits += width * (stop - mini)
        seen += stop - mini
      }
    }
  }
  // The header of a block: minimum and widths.
  return bits / seen + 0.4
}

function differenceAt(values: Int32Array, i: number, step: 1 | 2): number {
  if (step === 1) return (values[i + 1]! - values[i]!) | 0
  return (values[2 * i + 3]! - values[2 * i + 1]!) * 2 ** 32 + (values[2 * i + 2]! >>> 0) - (values[2 * i]! >>> 0)
}

/** Builds a dictionary if it takes fewer than `limit` bytes. */
function numberWhereFew(
  values: Int32Array,
  count: number,
  step: 1 | 2,
  dictionary: Dictionary,
  limit: number
): Numbered | undefined {
  if (count === 0) return undefined
  const size = Math.min(count, samplePart)
  const sample = new Int32Array(size * sampleParts * step)
  for (let part = 0; part < sampleParts; part++) {
    const start = step * Math.floor(((count - size) * part) / (sampleParts - 1))
    sample.set(values.subarray(start, start + step * size), part * size * step)
  }
  const taken = size * sampleParts
  const { entries, changes } = numbered(dictionary, sample, 0, taken, step, taken)!
  const isFew = entries <= (size === count ? count / 2 : taken * 0.75)
  // The size of the codes if no further values were new.
  const perValue = Math.min(codeWidth(entries) / 8, (changes / taken) * 3)
  if (!isFew || perValue * count > limit + 64) return undefined
  const all = numbered(dictionary, values, 0, count, step, Math.min(maxEntries, count))
  if (all === undefined) return undefined
  return codeBytes(all, count) + all.entries * 4 * step <= limit || all.entries === 1 ? all : undefined
}

function numbered(
  dictionary: Dictionary,
  values: Int32Array,
  from: number,
  count: number,
  step: 1 | 2,
  limit: number
): Numbered | undefined {
  return step === 1 ? dictionary.words(values, from, count, limit) : dictionary.halves(values, from, count, limit)
}

function dictionaryOfNumbers(
  { codes, entries }: Numbered,
  step: 1 | 2,
  bounds: ChunkEncoder['bounds'],
  { dictionary, dictionaryPage }: EncodeScratch
): ChunkEncoder {
  dictionaryPage.at = 0
  for (let entry = 0; entry < entries; entry++) {
    dictionaryPage.int32(dictionary.entries[2 * entry]!)
    if (step === 2) dictionaryPage.int32(dictionary.entries[2 * entry + 1]!)
  }
  return {
    encoding: Encoding.rleDictionary,
    dictionary: { bytes: dictionaryPage.content(), entries },
    distinct: entries,
    page: (out, from, to) => encodeCodes(out, codes, from, to, entries),
    bounds
  }
}

function encodeCodes(out: Output, codes: Int32Array, from: number, to: number, entries: number): void {
  const width = codeWidth(entries)
  out.byte(width)
  encodeHybrid(out, codes, from, to, width)
}

/** A dictionary has at most `limit` entries. */
function texts(
  column: ParquetColumn,
  values: Texts,
  count: number,
  scratch: EncodeScratch,
  limit = count
): ChunkEncoder {
  const length = count === 0 ? 0 : values.offsets[count]! - values.offsets[0]!
  const most = Math.max(1, Math.min(count >> 1, limit))
  const numbered = count === 0 ? undefined : scratch.dictionary.texts(values, 0, count, most)
  if (numbered !== undefined) {
    const rows = scratch.dictionary.entries
    const entries = new TextsBuilder(numbered.entries)
    for (let entry = 0; entry < numbered.entries; entry++) entries.append(values, rows[entry]!, rows[entry]! + 1)
    const dictionary = entries.done()
    if (dictionarySize(dictionary, numbered, count) <= length + count) {
      return dictionaryOfTexts(column, numbered, dictionary, scratch)
    }
  }
  return plainTexts(column, values, count, scratch)
}

function dictionarySize(dictionary: Texts, numbered: Numbered, count: number): number {
  return dictionary.bytes.length + 4 * numbered.entries + codeBytes(numbered, count)
}

function plainTexts(column: ParquetColumn, values: Texts, count: number, scratch: EncodeScratch): ChunkEncoder {
  const bounds = (from: number, to: number) => boundsOfTexts(column, values, from, to)
  if (column.type === 'fixed16') {
    return {
      encoding: Encoding.plain,
      page: (out, from, to) => out.raw(values.bytes.subarray(values.offsets[from], values.offsets[to])),
      bounds
    }
  }
  return {
    encoding: Encoding.deltaLengthByteArray,
    page: (out, from, to) => encodeDeltaLength(out, values, from, to, scratch.delta, scratch.lengths(count)),
    bounds
  }
}

function dictionaryOfTexts(
  column: ParquetColumn,
  { codes, entries }: Numbered,
  dictionary: Texts,
  scratch: EncodeScratch
): ChunkEncoder {
  const { dictionaryPage } = scratch
  dictionaryPage.at = 0
  if (column.type === 'fixed16') dictionaryPage.raw(dictionary.bytes)
  else encodePlainTexts(dictionaryPage, dictionary, 0, entries)
  return {
    encoding: Encoding.rleDictionary,
    dictionary: { bytes: dictionaryPage.content(), entries },
    distinct: entries,
    page: (out, from, to) => encodeCodes(out, codes, from, to, entries),
    bounds: (from, to) => boundsOfCodes(column, codes, from, to, entries, dictionary, scratch.used(entries))
  }
}

/** Texts that came with a dictionary: keeps the used entries, merging equal ones. */
function codes(
  column: ParquetColumn,
  given: Uint32Array,
  dictionary: Texts,
  count: number,
  scratch: EncodeScratch
): ChunkEncoder {
  const size = dictionary.offsets.length - 1
  const renamed = new Int32Array(size).fill(-1)
  const numbers = new Int32Array(count)
  const entries = new TextsBuilder(Math.min(size, count))
  let used = 0
  let changes = 0
  let length = 0
  let before = -1
  for (let i = 0; i < count; i++) {
    const code = given[i]!
    if (code >= size) {
      throw new ParquetError(`column ${column.name} has the code ${code} beyond its dictionary of ${size} entries`)
    }
    let number = renamed[code]!
    if (number < 0) {
      number = used++
      renamed[code] = number
      entries.append(dictionary, code, code + 1)
    }
    if (number !== before) changes++
    before = number
    numbers[i] = number
    length += dictionary.offsets[code + 1]! - dictionary.offsets[code]!
  }
  const done = entries.done()
  let kept: Texts = { offsets: done.offsets.subarray(0, used + 1), bytes: done.bytes }
  const numbered = { codes: numbers, entries: used, changes }
  if (count === 0 || dictionarySize(kept, numbered, count) > length + count) {
    return texts(column, spell(kept, numbers, count), count, scratch)
  }
  const equal = scratch.dictionary.texts(kept, 0, used, used, true)!
  if (equal.entries < used) {
    const different = new TextsBuilder(equal.entries)
    const rows = scratch.dictionary.entries
    for (let entry = 0; entry < equal.entries; entry++) different.append(kept, rows[entry]!, rows[entry]! + 1)
    for (let i = 0; i < count; i++) numbers[i] = equal.codes[numbers[i]!]!
    kept = different.done()
    numbered.entries = equal.entries
  }
  return dictionaryOfTexts(column, numbered, kept, scratch)
}

/** The texts of codes. */
function spell(dictionary: Texts, codes: Int32Array, count: number): Texts {
  const out = new TextsBuilder(count)
  for (let i = 0; i < count; i++) out.append(dictionary, codes[i]!, codes[i]! + 1)
  return out.done()
}

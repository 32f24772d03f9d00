// Reads columns of row groups, decoding only pages with wanted rows.
import { bitmap, type ColumnData, clearBit, type FixedData, isValid } from '../../../model/batch.ts'
import { free } from '../../../workers/free.ts'
import { isUnsigned } from './bounds.ts'
import {
  DecodeScratch,
  decodeCodes,
  decodeEntries,
  decodeNumberRuns,
  decodeNumbers,
  decodeRange,
  decodeTexts,
  type Entries,
  isDictionary,
  wordsOf
} from './decode.ts'
import { Page } from './format.ts'
import { type PageLocation, readColumnIndex, readOffsetIndex } from './metadata.ts'
import { PageScratch, type PageValues, readPageHead } from './page.ts'
import { TextsBuilder } from './texts.ts'
import {
  type ChunkInfo,
  type Extent,
  type PageInfo,
  type ParquetColumn,
  ParquetError,
  type ParquetFooter,
  type ReadAt
} from './types.ts'

/** A column chunk, with its pages once they are known. */
interface Chunk {
  readonly column: ParquetColumn
  readonly info: ChunkInfo
  readonly pages: readonly PageLocation[]
  readonly dictionary: Extent | undefined
  entries?: Entries
  /** The dictionary's numbers as floats. */
  floats?: Float64Array
}

/** Takes rows `from` to `to` of a page, to be put at row `at` of the result. */
type Take = (page: PageValues, from: number, to: number, at: number) => void

/** Neighbours that are equal are one run. */
export interface IntegerRuns {
  readonly integers: Uint32Array
  /** The first row of each run, then the number of all rows. */
  readonly starts: Uint32Array
}

interface UnpackedPage {
  readonly page: PageLocation
  readonly values: PageValues
  /** Where the values begin in their input. */
  readonly at: number
}

/** Takes the rows between `from` and `to` of its column that a page holds. */
function takePage({ page, values, at }: UnpackedPage, from: number, to: number, take: Take): void {
  values.input.at = at
  const skipped = Math.max(0, from - page.from)
  take(values, skipped, Math.min(to, page.to) - page.from, page.from + skipped - from)
}

export class ParquetReader {
  readonly #read: ReadAt
  readonly #footer: ParquetFooter
  readonly #pageScratch = new PageScratch()
  readonly #scratch = new DecodeScratch()
  #words = new Int32Array(0)
  #floats = new Float64Array(0)
  /** The page read last: several ranges of rows may be asked of it. */
  #unpacked: UnpackedPage | undefined
  /** Chunks of the row group read last. */
  readonly #chunks = new Map<number, Chunk>()
  #group = -1

  constructor(read: ReadAt, footer: ParquetFooter) {
    this.#read = read
    this.#footer = footer
  }

  /** Reads rows `from` to `to` of a row group. */
  column(group: number, column: number, from = 0, to = this.#footer.rowGroups[group]!.rows): ColumnData {
    const chunk = this.#chunk(group, column)
    this.#check(chunk, from, to)
    return chunk.column.type === 'bytes' ? this.#texts(chunk, from, to) : this.#fixed(chunk, from, to)
  }

  /** Reads numbers as floats into `out` from `at` on: exact up to 2^53, rounded beyond, NaN for nulls. */
  numbers(
    group: number,
    column: number,
    out: Float64Array,
    at: number,
    from = 0,
    to = this.#footer.rowGroups[group]!.rows
  ): void {
    const chunk = this.#chunk(group, column)
    this.#check(chunk, from, to)
    const { type, name } = chunk.column
    if (type === 'bytes' || type === 'fixed16') {
      throw new ParquetError(`column ${name} of the type ${type} cannot be read as floating point numbers`)
    }
    if (at < 0 || at + to - from > out.length) {
      throw new ParquetError(`${to - from} rows from ${at} on do not fit into ${out.length} numbers`)
    }
    const outWords = new Int32Array(out.buffer, out.byteOffset, 2 * out.length)
    const toFloats = floatsOf(chunk.column)
    this.#each(chunk, from, to, (page, first, last, put) => {
      const { rows, present, valid } = page
      if (type === 'double' && valid === undefined && first === 0 && last === rows) {
        return decodeNumbers(chunk.column, page, outWords, at + put, chunk.entries, this.#scratch)
      }
      const words = this.#hold(present * wordsOf(chunk.column))
      if (valid === undefined && isDictionary(page.encoding)) {
        const codes = this.#scratch.codes(last)
        decodeCodes({ ...page, present: last }, chunk.entries?.count ?? 0, codes, 0)
        const entries = floatEntries(chunk, toFloats)
        for (let i = first, row = at + put; i < last; i++, row++) out[row] = entries[codes[i]!]!
        return
      }
      if (valid === undefined) {
        const start = decodeRange(chunk.column, page, first, last, words, chunk.entries, this.#scratch)
        toFloats(words, start, start + last - first, out, at + put)
        return
      }
      decodeNumbers(chunk.column, page, words, 0, chunk.entries, this.#scratch)
      if (this.#floats.length < present) this.#floats = new Float64Array(present)
      const floats = this.#floats
      toFloats(words, 0, present, floats, 0)
      for (let i = 0, take = 0; i < last; i++) {
        const isThere = isValid(valid, i)
        if (i >= first) out[at + put + i - first] = isThere ? floats[take]! : Number.NaN
        if (isThere) take++
      }
    })
  }

  /** Runs of equal integers of 32 bits in rows `from` to `to` of a row group. Throws ParquetError where a row has none. */
  runs(group: number, column: number, from = 0, to = this.#footer.rowGroups[group]!.rows): IntegerRuns {
    const chunk = this.#chunk(group, column)
    this.#check(chunk, from, to)
    const { type, name } = chunk.column
    if (type !== 'int32') throw new ParquetError(`column ${name} of the type ${type} has no integers of 32 bits`)
    const integers: number[] = []
    const starts: number[] = []
    this.#each(chunk, from, to, (page, first, last, put) => {
      if (page.valid !== undefined) throw new ParquetError(`column ${name} has rows without an integer`)
      decodeNumberRuns(chunk.column, page, chunk.entries, this.#scratch, (integer, row, rows) => {
        if (row + rows <= first || row >= last || integers.at(-1) === integer) return
        integers.push(integer)
        starts.push(put + Math.max(0, row - first))
      })
    })
    starts.push(to - from)
    return { integers: Uint32Array.from(integers), starts: Uint32Array.from(starts) }
  }

  /** The pages of a column, with bounds if the file has them. */
  pages(group: number, column: number): readonly PageInfo[] {
    const chunk = this.#chunk(group, column)
    const { columnIndex } = chunk.info
    if (columnIndex === undefined) return chunk.pages.map(({ from, to }) => ({ from, to }))
    return readColumnIndex(this.#read, chunk.column, chunk.pages, columnIndex)
  }

  #check({ info }: Chunk, from: number, to: number): void {
    if (from < 0 || to < from || to > info.values) {
      throw new ParquetError(`rows ${from} to ${to} of a row group of ${info.values}`)
    }
  }

  #chunk(group: number, index: number): Chunk {
    if (group !== this.#group) this.#chunks.clear()
    this.#group = group
    const known = this.#chunks.get(index)
    if (known !== undefined) return known
    const info = this.#footer.rowGroups[group]?.columns[index]
    const column = this.#footer.columns[index]
    if (info === undefined || column === undefined)
      throw new ParquetError(`there is no column ${index} in row group ${group}`)
    const { offsetIndex, dictionaryOffset, dataOffset } = info
    let chunk: Chunk
    if (offsetIndex === undefined) chunk = { column, info, ...this.#walk(info) }
    else {
      const pages = readOffsetIndex(this.#read, info, offsetIndex)
      const dictionary =
        dictionaryOffset === undefined ? undefined : { offset: dictionaryOffset, bytes: dataOffset - dictionaryOffset }
      chunk = { column, info, pages, dictionary }
    }
    this.#chunks.set(index, chunk)
    return chunk
  }

  /** Finds the pages of a chunk without a page index by their headers. */
  #walk(info: ChunkInfo): { pages: PageLocation[]; dictionary: Extent | undefined } {
    const { offset, values } = info
    const bytes = this.#bytes(offset, info.bytes)
    const pages: PageLocation[] = []
    let dictionary: Extent | undefined
    let row = 0
    for (let at = 0; row < values; ) {
      const head = readPageHead(bytes, at, offset)
      const size = head.headBytes + head.bytes
      if (size > bytes.length - at)
        throw new ParquetError(`the page announces ${head.bytes} bytes and its column ends before them`, offset + at)
      if (head.kind === Page.dictionary) {
        if (dictionary !== undefined) throw new ParquetError('the column has a second dictionary', offset + at)
        dictionary = { offset: offset + at, bytes: size }
      } else if (head.kind === Page.data || head.kind === Page.dataV2) {
        if (head.values > values - row)
          throw new ParquetError(`the page has ${head.values} rows where ${values - row} are left`, offset + at)
        if (head.values > 0) pages.push({ offset: offset + at, bytes: size, from: row, to: row + head.values })
        row += head.values
      }
      at += size
    }
    return { pages, dictionary }
  }

  #bytes(offset: number, length: number): Uint8Array {
    const bytes = this.#read(offset, length)
    if (bytes.length !== length) {
      throw new ParquetError(`the file ends early: ${bytes.length} of ${length} bytes could be read`, offset)
    }
    return bytes
  }

  /** Passes the pages with wanted rows to `take`, in order. */
  #each(chunk: Chunk, from: number, to: number, take: Take): void {
    if (from === to) return
    const { column, info, pages } = chunk
    this.#loadEntries(chunk)
    const first = pages.findIndex(page => page.to > from)
    let end = first
    while (end < pages.length && pages[end]!.from < to) end++
    if (end === first + 1 && this.#unpacked !== undefined && this.#unpacked.page === pages[first]) {
      takePage(this.#unpacked, from, to, take)
      return
    }
    const start = pages[first]!.offset
    const bytes = this.#bytes(start, pages[end - 1]!.offset + pages[end - 1]!.bytes - start)
    for (let i = first; i < end; i++) {
      const page = pages[i]!
      const at = page.offset - start
      // Limits reading to this page.
      const own = bytes.subarray(0, at + page.bytes)
      const head = readPageHead(own, at, start)
      if ((head.kind !== Page.data && head.kind !== Page.dataV2) || head.values !== page.to - page.from) {
        throw new ParquetError(`there is no page of ${page.to - page.from} rows, which the index tells of`, page.offset)
      }
      this.release()
      const values = this.#pageScratch.values(column, info, head, own, at, start)
      this.#unpacked = { page, values, at: values.input.at }
      takePage(this.#unpacked, from, to, take)
    }
  }

  /** Frees the memory of the page read last. */
  release(): void {
    const made = this.#unpacked?.values.made
    if (made !== undefined) free(made)
    this.#unpacked = undefined
    this.#pageScratch.release()
  }

  #loadEntries(chunk: Chunk): void {
    const { column, info, dictionary } = chunk
    if (dictionary === undefined || chunk.entries !== undefined) return
    const bytes = this.#bytes(dictionary.offset, dictionary.bytes)
    const head = readPageHead(bytes, 0, dictionary.offset)
    if (head.kind !== Page.dictionary)
      throw new ParquetError('there is no dictionary, which the column announces', dictionary.offset)
    this.release()
    const page = this.#pageScratch.values(column, info, head, bytes, 0, dictionary.offset)
    chunk.entries = decodeEntries(column, page, this.#scratch)
  }

  #hold(words: number): Int32Array {
    if (this.#words.length < words) this.#words = new Int32Array(words)
    return this.#words
  }

  #fixed(chunk: Chunk, from: number, to: number): FixedData {
    const { column } = chunk
    const words = wordsOf(column)
    // Pairs of words, so that they can form 64-bit numbers.
    const out = new Int32Array(words * (to - from))
    let valid: Uint8Array | undefined
    this.#each(chunk, from, to, (page, first, last, at) => {
      const { rows, present } = page
      if (page.valid === undefined) {
        if (first === 0 && last === rows) return decodeNumbers(column, page, out, at, chunk.entries, this.#scratch)
        const all = this.#hold(present * words)
        const start = decodeRange(column, page, first, last, all, chunk.entries, this.#scratch)
        out.set(all.subarray(words * start, words * (start + last - first)), words * at)
        return
      }
      valid ??= bitmap(to - from, true)
      const all = this.#hold(present * words)
      decodeNumbers(column, page, all, 0, chunk.entries, this.#scratch)
      let take = 0
      for (let i = 0; i < last; i++) {
        const isThere = isValid(page.valid, i)
        if (i >= first) {
          const row = at + i - first
          if (isThere) for (let k = 0; k < words; k++) out[words * row + k] = all[words * take + k]!
          else clearBit(valid, row)
        }
        if (isThere) take++
      }
    })
    return {
      kind: 'fixed',
      values: typed(column, out),
      ...(valid !== undefined && { valid: trimmed(valid, to - from) })
    }
  }

  #texts(chunk: Chunk, from: number, to: number): ColumnData {
    const { column } = chunk
    const rows = to - from
    let valid: Uint8Array | undefined
    let builder: TextsBuilder | undefined
    const codes = new Int32Array(rows)
    let done = 0
    const entries = () => {
      if (chunk.entries?.kind !== 'texts')
        throw new ParquetError(`column ${column.name} has codes and no dictionary`, chunk.info.offset)
      return chunk.entries
    }
    /** The first page without a dictionary turns everything into texts. */
    const spell = () => {
      const texts = new TextsBuilder(rows)
      for (let row = 0; row < done; row++) {
        const code = codes[row]!
        if (!isValid(valid, row)) texts.empty()
        else texts.append(entries().texts, code, code + 1)
      }
      return texts
    }
    this.#each(chunk, from, to, (page, first, last, at) => {
      const isCoded = isDictionary(page.encoding) && page.present > 0
      const values = this.#hold(page.present)
      if (isCoded) decodeCodes(page, entries().count, values, 0)
      if (!isCoded && page.present > 0) builder ??= spell()
      const texts = isCoded
        ? builder && entries().texts
        : decodeTexts(column, { ...page, encoding: page.present > 0 ? page.encoding : 0 }, this.#scratch)
      if (page.valid === undefined) {
        if (builder === undefined) codes.set(values.subarray(first, last), at)
        else if (isCoded) for (let i = first; i < last; i++) builder.append(texts!, values[i]!, values[i]! + 1)
        else builder.append(texts!, first, last)
      } else {
        valid ??= bitmap(rows, true)
        let take = 0
        for (let i = 0; i < last; i++) {
          const isThere = isValid(page.valid, i)
          if (i >= first) {
            const row = at + i - first
            if (!isThere) {
              clearBit(valid, row)
              builder?.empty()
            } else if (builder === undefined) codes[row] = values[take]!
            else if (isCoded) builder.append(texts!, values[take]!, values[take]! + 1)
            else builder.append(texts!, take, take + 1)
          }
          if (isThere) take++
        }
      }
      done = at + last - first
    })
    const nulls = valid !== undefined && { valid: trimmed(valid, rows) }
    if (builder === undefined && chunk.entries?.kind === 'texts' && chunk.entries.count > 0) {
      const { texts } = chunk.entries
      return {
        kind: 'dictionary',
        codes: new Uint32Array(codes.buffer),
        dictionary: { kind: 'bytes', ...texts },
        ...nulls
      }
    }
    return { kind: 'bytes', ...(builder ?? spell()).done(), ...nulls }
  }
}

function floatEntries(chunk: Chunk, toFloats: ReturnType<typeof floatsOf>): Float64Array {
  if (chunk.floats !== undefined) return chunk.floats
  const { entries } = chunk
  chunk.floats = new Float64Array(entries?.count ?? 0)
  if (entries?.kind === 'words') toFloats(entries.words, 0, entries.count, chunk.floats, 0)
  return chunk.floats
}

/** Clears the bits behind the last row. */
function trimmed(valid: Uint8Array, rows: number): Uint8Array {
  if ((rows & 7) !== 0) valid[valid.length - 1]! &= (1 << (rows & 7)) - 1
  return valid
}

function typed(column: ParquetColumn, words: Int32Array<ArrayBuffer>): FixedData['values'] {
  const { buffer } = words
  switch (column.type) {
    case 'float':
      return new Float32Array(buffer)
    case 'double':
      return new Float64Array(buffer)
    case 'int64':
      return isUnsigned(column) ? new BigUint64Array(buffer) : new BigInt64Array(buffer)
    case 'fixed16':
      return new BigInt64Array(buffer)
    case 'boolean':
      return new Uint8Array(words)
  }
  if (column.logical?.kind !== 'int') return words
  const { bits, signed } = column.logical
  if (bits === 8) return signed ? new Int8Array(words) : new Uint8Array(words)
  if (bits === 16) return signed ? new Int16Array(words) : new Uint16Array(words)
  return signed ? words : new Uint32Array(buffer)
}

/** Converts numbers `from` to `to` to floats, written from `out[at]` on. */
type ToFloats = (words: Int32Array, from: number, to: number, out: Float64Array, at: number) => void

function floatsOf(column: ParquetColumn): ToFloats {
  const unsigned = isUnsigned(column)
  switch (column.type) {
    case 'float':
      return (words, from, to, out, at) => {
        const floats = new Float32Array(words.buffer, words.byteOffset, words.length)
        for (let i = from; i < to; i++) out[at + i - from] = floats[i]!
      }
    case 'double':
      return (words, from, to, out, at) =>
        out.set(new Float64Array(words.buffer, words.byteOffset, words.length >> 1).subarray(from, to), at)
    case 'int64':
      return unsigned
        ? (words, from, to, out, at) => {
            for (let i = from, put = at; i < to; i++, put++) {
              out[put] = (words[2 * i + 1]! >>> 0) * 2 ** 32 + (words[2 * i]! >>> 0)
            }
          }
        : (words, from, to, out, at) => {
            for (let i = from, put = at; i < to; i++, put++)
              out[put] = words[2 * i + 1]! * 2 ** 32 + (words[2 * i]! >>> 0)
          }
    default:
      return unsigned
        ? (words, from, to, out, at) => {
            for (let i = from; i < to; i++) out[at + i - from] = words[i]! >>> 0
          }
        : (words, from, to, out, at) => {
            for (let i = from; i < to; i++) out[at + i - from] = words[i]!
          }
  }
}

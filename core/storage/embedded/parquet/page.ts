// Pages: header, checksum, levels and values.
import { crc32 } from 'node:zlib'
import { decompress } from './compress.ts'
import { countBits } from './dense.ts'
import { Encoding, maxPageBytes, Page, slack } from './format.ts'
import { decodeHybrid } from './hybrid.ts'
import { Input, PageBuffer } from './input.ts'
import { Fields, ThriftReader } from './thrift.ts'
import { type ChunkInfo, type ParquetColumn, ParquetError } from './types.ts'

interface PageHead {
  readonly kind: number
  /** Bytes of the header itself. */
  readonly headBytes: number
  /** Bytes of the content: uncompressed, and in the file. */
  readonly plain: number
  readonly bytes: number
  readonly checksum: number | undefined
  readonly values: number
  readonly nulls: number | undefined
  readonly encoding: number
  /** Version 2: bytes of levels before the values, and whether the values are compressed. */
  readonly levels: number
  readonly compressed: boolean
}

/** Parses the header at `at` of `bytes`, which begin at offset `base` of the file. */
export function readPageHead(bytes: Uint8Array, at: number, base: number): PageHead {
  const reader = new ThriftReader(bytes, base, at)
  const head = new Fields(reader.struct(), 'the page header', base + at)
  const kind = head.number(1, 'kind of page')
  const plain = head.size(2, 'uncompressed size')
  const size = head.size(3, 'compressed size')
  if (plain > maxPageBytes) throw head.damaged(`announces ${plain} bytes; at most ${maxPageBytes} are read`)
  const common = { kind, headBytes: reader.at - at, plain, bytes: size, checksum: head.maybeNumber(4, 'checksum') }
  if (kind === Page.dataV2) {
    const page = head.struct(8, 'header of a data page')
    const levels = page.size(5, 'length of levels')
    if (page.size(6, 'length of repetition levels') > 0)
      throw page.damaged('has repeated values, which are not supported')
    if (levels > Math.min(size, plain)) throw page.damaged(`announces ${levels} bytes of levels in ${size}`)
    return {
      ...common,
      values: page.size(1, 'number of values'),
      nulls: page.size(2, 'number of nulls'),
      encoding: page.number(4, 'encoding'),
      levels,
      compressed: page.flag(7) ?? true
    }
  }
  const rest = { nulls: undefined, levels: 0, compressed: true }
  if (kind === Page.data) {
    const page = head.struct(5, 'header of a data page')
    const levels = page.number(3, 'encoding of levels')
    if (levels !== Encoding.rle) throw page.damaged(`has levels in the encoding ${levels}, which is not supported`)
    return { ...common, ...rest, values: page.size(1, 'number of values'), encoding: page.number(2, 'encoding') }
  }
  if (kind === Page.dictionary) {
    const page = head.struct(7, 'header of a dictionary')
    return { ...common, ...rest, values: page.size(1, 'number of entries'), encoding: page.number(2, 'encoding') }
  }
  return { ...common, ...rest, values: 0, encoding: 0 }
}

/** The values of a page. */
export interface PageValues {
  readonly encoding: number
  readonly rows: number
  /** Number of values that are not null. */
  readonly present: number
  /** Validity bitmap of the page's rows; absent: all rows have a value. */
  readonly valid: Uint8Array | undefined
  readonly input: Input
  /** Memory allocated for this page only; may be freed once the values are decoded. */
  readonly made?: Uint8Array | undefined
}

/** Memory reused from page to page. */
export class PageScratch {
  readonly #values = new PageBuffer()
  readonly #levels = new PageBuffer()
  #flags = new Int32Array(0)

  /** The content of the page whose header is at `at`; the page ends before the end of `bytes`. */
  values(
    column: ParquetColumn,
    chunk: ChunkInfo,
    head: PageHead,
    bytes: Uint8Array,
    at: number,
    base: number
  ): PageValues {
    const page = base + at
    const start = at + head.headBytes
    const content = bytes.subarray(start, start + head.bytes)
    if (content.length !== head.bytes) {
      throw new ParquetError(`the page announces ${head.bytes} bytes and its column ends before them`, page)
    }
    if (head.checksum !== undefined && crc32(content) !== head.checksum >>> 0) {
      throw new ParquetError('the checksum of the page is not that of its bytes', page)
    }
    if (head.kind === Page.dictionary) {
      const plain = decompress(chunk.codec, content, head.plain, page)
      const input = this.#input(plain, head.encoding, page)
      return { encoding: head.encoding, rows: head.values, present: head.values, valid: undefined, input }
    }
    if (!chunk.encodings.includes(head.encoding)) {
      throw new ParquetError(`the page has the encoding ${head.encoding}, which its column does not list`, page)
    }
    if (head.kind === Page.dataV2) {
      const codec = head.compressed ? chunk.codec : 0
      const plain = decompress(codec, content.subarray(head.levels), head.plain - head.levels, page)
      let valid: Uint8Array | undefined
      if (column.optional) {
        const levels = new Input(this.#levels.hold(content.subarray(0, head.levels)), 0, head.levels, page)
        valid = this.#valid(levels, head.values)
      }
      const present = valid === undefined ? head.values : countBits(valid, 0, head.values)
      if (present + head.nulls! !== head.values) {
        throw new ParquetError(`the page has ${head.values - present} nulls and announces ${head.nulls}`, page)
      }
      return {
        encoding: head.encoding,
        rows: head.values,
        present,
        valid,
        input: this.#input(plain, head.encoding, page),
        made: plain.buffer === bytes.buffer ? undefined : plain
      }
    }
    const plain = decompress(chunk.codec, content, head.plain, page)
    let skip = 0
    let valid: Uint8Array | undefined
    if (column.optional) {
      const size = new Input(plain, 0, plain.length, page).int32()
      if (size < 0 || size > plain.length - 4)
        throw new ParquetError(`the page announces ${size} bytes of levels`, page)
      skip = 4 + size
      valid = this.#valid(new Input(this.#levels.hold(plain.subarray(4, skip)), 0, size, page), head.values)
    }
    const present = valid === undefined ? head.values : countBits(valid, 0, head.values)
    const input = this.#input(plain.subarray(skip), head.encoding, page)
    return { encoding: head.encoding, rows: head.values, present, valid, input }
  }

  /** Frees the memory that only large pages need. */
  release(): void {
    this.#values.release()
  }

  /** Copies packed integers, because they need slack behind them; other values are read in place. */
  #input(plain: Uint8Array, encoding: number, page: number): Input {
    const isWhole = encoding === Encoding.plain || encoding === Encoding.byteStreamSplit
    return new Input(isWhole ? plain : this.#values.hold(plain), 0, plain.length, page)
  }

  /** Validity bitmap from the levels; undefined if all rows have a value. */
  #valid(levels: Input, rows: number): Uint8Array | undefined {
    if (rows === 0) return undefined
    const first = levels.varint()
    if (first % 2 === 0 && first / 2 >= rows) {
      const level = levels.byte()
      if (level > 1) throw levels.damaged(`a level of ${level}`)
      return level === 1 ? undefined : new Uint8Array((rows + 7) >> 3)
    }
    levels.at = 0
    if (this.#flags.length < rows) this.#flags = new Int32Array(rows + slack)
    const flags = this.#flags
    decodeHybrid(levels, 1, rows, flags, 0)
    const valid = new Uint8Array((rows + 7) >> 3)
    for (let i = 0; i < rows; i++) valid[i >> 3]! |= flags[i]! << (i & 7)
    return countBits(valid, 0, rows) === rows ? undefined : valid
  }
}

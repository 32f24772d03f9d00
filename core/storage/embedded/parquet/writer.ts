// Writing a file: row group after row group, each column as pages of the same rows, the indexes and the footer at the end.
import { crc32 } from 'node:zlib'
import type { ColumnData } from '../../../model/batch.ts'
import { free } from '../../../workers/free.ts'
import { joinSeen, type Seen, shortenSeen } from './bounds.ts'
import { compress, tryCompress } from './compress.ts'
import { countBits, takeDense } from './dense.ts'
import { type ChunkEncoder, chooseEncoder, EncodeScratch, plainEncoder } from './encode.ts'
import { Codec, Encoding, magic, maxGroupRows, Page } from './format.ts'
import { encodeRun } from './hybrid.ts'
import { encodeColumnIndex, encodeFooter, encodeOffsetIndex, type WrittenPage } from './metadata.ts'
import { Output } from './output.ts'
import { bool, i32, struct, writeStruct } from './thrift.ts'
import { type ChunkInfo, type ParquetColumn, ParquetError, type ParquetFooter, type WriterOptions } from './types.ts'

const defaultPageRows = 8192
const defaultLevel = 3

/** After so many pages that compression did not make smaller it is tried on every so-manieth only. */
const vainPages = 2
const retryPages = 8

interface WrittenGroup {
  readonly rows: number
  readonly columns: readonly { chunk: ChunkInfo; offsetIndex: Uint8Array; columnIndex: Uint8Array | undefined }[]
}

export class ParquetWriter {
  readonly #columns: readonly ParquetColumn[]
  readonly #sink: (bytes: Uint8Array) => void
  readonly #pageRows: number
  readonly #level: number
  readonly #plain: boolean
  readonly #groups: WrittenGroup[] = []
  readonly #scratch = new EncodeScratch()
  readonly #page = new Output()
  readonly #chunk = new Output()
  readonly #head = new Output(256)
  #offset = 0
  #finished = false

  /** `sink` may keep no reference to the bytes after it returns. */
  constructor(columns: readonly ParquetColumn[], sink: (bytes: Uint8Array) => void, options: WriterOptions = {}) {
    if (columns.length === 0) throw new ParquetError('a file needs a column')
    this.#columns = columns
    this.#sink = sink
    // Pages begin with a whole byte of the bitmaps.
    this.#pageRows = Math.max(8, Math.ceil((options.pageRows ?? defaultPageRows) / 8) * 8)
    this.#level = options.level ?? defaultLevel
    this.#plain = options.plain ?? false
    const head = new Uint8Array(4)
    new DataView(head.buffer).setUint32(0, magic, true)
    this.#emit(head)
  }

  /** Writes rows `from` to `from + rows` of the columns. */
  writeRowGroup(rows: number, columns: readonly ColumnData[], from = 0): void {
    this.#checkOpen()
    if (columns.length !== this.#columns.length) {
      throw new ParquetError(`a row group of ${columns.length} columns for a file of ${this.#columns.length}`)
    }
    if (rows < 1 || rows > maxGroupRows)
      throw new ParquetError(`a row group of ${rows} rows; 1 to ${maxGroupRows} are possible`)
    // Bytes of a group that fails would be in the file, and in no footer, so everything that can fail comes first.
    const taken = columns.map((data, i) => takeDense(this.#columns[i]!, data, from, rows))
    const written = taken.map(({ dense, count, valid }, i) => {
      const column = this.#columns[i]!
      const encoder = this.#plain
        ? plainEncoder(column, dense, count, this.#scratch)
        : chooseEncoder(column, dense, count, this.#level, this.#scratch)
      return this.#writeChunk(column, encoder, rows, valid)
    })
    this.#groups.push({ rows, columns: written })
  }

  /** `facts`: see `ParquetFooter`. */
  finish(facts: ReadonlyMap<string, string> = new Map()): ParquetFooter & { bytes: number } {
    this.#checkOpen()
    this.#finished = true
    // Indexes of the same kind lie together, so that a reader can fetch them at once.
    const columnIndexes = this.#groups.map(({ columns }) =>
      columns.map(({ columnIndex }) => columnIndex && { offset: this.#emit(columnIndex), bytes: columnIndex.length })
    )
    const offsetIndexes = this.#groups.map(({ columns }) =>
      columns.map(({ offsetIndex }) => ({ offset: this.#emit(offsetIndex), bytes: offsetIndex.length }))
    )
    const rowGroups = this.#groups.map(({ rows, columns }, group) => ({
      rows,
      columns: columns.map(({ chunk }, i): ChunkInfo => {
        const columnIndex = columnIndexes[group]![i]
        return { ...chunk, ...(columnIndex !== undefined && { columnIndex }), offsetIndex: offsetIndexes[group]![i]! }
      })
    }))
    const rows = rowGroups.reduce((sum, group) => sum + group.rows, 0)
    const footer = { columns: this.#columns, rows, rowGroups, facts }
    this.#emit(encodeFooter(footer))
    return { ...footer, bytes: this.#offset }
  }

  #checkOpen(): void {
    if (this.#finished) throw new ParquetError('the file is finished')
  }

  #emit(bytes: Uint8Array): number {
    const offset = this.#offset
    this.#sink(bytes)
    this.#offset += bytes.length
    return offset
  }

  #writeChunk(
    column: ParquetColumn,
    encoder: ChunkEncoder,
    rows: number,
    valid: Uint8Array | undefined
  ): WrittenGroup['columns'][number] {
    const chunk = this.#chunk
    chunk.at = 0
    const pages: WrittenPage[] = []
    let plainBytes = 0
    let vain = 0
    let compressed = false
    let value = 0
    let nulls = 0
    let all: Seen = 'none'
    for (let from = 0; from < rows; from += this.#pageRows) {
      const to = Math.min(rows, from + this.#pageRows)
      const present = valid === undefined ? to - from : countBits(valid, from, to)
      const page = this.#page
      page.at = 0
      if (column.optional) encodeLevels(page, valid, from, to, present)
      const levels = page.at
      encoder.page(page, value, value + present)
      const seen = encoder.bounds(value, value + present)
      all = joinSeen(column, all, seen)
      value += present
      nulls += to - from - present
      const plain = page.bytes.subarray(levels, page.at)
      const isTried = vain < vainPages || pages.length % retryPages === 0
      const packed = isTried ? tryCompress(plain, this.#level) : undefined
      if (packed !== undefined) {
        vain = 0
        compressed = true
      } else if (isTried && plain.length > 0) vain++
      const content = packed ?? plain
      const offset = chunk.at
      const levelBytes = page.bytes.subarray(0, levels)
      const head = this.#pageHead(levels + plain.length, levels + content.length, crc32(content, crc32(levelBytes)), {
        kind: Page.dataV2,
        values: to - from,
        nulls: to - from - present,
        encoding: encoder.encoding,
        levels,
        compressed: packed !== undefined
      })
      chunk.raw(head)
      chunk.raw(levelBytes)
      chunk.raw(content)
      if (packed !== undefined) free(packed)
      plainBytes += head.length + levels + plain.length
      pages.push({
        offset,
        bytes: chunk.at - offset,
        from,
        nulls: to - from - present,
        seen: shortenSeen(column, seen).seen
      })
    }
    return this.#emitChunk(column, encoder, { rows, nulls, plainBytes, compressed, pages, all })
  }

  /** Writes the dictionary and then the pages, which are ready. */
  #emitChunk(
    column: ParquetColumn,
    { encoding, dictionary, distinct }: ChunkEncoder,
    written: {
      readonly rows: number
      readonly nulls: number
      readonly plainBytes: number
      readonly compressed: boolean
      readonly pages: readonly WrittenPage[]
      readonly all: Seen
    }
  ): WrittenGroup['columns'][number] {
    const offset = this.#offset
    let { plainBytes, compressed } = written
    if (dictionary !== undefined) {
      // A dictionary page cannot say that it is not compressed where the column is.
      const packed = compressed ? compress(dictionary.bytes, this.#level) : tryCompress(dictionary.bytes, this.#level)
      compressed ||= packed !== undefined
      const content = packed ?? dictionary.bytes
      const head = this.#pageHead(dictionary.bytes.length, content.length, crc32(content), {
        kind: Page.dictionary,
        values: dictionary.entries
      })
      plainBytes += head.length + dictionary.bytes.length
      this.#emit(head)
      this.#emit(content)
    }
    const dataOffset = this.#emit(this.#chunk.content())
    const pages = written.pages.map(page => ({ ...page, offset: dataOffset + page.offset }))
    const { seen, shortened } = shortenSeen(column, written.all)
    const encodings = dictionary === undefined ? [encoding] : [Encoding.plain, encoding]
    if (column.optional && !encodings.includes(Encoding.rle)) encodings.push(Encoding.rle)
    const chunk: ChunkInfo = {
      offset,
      bytes: this.#offset - offset,
      plainBytes,
      values: written.rows,
      nulls: written.nulls,
      ...(typeof seen === 'object' && seen),
      ...(typeof seen === 'object' && shortened && { shortened }),
      ...(distinct !== undefined && { distinct }),
      codec: compressed ? Codec.zstd : Codec.none,
      encodings,
      ...(dictionary !== undefined && { dictionaryOffset: offset }),
      dataOffset
    }
    return { chunk, offsetIndex: encodeOffsetIndex(pages), columnIndex: encodeColumnIndex(column, pages) }
  }

  #pageHead(
    plain: number,
    bytes: number,
    checksum: number,
    page:
      | { readonly kind: typeof Page.dictionary; readonly values: number }
      | {
          readonly kind: typeof Page.dataV2
          readonly values: number
          readonly nulls: number
          readonly encoding: number
          readonly levels: number
          readonly compressed: boolean
        }
  ): Uint8Array {
    const head = this.#head
    head.at = 0
    writeStruct(head, [
      i32(1, page.kind),
      i32(2, plain),
      i32(3, bytes),
      i32(4, checksum | 0),
      page.kind === Page.dictionary
        ? struct(7, i32(1, page.values), i32(2, Encoding.plain))
        : struct(
            8,
            i32(1, page.values),
            i32(2, page.nulls),
            i32(3, page.values),
            i32(4, page.encoding),
            i32(5, page.levels),
            i32(6, 0),
            bool(7, page.compressed)
          )
    ])
    return head.content()
  }
}

/** Whether rows have values: runs where all or none do, else the bitmap as it is. */
function encodeLevels(out: Output, valid: Uint8Array | undefined, from: number, to: number, present: number): void {
  if (valid === undefined || present === to - from || present === 0) {
    encodeRun(out, present === 0 ? 0 : 1, to - from, 1)
    return
  }
  const end = (to + 7) >> 3
  // Bytes of the bitmap that are alike become a run if there are so many.
  const minRun = 4
  let packed = from >> 3
  const pack = (until: number) => {
    if (until === packed) return
    out.varint((until - packed) * 2 + 1)
    out.raw(valid.subarray(packed, until))
    packed = until
  }
  for (let i = packed; i < end; ) {
    const byte = valid[i]!
    let next = i + 1
    if (byte === 0 || byte === 255) {
      while (next < to >> 3 && valid[next] === byte) next++
      if (next - i >= minRun) {
        pack(i)
        encodeRun(out, byte & 1, (next - i) * 8, 1)
        packed = next
      }
    }
    i = next
  }
  pack(end)
}

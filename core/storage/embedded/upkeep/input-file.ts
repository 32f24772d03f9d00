// A data file that is merged with others: its pages are decoded one after the other, and each column keeps the one it is at.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import type { ColumnData } from '../../../model/batch.ts'
import { type ColumnType, fixedArray, isBytesType } from '../../../model/types.ts'
import type { Piece } from '../datafile/column-builder.ts'
import { type FileColumn, fromStored, storedColumn } from '../datafile/stored-column.ts'
import {
  type LogicalType,
  type PageInfo,
  ParquetError,
  type ParquetFooter,
  ParquetReader,
  readFooter
} from '../parquet/index.ts'

interface Page {
  readonly from: number
  readonly to: number
  readonly data: ColumnData
}

export class InputFile {
  readonly rows: number
  readonly #path: string
  readonly #fd: number
  readonly #footer: ParquetFooter
  /** Number of the first row of each row group, and of all rows. */
  readonly #starts: readonly number[]
  /** One each, since a reader knows the pages of one row group at a time. */
  readonly #columns = new Map<string, { readonly reader: ParquetReader; group: number; pages: readonly PageInfo[] }>()
  readonly #kept = new Map<string, Page>()
  readonly #maxKept: number
  #keptBytes = 0

  /** `maxKept`: bytes of decoded texts that are kept; further ones are decoded again for every few rows. */
  constructor(path: string, maxKept: number) {
    this.#maxKept = maxKept
    this.#path = path
    this.#fd = openSync(path, 'r')
    try {
      this.#footer = readFooter(this.#read, fstatSync(this.#fd).size)
    } catch (error) {
      this.close()
      throw error
    }
    let rows = 0
    this.#starts = [0, ...this.#footer.rowGroups.map(group => (rows += group.rows))]
    this.rows = rows
  }

  close(): void {
    closeSync(this.#fd)
  }

  /** Bytes of text of an average row, as the file holds them. */
  get textBytes(): number {
    let bytes = 0
    for (const { columns } of this.#footer.rowGroups) {
      columns.forEach((chunk, i) => {
        if (this.#footer.columns[i]!.type === 'bytes') bytes += chunk.plainBytes
      })
    }
    return bytes / Math.max(1, this.rows)
  }

  /** Rows from one on, as far as they lie in one page. */
  page(column: FileColumn, from: number): Page {
    const kept = this.#kept.get(column.name)
    if (kept !== undefined && kept.from <= from && from < kept.to) return kept
    const group = this.#starts.findLastIndex(start => start <= from)
    const start = this.#starts[group]!
    const index = this.#index(column)
    let known = this.#columns.get(column.name)
    if (known === undefined) {
      const reader = new ParquetReader(this.#read, this.#footer)
      known = { reader, group: -1, pages: [] }
      this.#columns.set(column.name, known)
    }
    if (known.group !== group) {
      known.group = group
      known.pages = known.reader.pages(group, index)
    }
    const info = known.pages.find(page => page.from <= from - start && from - start < page.to)!
    const data = this.#typed(column, known.reader.column(group, index, info.from, info.to))
    known.reader.release()
    const page = { from: start + info.from, to: start + info.to, data }
    this.#keep(column, page)
    return page
  }

  /** Rows `from` to `to` of a column. */
  pieces(column: FileColumn, from: number, to: number): Piece[] {
    const pieces: Piece[] = []
    for (let at = from; at < to; ) {
      const page = this.page(column, at)
      const end = Math.min(to, page.to)
      pieces.push({ data: page.data, from: at - page.from, to: end - page.from })
      at = end
    }
    return pieces
  }

  #keep({ name, type }: FileColumn, page: Page): void {
    const bytes = isBytesType(type) ? textBytes(page.data) : 0
    const before = this.#kept.get(name)
    if (before !== undefined && isBytesType(type)) this.#keptBytes -= textBytes(before.data)
    this.#kept.delete(name)
    if (this.#keptBytes + bytes > this.#maxKept) return
    this.#keptBytes += bytes
    this.#kept.set(name, page)
  }

  #index({ name, type }: FileColumn): number {
    const index = this.#footer.columns.findIndex(column => column.name === name)
    const found = this.#footer.columns[index]
    if (found === undefined) throw new ParquetError(`${this.#path} has no column ${name}`)
    const { type: expected, logical } = storedColumn({ name, type })
    const isShort = type.startsWith('Decimal') && found.type === 'int32'
    if ((found.type === expected || isShort) && isSame(found.logical, logical)) return index
    throw new ParquetError(`column ${name} of ${this.#path} does not hold ${type}`)
  }

  #typed(column: FileColumn, data: ColumnData): ColumnData {
    if (data.kind !== 'fixed') return data
    // DuckDB writes short decimals in 32 bits.
    if (data.values instanceof Int32Array && isWide(column.type))
      return { ...data, values: BigInt64Array.from(data.values, BigInt) }
    return fromStored(column, data)
  }

  #read = (offset: number, length: number): Uint8Array => {
    const bytes = new Uint8Array(length)
    for (let filled = 0; filled < length; ) {
      const read = readSync(this.#fd, bytes, filled, length - filled, offset + filled)
      if (read === 0) throw new ParquetError(`${this.#path} ends too early`, offset + filled)
      filled += read
    }
    return bytes
  }
}

function textBytes(data: ColumnData): number {
  if (data.kind === 'fixed') return 0
  return data.kind === 'bytes' ? data.bytes.length : data.dictionary.bytes.length + data.codes.byteLength
}

function isWide(type: ColumnType): boolean {
  return fixedArray(type) === BigInt64Array
}

/** DuckDB says of 32 and 64 bits with a sign that they are integers; it need not be said. */
function isSame(found: LogicalType | undefined, expected: LogicalType | undefined): boolean {
  const plain = found?.kind === 'int' && found.signed && found.bits >= 32 ? undefined : found
  return (
    JSON.stringify(plain && Object.entries(plain).sort()) ===
    JSON.stringify(expected && Object.entries(expected).sort())
  )
}

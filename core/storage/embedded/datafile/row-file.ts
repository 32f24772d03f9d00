// Writes a data file row group by row group, synchronously; for threads without other work.
import { closeSync, openSync, unlinkSync, writeSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import type { ColumnData } from '../../../model/batch.ts'
import { type ParquetColumn, ParquetWriter } from '../parquet/index.ts'
import { type FileColumn, storedColumn, toStored } from './stored-column.ts'

export interface WrittenFile {
  readonly rows: number
  readonly bytes: number
  /** CRC-32 of the whole file. */
  readonly checksum: number
}

/** Rows of a page, the least that a reader of few series decodes. With smaller pages DuckDB is slower and files are larger. */
const pageRows = 32_768
/** Bytes written at once, and those a small file begins with: there may be thousands of small ones, and memory is zeroed before it is used. */
const [bufferBytes, firstBytes] = [1 << 20, 1 << 14]

export class RowFile {
  readonly #path: string
  readonly #columns: readonly FileColumn[]
  readonly #fd: number
  readonly #writer: ParquetWriter
  #buffer = new Uint8Array(firstBytes)
  #buffered = 0
  #bytes = 0
  #checksum = 0
  #rows = 0

  /** `required`: columns without nulls. */
  constructor(path: string, columns: readonly FileColumn[], required: readonly string[] = []) {
    this.#path = path
    this.#columns = columns
    const stored = columns.map(
      (column): ParquetColumn => ({
        ...storedColumn(column),
        optional: !required.includes(column.name)
      })
    )
    this.#fd = openSync(path, 'w')
    try {
      this.#writer = new ParquetWriter(stored, bytes => this.#take(bytes), { pageRows })
    } catch (error) {
      this.abandon()
      throw error
    }
  }

  get rows(): number {
    return this.#rows
  }

  /** Writes a row group. */
  write(rows: number, columns: readonly ColumnData[]): void {
    const stored = columns.map((data, i) => toStored(this.#columns[i]!, data))
    this.#writer.writeRowGroup(rows, stored)
    this.#rows += rows
  }

  /** Completes the file. To survive a power cut it is to be synced (`makeDurable`). `facts`: what the file tells of itself. */
  finish(facts?: ReadonlyMap<string, string>): WrittenFile {
    this.#writer.finish(facts)
    this.#drain()
    closeSync(this.#fd)
    return { rows: this.#rows, bytes: this.#bytes, checksum: this.#checksum }
  }

  /** Removes the file, instead of `finish`. */
  abandon(): void {
    closeSync(this.#fd)
    unlinkSync(this.#path)
  }

  #take(bytes: Uint8Array): void {
    if (this.#buffered + bytes.length > this.#buffer.length) this.#makeRoom(bytes.length)
    if (bytes.length > bufferBytes) this.#put(bytes)
    else {
      this.#buffer.set(bytes, this.#buffered)
      this.#buffered += bytes.length
    }
  }

  #makeRoom(bytes: number): void {
    if (this.#buffered + bytes > bufferBytes) this.#drain()
    if (this.#buffered + bytes <= this.#buffer.length || bytes > bufferBytes) return
    const grown = new Uint8Array(bufferBytes)
    grown.set(this.#buffer.subarray(0, this.#buffered))
    this.#buffer = grown
  }

  #drain(): void {
    this.#put(this.#buffer.subarray(0, this.#buffered))
    this.#buffered = 0
  }

  #put(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#fd, bytes, at)
    this.#checksum = crc32(bytes, this.#checksum)
    this.#bytes += bytes.length
  }
}

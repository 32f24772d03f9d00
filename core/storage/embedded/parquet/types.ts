// The types of Parquet files: columns, row groups, pages, and the error for a damaged one.
import { DbError } from '../../../errors.ts'

export type PhysicalType = 'boolean' | 'int32' | 'int64' | 'float' | 'double' | 'bytes' | 'fixed16'

export type LogicalType =
  | { readonly kind: 'string' | 'json' | 'date' }
  | { readonly kind: 'int'; readonly bits: 8 | 16 | 32 | 64; readonly signed: boolean }
  | { readonly kind: 'timestamp'; readonly unit: 'ms' | 'us' | 'ns' }
  | { readonly kind: 'decimal'; readonly precision: number; readonly scale: number }

export interface ParquetColumn {
  readonly name: string
  readonly type: PhysicalType
  readonly logical?: LogicalType
  readonly optional: boolean
  /** Bytes of a value where the file stores values of one length (FIXED_LEN_BYTE_ARRAY). The writer always uses 16. */
  readonly length?: number
}

/** A bound of values. Numbers for boolean (0, 1), int32, float and double, bigint for int64, bytes as the file holds them otherwise. */
export type Bound = number | bigint | Uint8Array

/** Where bytes lie in the file. */
export interface Extent {
  readonly offset: number
  readonly bytes: number
}

export interface ChunkInfo {
  /** Where the first page begins, the dictionary page included. */
  readonly offset: number
  /** Of all pages, as they lie in the file. */
  readonly bytes: number
  /** Of all pages, uncompressed. */
  readonly plainBytes: number
  /** Rows, those without a value included. */
  readonly values: number
  /** -1: the file does not say. */
  readonly nulls: number
  /** Absent when unknown and when a floating point column holds NaN, which readers order differently. */
  readonly min?: Bound
  readonly max?: Bound
  /** Long bytes: the bounds are below and above all values, but may be none of them. */
  readonly shortened?: boolean
  readonly distinct?: number
  readonly codec: number
  /** Of the data pages and the dictionary, by Parquet's numbers. */
  readonly encodings: readonly number[]
  readonly dictionaryOffset?: number
  readonly dataOffset: number
  readonly columnIndex?: Extent
  readonly offsetIndex?: Extent
}

export interface RowGroupInfo {
  readonly rows: number
  readonly columns: readonly ChunkInfo[]
}

export interface ParquetFooter {
  readonly columns: readonly ParquetColumn[]
  readonly rows: number
  readonly rowGroups: readonly RowGroupInfo[]
  /** What the writer tells of the file, by names of its own; readers ignore those they do not know. */
  readonly facts: ReadonlyMap<string, string>
}

export interface WriterOptions {
  /** Rows of a page. */
  readonly pageRows?: number
  /** Of zstd; 0: nothing is compressed. */
  readonly level?: number
  /** For files that are read a few times: values are written as they are, texts without bounds. */
  readonly plain?: boolean
}

/** Rows `from` to `to` (exclusive) of a row group that one page holds. */
export interface PageInfo {
  readonly from: number
  readonly to: number
  readonly min?: Bound
  readonly max?: Bound
}

/** Bytes `offset` to `offset + length` of a file. */
export type ReadAt = (offset: number, length: number) => Uint8Array

/** A file that is no Parquet, is damaged, or uses an unsupported feature; or rows that do not fit the columns of a writer. */
export class ParquetError extends DbError {
  /** The byte of the file at which it was noticed. */
  readonly at: number | undefined

  constructor(message: string, at?: number, cause?: unknown) {
    super('StorageUnavailable', at === undefined ? `Parquet: ${message}` : `Parquet: ${message} at byte ${at}`, {
      cause
    })
    this.name = 'ParquetError'
    this.at = at
  }
}

// Columns in memory, in Arrow's layout: typed arrays, offsets and bytes, validity bitmaps. All writes and results consist of them.
import type { SeriesKeys, SeriesLabel } from './series.ts'
import type { ColumnIndex, Semantic, TableOptions } from './table.ts'
import type { ColumnType, ResultType } from './types.ts'

/**
 * One number per row. Boolean: bytes 0 and 1. Date: days since 1970. Timestamp: the column's own unit. Decimal: the unscaled integer; above 18 digits
 * two 64-bit words, the low one first.
 */
export interface FixedData {
  readonly kind: 'fixed'
  readonly values:
    | Int8Array
    | Int16Array
    | Int32Array
    | Uint8Array
    | Uint16Array
    | Uint32Array
    | BigInt64Array
    | BigUint64Array
    | Float32Array
    | Float64Array
  /** Bit i (least significant first) is 1 if row i has a value. Absent: all rows have one. */
  readonly valid?: Uint8Array
}

/** UTF-8 text, JSON text or bytes: row i is `bytes[offsets[i] … offsets[i + 1]]`. Text must be valid UTF-8. */
export interface BytesData {
  readonly kind: 'bytes'
  /** rows + 1 ascending entries. */
  readonly offsets: Uint32Array
  readonly bytes: Uint8Array
  readonly valid?: Uint8Array
}

/** Repeated texts: row i is `dictionary[codes[i]]`. */
export interface DictionaryData {
  readonly kind: 'dictionary'
  readonly codes: Uint32Array
  readonly dictionary: BytesData
  readonly valid?: Uint8Array
}

/**
 * The values of a column: a typed array, bytes with offsets, or codes of a dictionary. Once handed to `Store.write`, the memory belongs to the engine
 * and must not change.
 */
export type ColumnData = FixedData | BytesData | DictionaryData

/** A column of a write. */
export interface Column {
  readonly name: string
  readonly type: ColumnType
  readonly semantic: Semantic
  readonly data: ColumnData
  /** The index a column gets when this write creates it. */
  readonly index?: ColumnIndex
}

/** Rows for one table, as a plugin hands them to `Store.write`. */
export interface TableWrite {
  /** Default: the request's database. */
  readonly database?: string
  readonly table: string
  readonly rows: number
  /** All with `rows` values, unique names, and exactly one `timestamp` column without nulls. Columns of the table that are left out become null. */
  readonly columns: readonly Column[]
  /** The tags of the rows, instead of tag columns. */
  readonly tags?: RowTags
  /** Options of the table if this write creates it. */
  readonly options?: TableOptions
  /** False: a missing table or column is an error instead of being created. Default: the server's `auto_create_table`. */
  readonly autoCreate?: boolean
  /** `delete` hides the rows with the same tags and time; only tags and time index are read. Default `put`. */
  readonly op?: 'put' | 'delete'
}

/** Tags by keys, as a protocol writes them. The tags of a key that was seen before are not read again. */
export interface RowTags {
  /** Equal bytes mean the same tags in every write of the plugin to the table. */
  readonly keys: SeriesKeys
  /** Index of the key of each row; at least `rows` entries. The memory stays the caller's and must not change until the write has resolved. */
  readonly series: Uint32Array
  /**
   * The tags of key `i` that have a value, with unique names. Called for unknown keys until the write has resolved. Throws DbError for invalid ones.
   */
  labels(i: number): readonly SeriesLabel[]
}

/** A column of a result. 64-bit integers are bigint arrays, text is strings, JSON is its text, nested values are JavaScript values. */
export interface ResultVector {
  readonly values: FixedData['values'] | readonly unknown[]
  readonly valid?: Uint8Array
}

/** Name and type of a result column. */
export interface ResultColumn {
  readonly name: string
  readonly type: ResultType
}

/** A part of the rows of a result, with a vector for each column. */
export interface ResultBatch {
  readonly rows: number
  readonly columns: readonly ResultVector[]
}

/** Whether row `i` has a value: bit `i` of the bitmap; true without a bitmap. */
export function isValid(valid: Uint8Array | undefined, i: number): boolean {
  return valid === undefined || (valid[i >> 3]! & (1 << (i & 7))) !== 0
}

/** Sets bit `i`, the least significant of a byte first. */
export function setBit(bits: Uint8Array, i: number): void {
  bits[i >> 3]! |= 1 << (i & 7)
}

/** Clears bit `i`. */
export function clearBit(bits: Uint8Array, i: number): void {
  bits[i >> 3]! &= ~(1 << (i & 7))
}

/** A bitmap with a bit for each of `rows` rows, all ones or all zeros; bits beyond the last row may be ones. */
export function bitmap(rows: number, filled: boolean): Uint8Array {
  const bits = new Uint8Array((rows + 7) >> 3)
  if (filled) bits.fill(255)
  return bits
}

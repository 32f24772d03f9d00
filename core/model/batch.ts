// Columns in memory, in Arrow's layout: typed arrays, offsets and bytes, validity bitmaps. What every write and every result is made of.
import type { SeriesKeys, SeriesLabel } from './series.ts'
import type { ColumnIndex, Semantic, TableOptions } from './table.ts'
import type { ColumnType, ResultType } from './types.ts'

/** One value per row. Boolean: bytes 0 and 1. Date: days since 1970. Timestamp: the column's own unit. Decimal: the unscaled integer, above 18 digits as two words, the low one first. */
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
  /** Bit i (least significant first) is 1 where row i has a value. Absent: all have. */
  readonly valid?: Uint8Array
}

/** UTF-8 text, JSON text or bytes: row i is `bytes[offsets[i] … offsets[i + 1]]`. Text must be valid UTF-8. */
export interface BytesData {
  readonly kind: 'bytes'
  /** rows + 1 entries, ascending. */
  readonly offsets: Uint32Array
  readonly bytes: Uint8Array
  readonly valid?: Uint8Array
}

/** Repeated text by code: row i is `dictionary[codes[i]]`. */
export interface DictionaryData {
  readonly kind: 'dictionary'
  readonly codes: Uint32Array
  readonly dictionary: BytesData
  readonly valid?: Uint8Array
}

/** The values of a column: typed array, bytes with offsets, or codes of a dictionary. All memory is the engine's from `Store.write` on: it must not change any more. */
export type ColumnData = FixedData | BytesData | DictionaryData

/** A column of rows that are written. */
export interface Column {
  readonly name: string
  readonly type: ColumnType
  readonly semantic: Semantic
  readonly data: ColumnData
  /** The index a column gets when this write creates it. */
  readonly index?: ColumnIndex
}

/** Rows for one table, as a protocol hands them to `Store.write`. */
export interface TableWrite {
  /** Default: the request's. */
  readonly database?: string
  readonly table: string
  readonly rows: number
  /** All `rows` long, names unique, exactly one `timestamp` without nulls. Columns of the table that are left out become null. */
  readonly columns: readonly Column[]
  /** The tags of the rows, instead of columns for them. */
  readonly tags?: RowTags
  /** Options of the table if this write creates it. */
  readonly options?: TableOptions
  /** False: a missing table or column is an error instead of being created. Default: the server's `auto_create_table`. */
  readonly autoCreate?: boolean
  /** `delete` hides the rows with the same tags and time; only tags and time index are read. Default `put`. */
  readonly op?: 'put' | 'delete'
}

/** Tags as a protocol writes them: those of a key that was seen before are not looked at again. */
export interface RowTags {
  /** Equal bytes mean the same tags in every write of the plugin to the table. */
  readonly keys: SeriesKeys
  /** Of each row: which key. At least `rows` entries; all memory stays the caller's and must not change until the answer. */
  readonly series: Uint32Array
  /** Tells the tags of key `i` that have a value, names unique; asked for keys that are not known, until the write has been answered. Throws DbError. */
  labels(i: number): readonly SeriesLabel[]
}

/** Columns of a result. 64-bit numbers come as bigint arrays, text as strings, JSON as its text, everything nested as JavaScript values. */
export interface ResultVector {
  readonly values: FixedData['values'] | readonly unknown[]
  readonly valid?: Uint8Array
}

/** Name and type of a column of a result. */
export interface ResultColumn {
  readonly name: string
  readonly type: ResultType
}

/** Some rows of a result, a vector for each of its columns. */
export interface ResultBatch {
  readonly rows: number
  readonly columns: readonly ResultVector[]
}

/** Whether row `i` has a value. */
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

/** A bitmap of `rows` ones (or zeros). */
export function bitmap(rows: number, filled: boolean): Uint8Array {
  const bits = new Uint8Array((rows + 7) >> 3)
  if (filled) bits.fill(255)
  return bits
}

// Collects rows of a result, batch by batch, into the columns of a Parquet row group.
import { type ColumnData, clearBit, type FixedData, isValid, type ResultVector } from '../model/batch.ts'
import { unscale } from '../model/decimal.ts'
import { formatTimestamp } from '../model/time.ts'
import { type ColumnType, fixedArray, isTimestamp, type ResultType, timeUnit } from '../model/types.ts'
import {
  type ParquetColumn,
  type ParquetType,
  parquetDecimal,
  parquetTypes
} from '../storage/embedded/parquet/index.ts'
import { jsonWriter, type ValueWriter } from './json-value.ts'

interface GroupColumn {
  readonly column: ParquetColumn
  /** Adds rows `from` to `to` (exclusive) of a vector. */
  add(vector: ResultVector, from: number, to: number): void
  /** Bytes added since the last `take`. */
  bytes(): number
  /** The rows added since the last call; the next `add` reuses the memory. */
  take(): ColumnData
}

/** The Parquet column for one of our types; types without an equivalent become text, nested values JSON. */
export function groupColumn(name: string, type: ResultType): GroupColumn {
  const decimal = /^Decimal\((\d+), (\d+)\)$/.exec(type)
  if (decimal !== null) return decimals(name, Number(decimal[1]), Number(decimal[2]))
  if (isTimestamp(type)) {
    const unit = timeUnit(type)
    const logical = { kind: 'timestamp', unit: unit === 's' ? 'ms' : unit } as const
    const convert = unit === 's' ? (value: unknown) => BigInt(value as bigint) * 1000n : toBigInt
    return numbers({ name, type: 'int64', logical, optional: true }, BigInt64Array, convert, unit !== 's')
  }
  const plain = (parquetTypes as Partial<Record<ResultType, ParquetType>>)[type]
  if (plain?.type === 'bytes')
    return texts({ name, ...plain, optional: true }, type === 'Binary' ? value => value as Uint8Array : String)
  if (plain !== undefined) {
    const convert = plain.type === 'int64' ? toBigInt : Number
    return numbers({ name, ...plain, optional: true }, fixedArray(type as ColumnType), convert, true)
  }
  const kind = type.endsWith('>') ? 'json' : 'string'
  return texts({ name, type: 'bytes', logical: { kind }, optional: true }, writerOf(type))
}

type Numbers = FixedData['values']
type NumbersType = new (length: number) => Numbers

const toBigInt = (value: unknown) => BigInt(value as bigint)

/** Times of day in SQL syntax, intervals as they are, other values as JSON. */
function writerOf(type: ResultType): ValueWriter {
  if (type === 'TimeMicrosecond') return value => formatTimestamp(toBigInt(value) * 1000n).slice(11, -1)
  if (type === 'IntervalMonthDayNano') return String
  return jsonWriter(type)
}

/** `isSame`: arrays of this type can be used without conversion. */
function numbers(
  column: ParquetColumn,
  Values: NumbersType,
  convert: (value: unknown) => number | bigint,
  isSame: boolean
): GroupColumn {
  let values = new Values(firstRows)
  let rows = 0
  const present = presence()
  return {
    column,
    add(vector, from, to) {
      if (values.length < rows + to - from) values = grown(values, Values, rows + to - from)
      present.add(vector, from, to, rows)
      const given = vector.values
      if (isSame && given instanceof Values) values.set(given.subarray(from, to) as never, rows)
      else
        for (let i = from, put = rows; i < to; i++, put++)
          if (present.has(put)) values[put] = convert(given[i]) as never
      rows += to - from
    },
    bytes: () => rows * values.BYTES_PER_ELEMENT,
    take() {
      const data: ColumnData = { kind: 'fixed', values: values.subarray(0, rows), ...present.take(rows) }
      rows = 0
      return data
    }
  }
}

function decimals(name: string, precision: number, scale: number): GroupColumn {
  const column: ParquetColumn = { name, ...parquetDecimal(precision, scale), optional: true }
  const read = (value: unknown) => unscale(String(value), scale)
  if (column.type === 'int64') return numbers(column, BigInt64Array, read, false)
  let words = new BigInt64Array(2 * firstRows)
  let rows = 0
  const present = presence()
  return {
    column,
    add(vector, from, to) {
      if (words.length < 2 * (rows + to - from)) words = grown(words, BigInt64Array, 2 * (rows + to - from))
      present.add(vector, from, to, rows)
      for (let i = from; i < to; i++, rows++) {
        if (!present.has(rows)) continue
        const value = read(vector.values[i])
        words[2 * rows] = BigInt.asIntN(64, value)
        words[2 * rows + 1] = value >> 64n
      }
    },
    bytes: () => 16 * rows,
    take() {
      const data: ColumnData = { kind: 'fixed', values: words.subarray(0, 2 * rows), ...present.take(rows) }
      rows = 0
      return data
    }
  }
}

function texts(column: ParquetColumn, write: (value: unknown) => string | Uint8Array): GroupColumn {
  let offsets = new Uint32Array(firstRows)
  let bytes = Buffer.allocUnsafe(16 * firstRows)
  let rows = 0
  const present = presence()
  return {
    column,
    add(vector, from, to) {
      if (offsets.length <= rows + to - from) offsets = grown(offsets, Uint32Array, rows + to - from + 1)
      present.add(vector, from, to, rows)
      let at = offsets[rows]!
      for (let i = from; i < to; i++) {
        if (present.has(rows)) {
          const value = write(vector.values[i])
          // A character takes three bytes of UTF-8 at most.
          const max = typeof value === 'string' ? 3 * value.length : value.length
          if (bytes.length < at + max) bytes = grownBuffer(bytes, at, at + max)
          if (typeof value === 'string') at += bytes.write(value, at)
          else {
            bytes.set(value, at)
            at += value.length
          }
        }
        offsets[++rows] = at
      }
    },
    bytes: () => offsets[rows]! + 4 * rows,
    take() {
      const data: ColumnData = { kind: 'bytes', offsets: offsets.subarray(0, rows + 1), bytes, ...present.take(rows) }
      rows = 0
      return data
    }
  }
}

/** Initial capacity in rows. */
const firstRows = 2048

function grown<T extends Numbers>(values: T, Values: new (length: number) => T, needed: number): T {
  const more = new Values(Math.max(needed, 2 * values.length))
  more.set(values as never)
  return more
}

function grownBuffer(bytes: Buffer, used: number, needed: number): Buffer<ArrayBuffer> {
  const more = Buffer.allocUnsafe(Math.max(needed, 2 * bytes.length))
  bytes.copy(more, 0, 0, used)
  return more as Buffer<ArrayBuffer>
}

/** Collects validity: a bitmap from the first null on. Nulls may be in a vector's bitmap or among its values. */
function presence() {
  let bits: Uint8Array | undefined
  const reach = (rows: number) => {
    const needed = (rows + 7) >> 3
    if (bits !== undefined && bits.length >= needed) return bits
    const more = new Uint8Array(Math.max(needed, 2 * (bits?.length ?? 0))).fill(255)
    more.set(bits ?? [])
    bits = more
    return more
  }
  return {
    /** Adds rows `from` to `to` (exclusive) as rows from `row` on. */
    add({ values, valid }: ResultVector, from: number, to: number, row: number): void {
      const areNumbers = ArrayBuffer.isView(values)
      if (valid === undefined && areNumbers) return
      for (let i = from, put = row; i < to; i++, put++) {
        if (isValid(valid, i) && (areNumbers || (values[i] ?? null) !== null)) continue
        clearBit(reach(put + 1), put)
      }
    },
    has: (row: number) => bits === undefined || row >> 3 >= bits.length || isValid(bits, row),
    take(rows: number): { readonly valid?: Uint8Array } {
      if (bits === undefined) return {}
      const valid = reach(rows)
      bits = undefined
      return { valid }
    }
  }
}

// Converts a result vector to Arrow buffers.
import type * as Arrow from 'apache-arrow'
import { isValid, setBit } from '../model/batch.ts'
import { unscale } from '../model/decimal.ts'
import { readInterval } from '../model/interval.ts'
import { nestedType } from '../model/nested-type.ts'
import { isTimestamp, type ResultType, timeUnit } from '../model/types.ts'
import { type ArrowColumn, nulls } from './arrow-layout.ts'
import { arrowList, arrowStruct } from './arrow-nested.ts'
import { jsonWriter } from './json-value.ts'

type Library = typeof Arrow

/** The Arrow column for one of our types; types without an equivalent become JSON text. */
export function arrowColumn(library: Library, type: ResultType): ArrowColumn {
  if (type === 'Boolean') return booleans(library)
  if (type === 'String' || type === 'Json')
    return bytes(library, new library.Utf8(), value => Buffer.from(String(value)))
  if (type === 'Binary') return bytes(library, new library.Binary(), value => value as Uint8Array)
  const decimal = /^Decimal\((\d+), (\d+)\)$/.exec(type)
  if (decimal !== null) return decimals(library, Number(decimal[1]), Number(decimal[2]))
  const nested = nestedType(type)
  if (nested?.kind === 'list') return arrowList(library, arrowColumn(library, nested.item))
  if (nested?.kind === 'struct') {
    const fields = nested.fields.map(({ name, type }) => ({ name, layout: arrowColumn(library, type) }))
    return arrowStruct(library, fields)
  }
  if (type === 'IntervalMonthDayNano') return intervals(library)
  const plain = fixedType(library, type)
  if (plain !== undefined) return fixed(library, plain)
  const write = jsonWriter(type)
  return bytes(library, new library.Utf8(), value => Buffer.from(typeof value === 'string' ? value : write(value)))
}

/** The Arrow type if all values have the same number of bytes, stored contiguously; undefined for others. */
export function fixedType(library: Library, type: ResultType): Arrow.DataType | undefined {
  if (isTimestamp(type)) {
    const { SECOND, MILLISECOND, MICROSECOND, NANOSECOND } = library.TimeUnit
    return new library.Timestamp({ s: SECOND, ms: MILLISECOND, us: MICROSECOND, ns: NANOSECOND }[timeUnit(type)])
  }
  switch (type) {
    case 'Int8':
      return new library.Int8()
    case 'Int16':
      return new library.Int16()
    case 'Int32':
      return new library.Int32()
    case 'Int64':
      return new library.Int64()
    case 'UInt8':
      return new library.Uint8()
    case 'UInt16':
      return new library.Uint16()
    case 'UInt32':
      return new library.Uint32()
    case 'UInt64':
      return new library.Uint64()
    case 'Float32':
      return new library.Float32()
    case 'Float64':
      return new library.Float64()
    case 'Date':
      return new library.DateDay()
    case 'TimeMicrosecond':
      return new library.TimeMicrosecond()
  }
}

function fixed(library: Library, type: Arrow.DataType): ArrowColumn {
  const Values = type.ArrayType as { from(values: Iterable<unknown>): ArrayLike<unknown> }
  return {
    type,
    data(vector, rows) {
      const { nullBitmap, nullCount } = nulls(vector, rows)
      const { values } = vector
      const zero = type.ArrayType === BigInt64Array || type.ArrayType === BigUint64Array ? 0n : 0
      const data = ArrayBuffer.isView(values)
        ? (values as Int32Array).subarray(0, rows)
        : Values.from((values as readonly unknown[]).slice(0, rows).map(value => value ?? zero))
      return library.makeData({ type, length: rows, nullCount, nullBitmap, data } as never)
    }
  }
}

function booleans(library: Library): ArrowColumn {
  const type = new library.Bool()
  return {
    type,
    data(vector, rows) {
      const data = new Uint8Array((rows + 7) >> 3)
      for (let i = 0; i < rows; i++) if (vector.values[i]) setBit(data, i)
      return library.makeData({ type, length: rows, ...nulls(vector, rows), data })
    }
  }
}

function bytes(library: Library, type: Arrow.Utf8 | Arrow.Binary, encode: (value: unknown) => Uint8Array): ArrowColumn {
  return {
    type,
    data(vector, rows) {
      const { nullBitmap, nullCount } = nulls(vector, rows)
      const valueOffsets = new Int32Array(rows + 1)
      const parts: Uint8Array[] = []
      for (let i = 0; i < rows; i++) {
        const part = isValid(nullBitmap, i) ? encode(vector.values[i]) : new Uint8Array(0)
        parts.push(part)
        valueOffsets[i + 1] = valueOffsets[i]! + part.length
      }
      const data = Buffer.concat(parts)
      return library.makeData({ type, length: rows, nullCount, nullBitmap, valueOffsets, data } as never)
    }
  }
}

function decimals(library: Library, precision: number, scale: number): ArrowColumn {
  const type = new library.Decimal(scale, precision)
  return {
    type,
    data(vector, rows) {
      const { nullBitmap, nullCount } = nulls(vector, rows)
      const words = new BigUint64Array(rows * 2)
      for (let i = 0; i < rows; i++) {
        if (!isValid(nullBitmap, i)) continue
        const unscaled = unscale(String(vector.values[i]), scale)
        words[i * 2] = BigInt.asUintN(64, unscaled)
        words[i * 2 + 1] = BigInt.asUintN(64, unscaled >> 64n)
      }
      const data = new Uint32Array(words.buffer)
      return library.makeData({ type, length: rows, nullCount, nullBitmap, data })
    }
  }
}

function intervals(library: Library): ArrowColumn {
  const type = new library.IntervalMonthDayNano()
  return {
    type,
    data(vector, rows) {
      const { nullBitmap, nullCount } = nulls(vector, rows)
      const words = new BigUint64Array(rows * 2)
      for (let i = 0; i < rows; i++) {
        if (!isValid(nullBitmap, i)) continue
        const { months, days, micros } = readInterval(String(vector.values[i]))
        words[i * 2] = BigInt.asUintN(32, BigInt(months)) | (BigInt.asUintN(32, BigInt(days)) << 32n)
        words[i * 2 + 1] = BigInt.asUintN(64, micros * 1000n)
      }
      const data = new Int32Array(words.buffer)
      return library.makeData({ type, length: rows, nullCount, nullBitmap, data } as never)
    }
  }
}

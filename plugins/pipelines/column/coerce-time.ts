// Coerces items to columns of timestamps: points in time are converted to the column's unit, plain integers are taken as they are.
import { cell, type FixedData, type TimestampType, type TimeUnit, timeUnit } from '../../../core/compute.ts'
import { kindName } from '../cell/input.ts'
import type { TransformColumn } from '../pipeline.ts'
import { createGaps, type Filler, type Gaps, type Source } from './gap.ts'

/** A unit in nanoseconds, as factors small enough for exact division of 64 bits in halves. */
const divisors: Readonly<Record<TimeUnit, readonly number[]>> = { s: [1e6, 1e3], ms: [1e6], us: [1e3], ns: [] }

export function timeData(source: Source, column: TransformColumn): FixedData {
  const { field, rows } = source
  const gaps = createGaps(source, column)
  const values = new BigInt64Array(rows.length)
  const words = new Uint32Array(values.buffer)
  const factors = divisors[timeUnit(column.type as TimestampType)]
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]!
    const kind = field === undefined ? cell.absent : field.kinds[row]!
    if (kind === cell.timestamp || kind === cell.int) {
      words[i * 2] = field!.words[row * 2]!
      words[i * 2 + 1] = field!.words[row * 2 + 1]!
      if (kind === cell.timestamp) for (const factor of factors) divide(words, i, factor)
    } else values[i] = BigInt(exception(gaps, column, i, kind) ?? 0n)
  }
  const valid = gaps.valid()
  return { kind: 'fixed', values, ...(valid && { valid }) }
}

/** Divides the signed 64-bit number at `i` with floor, in halves, without a bigint. */
function divide(words: Uint32Array, i: number, factor: number): void {
  const high = words[i * 2 + 1]! | 0
  const quotient = Math.floor(high / factor)
  words[i * 2] = Math.floor(((high - quotient * factor) * 4_294_967_296 + words[i * 2]!) / factor)
  words[i * 2 + 1] = quotient
}

function exception(gaps: Gaps, column: TransformColumn, i: number, kind: number): Filler | undefined {
  if (kind === cell.absent) return gaps.missing(i)
  if (kind === cell.null) return gaps.nothing(i)
  if (kind !== cell.object && column.onFailure === 'ignore') return gaps.nothing(i)
  return gaps.refuse(i, `${kindName(kind)} value not supported for a time, use date or epoch first`)
}

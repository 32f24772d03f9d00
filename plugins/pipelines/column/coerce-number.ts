// Columns of integers and floats from cells of any kind.
import { cell, type FixedData, type ItemBatch, type ItemField } from '../../../core/compute.ts'
import { kindName } from '../cell/input.ts'
import { readDecimal, readInteger, readSafeInteger } from '../cell/number.ts'
import type { TransformColumn } from '../pipeline.ts'
import { createGaps, type Filler, type Gaps, type Source } from './gap.ts'
import { type IntegerRange, integerRange } from './integer.ts'

const arrays = {
  Int8: Int8Array,
  Int16: Int16Array,
  Int32: Int32Array,
  Int64: BigInt64Array,
  UInt8: Uint8Array,
  UInt16: Uint16Array,
  UInt32: Uint32Array,
  UInt64: BigUint64Array
} as const

export function integerData(source: Source, column: TransformColumn): FixedData {
  const { batch, field, rows } = source
  const range = integerRange(column.type)!
  const gaps = createGaps(source, column)
  const values = new arrays[column.type as keyof typeof arrays](rows.length)
  const words = range.wide ? new Uint32Array(values.buffer) : undefined
  const copies = column.type === 'Int64'
  const least = Number(range.least)
  const greatest = range.wide ? Number.MAX_SAFE_INTEGER : Number(range.greatest)
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]!
    const kind = field === undefined ? cell.absent : field.kinds[row]!
    if (copies && kind === cell.int) {
      words![i * 2] = field!.words[row * 2]!
      words![i * 2 + 1] = field!.words[row * 2 + 1]!
      continue
    }
    const number = kind > cell.null ? shortInteger(batch, field!, row, kind) : Number.NaN
    if (!(number >= least && number <= greatest && number >= Number.MIN_SAFE_INTEGER)) {
      const value = exception(source, range, gaps, i, kind)
      if (value !== undefined) values[i] = (range.wide ? BigInt(value) : Number(value)) as never
    } else if (words === undefined) values[i] = number as never
    else {
      words[i * 2] = number
      words[i * 2 + 1] = Math.floor(number / 4_294_967_296)
    }
  }
  return fixed(values, gaps)
}

/** The cell as an integer that is exact as a number, or any number out of that range, or NaN. */
function shortInteger(batch: ItemBatch, field: ItemField, row: number, kind: number): number {
  const low = field.words[row * 2]!
  const high = field.words[row * 2 + 1]!
  if (kind === cell.string) return readSafeInteger(batch.bytes, low, high)
  if (kind === cell.int) return (high | 0) * 4_294_967_296 + low
  if (kind === cell.float) return Math.trunc(field.floats[row]!)
  return kind === cell.boolean ? low : Number.NaN
}

function exception({ batch, field, rows }: Source, range: IntegerRange, gaps: Gaps, i: number, kind: number) {
  if (kind === cell.absent) return gaps.missing(i)
  if (kind === cell.null) return gaps.nothing(i)
  if (kind === cell.timestamp || kind === cell.object) return gaps.refuse(i, `cannot convert ${kindName(kind)}`)
  const value = longInteger(batch, field!, rows[i]!, kind)
  if (value === undefined) return gaps.fault(i, 'not an integer')
  return value >= range.least && value <= range.greatest ? value : gaps.fault(i, 'out of range')
}

function longInteger(batch: ItemBatch, field: ItemField, row: number, kind: number): bigint | undefined {
  if (kind === cell.string) return readInteger(batch.bytes, field.words[row * 2]!, field.words[row * 2 + 1]!)
  if (kind === cell.float) {
    const float = field.floats[row]!
    return Number.isFinite(float) ? BigInt(Math.trunc(float)) : undefined
  }
  return BigInt(field.ints[row]!)
}

export function floatData(source: Source, column: TransformColumn): FixedData {
  const { batch, field, rows } = source
  const gaps = createGaps(source, column)
  const values = column.type === 'Float32' ? new Float32Array(rows.length) : new Float64Array(rows.length)
  const other = (i: number, kind: number): Filler | undefined => {
    if (kind === cell.absent) return gaps.missing(i)
    if (kind === cell.null) return gaps.nothing(i)
    if (kind !== cell.string) return gaps.refuse(i, `cannot convert ${kindName(kind)}`)
    const row = rows[i]!
    const number = readDecimal(batch.bytes, field!.words[row * 2]!, field!.words[row * 2 + 1]!)
    return number ?? gaps.fault(i, 'not a number')
  }
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]!
    const kind = field === undefined ? cell.absent : field.kinds[row]!
    if (kind === cell.float) values[i] = field!.floats[row]!
    else if (kind === cell.int) values[i] = Number(field!.ints[row]!)
    else if (kind === cell.boolean) values[i] = field!.words[row * 2]!
    else values[i] = Number(other(i, kind) ?? 0)
  }
  return fixed(values, gaps)
}

function fixed(values: FixedData['values'], gaps: Gaps): FixedData {
  const valid = gaps.valid()
  return { kind: 'fixed', values, ...(valid && { valid }) }
}

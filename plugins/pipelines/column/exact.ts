// Whether a column type represents a value exactly. Without a transform, other values are refused.
import {
  type ColumnType,
  cell,
  convertTime,
  type ItemBatch,
  type ItemField,
  isExactFloat,
  isExactFloat32,
  isTimestamp,
  readExactFloat,
  readExactInteger,
  type TimestampType,
  timeUnit
} from '../../../core/compute.ts'
import { type IntegerRange, integerRange } from './integer.ts'

/** A function that tells whether a column of the type represents a row's value exactly. */
export function exactCheck(batch: ItemBatch, field: ItemField, type: ColumnType): (row: number) => boolean {
  const { kinds } = field
  const of = (check: Partial<Record<number, (row: number) => boolean>>) => (row: number) =>
    check[kinds[row]!]?.(row) ?? false
  const always = () => true
  const text = (row: number) => batch.text(field, row)
  const int = (row: number) => field.ints[row]!
  const float = (row: number) => field.floats[row]!
  const isBit = (value: number | bigint) => value === 0 || value === 1 || value === 0n || value === 1n
  if (type === 'String') {
    return of({ [cell.string]: always, [cell.boolean]: always, [cell.int]: always, [cell.float]: always })
  }
  if (type === 'Json') return of({ [cell.object]: always })
  if (type === 'Boolean') {
    return of({
      [cell.boolean]: always,
      [cell.int]: row => isBit(int(row)),
      [cell.float]: row => isBit(float(row)),
      [cell.string]: row => ['true', 'false'].includes(text(row))
    })
  }
  if (type === 'Float64' || type === 'Float32') {
    const fits = type === 'Float64' ? always : isExactFloat32
    return of({
      [cell.boolean]: always,
      [cell.int]: row => isExactFloat(int(row)) && fits(Number(int(row))),
      [cell.float]: row => fits(float(row)),
      [cell.string]: row => {
        const value = readExactFloat(text(row))
        return value !== undefined && fits(value)
      }
    })
  }
  if (isTimestamp(type)) {
    const unit = timeUnit(type as TimestampType)
    const isWhole = (row: number) => convertTime(convertTime(int(row), 'ns', unit), unit, 'ns') === int(row)
    return of({ [cell.int]: always, [cell.timestamp]: isWhole })
  }
  const range = integerRange(type)
  if (range === undefined) return () => false
  return of({
    [cell.boolean]: always,
    [cell.int]: row => isWithin(int(row), range),
    // Above 2^53 a float stands for several integers.
    [cell.float]: row => Number.isSafeInteger(float(row)) && isWithin(BigInt(float(row)), range),
    [cell.string]: row => {
      const value = readExactInteger(text(row))
      return value !== undefined && isWithin(value, range)
    }
  })
}

function isWithin(value: bigint, { least, greatest }: IntegerRange): boolean {
  return value >= least && value <= greatest
}

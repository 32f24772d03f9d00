// A constant as the text the storage engine reads for a column's type.
import {
  type ColumnData,
  type ColumnDefinition,
  convertTime,
  decimalText,
  formatTimestamp,
  isTimestamp,
  timeUnit
} from '../../../core/index.ts'
import { buildColumn, type ValueContext } from './column-value.ts'
import type { Literal } from './literal.ts'

/** Undefined for null. Throws when the constant does not fit the type. */
export function constantText(column: ColumnDefinition, literal: Literal, context: ValueContext): string | undefined {
  if (literal.kind === 'null') return undefined
  const { type } = column
  const { data } = buildColumn({ ...column, nullable: true }, [literal], context)
  if (data.kind !== 'fixed') return bytesText(type, data)
  const value = data.values[0]!
  if (isTimestamp(type)) return formatTimestamp(convertTime(value as bigint, timeUnit(type), 'ns')).slice(0, -1)
  if (type === 'Date') return formatTimestamp(BigInt(value) * 86_400_000_000_000n).slice(0, 10)
  if (type === 'Boolean') return value === 1 ? 'true' : 'false'
  if (!type.startsWith('Decimal')) return String(value)
  const [low, high] = data.values as BigInt64Array
  const unscaled = high === undefined ? low! : (high << 64n) | BigInt.asUintN(64, low!)
  return decimalText(unscaled, Number(/, (\d+)/.exec(type)![1]))
}

function bytesText(type: string, data: Exclude<ColumnData, { kind: 'fixed' }>): string {
  const { bytes } = data.kind === 'bytes' ? data : data.dictionary
  const buffer = Buffer.from(bytes)
  return type === 'Binary' ? buffer.toString('hex').replace(/../g, '\\x$&') : buffer.toString()
}

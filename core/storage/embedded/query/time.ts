// Times of a column as whole numbers of its own unit, in SQL.
import type { TableColumn } from '../../../model/table.ts'

const epochOf = {
  TimestampSecond: 'epoch',
  TimestampMillisecond: 'epoch_ms',
  TimestampMicrosecond: 'epoch_us',
  TimestampNanosecond: 'epoch_ns'
} as const

/** An expression for `expression`, a value of the time index. */
export function ticksOf({ type }: TableColumn, expression: string): string {
  return `${epochOf[type as keyof typeof epochOf]}(${expression})`
}

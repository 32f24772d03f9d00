// What threads can read where it lies, without a copy.
import type { ColumnData, FixedData } from '../../../model/batch.ts'

export function isShared(view: ArrayBufferView | undefined): boolean {
  return view?.buffer instanceof SharedArrayBuffer
}

/** Whether it is a number in every row, in memory that threads share. */
export function areSharedNumbers(data: ColumnData): data is FixedData {
  return data.kind === 'fixed' && data.valid === undefined && isShared(data.values)
}

// Data that threads can read in place, without a copy.
import type { ColumnData, FixedData } from '../../../model/batch.ts'

export function isShared(view: ArrayBufferView | undefined): boolean {
  return view?.buffer instanceof SharedArrayBuffer
}

/** Whether a column is a number in every row, in shared memory. */
export function areSharedNumbers(data: ColumnData): data is FixedData {
  return data.kind === 'fixed' && data.valid === undefined && isShared(data.values)
}

// Shared by all Arrow columns of a result: type, construction of buffers, null handling.
import type * as Arrow from 'apache-arrow'
import { isValid, type ResultVector, setBit } from '../model/batch.ts'

export interface ArrowColumn {
  readonly type: Arrow.DataType
  data(vector: ResultVector, rows: number): Arrow.Data
}

/** The validity of a vector, whose nulls may be in its bitmap or among its values. */
export function nulls(vector: ResultVector, rows: number): { nullBitmap: Uint8Array; nullCount: number } {
  const nullBitmap = new Uint8Array((rows + 7) >> 3)
  let nullCount = 0
  for (let i = 0; i < rows; i++) {
    const value: unknown = vector.values[i]
    if (isValid(vector.valid, i) && value !== null && value !== undefined) setBit(nullBitmap, i)
    else nullCount++
  }
  return { nullBitmap, nullCount }
}

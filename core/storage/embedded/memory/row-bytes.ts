// Estimates the memory of rows.
import type { ColumnData } from '../../../model/batch.ts'
import type { MemtableRows } from './memtable.ts'

/** Approximate bytes of a column besides its values; in small writes this is most of it. */
export const columnBytes = 200

/** Approximate bytes of the rows of a write. */
export function bytesOf(write: MemtableRows): number {
  let bytes = write.rows * 8 + write.columns.size * columnBytes
  for (const data of write.columns.values()) {
    bytes += data.valid?.byteLength ?? 0
    if (data.kind === 'fixed') bytes += data.values.byteLength
    else if (data.kind === 'bytes') bytes += data.offsets.byteLength + data.bytes.byteLength
    else bytes += data.codes.byteLength * 4 + data.dictionary.bytes.byteLength + repeatedBytes(data)
  }
  return bytes
}

/** Texts up to this length take hardly more than a row's code. */
const shortText = 64

/** Bytes of long texts shared by many rows, counted for every row, because queries and files copy them. */
function repeatedBytes({ codes, dictionary: { offsets } }: Extract<ColumnData, { kind: 'dictionary' }>): number {
  let longest = 0
  for (let i = 1; i < offsets.length; i++) longest = Math.max(longest, offsets[i]! - offsets[i - 1]!)
  if (longest <= shortText) return 0
  let bytes = 0
  for (let row = 0; row < codes.length; row++) {
    const code = codes[row]!
    // Rows without a value may have any code.
    const length = code + 1 < offsets.length ? offsets[code + 1]! - offsets[code]! : 0
    if (length > shortText) bytes += length
  }
  return bytes
}

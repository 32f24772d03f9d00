// How much memory rows take.
import type { ColumnData } from '../../../model/batch.ts'
import type { MemtableRows } from './memtable.ts'

/** What a column of a write takes besides its values, about: where writes are small it is most of them. */
export const columnBytes = 200

/** Bytes of memory that the rows of a write take, about. */
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

/** Texts up to this length are hardly more than the entries of rows that have them. */
const shortText = 64

/** What long texts take that many rows share: queries and files copy them for every row. */
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

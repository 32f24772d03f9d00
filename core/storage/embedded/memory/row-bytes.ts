// Estimates the memory of rows.
import type { BytesData, ColumnData } from '../../../model/batch.ts'
import type { MemtableRows } from './memtable.ts'

/** Approximate bytes of a column of a part besides its values; for few rows this is most of it. */
export const columnBytes = 200

/** Approximate bytes of the values of a write, in some of its columns. */
export function bytesOf({ rows, tsids, columns }: MemtableRows, some?: readonly { readonly id: number }[]): number {
  let bytes = tsids === undefined ? 0 : rows * 4
  for (const data of some === undefined ? columns.values() : some.map(({ id }) => columns.get(id))) {
    if (data === undefined) continue
    bytes += data.valid?.byteLength ?? 0
    if (data.kind === 'fixed') bytes += data.values.byteLength
    else if (data.kind === 'bytes') bytes += data.offsets.byteLength + textBytes(data)
    else bytes += data.codes.byteLength + textBytes(data.dictionary) + repeatedBytes(data)
  }
  return bytes
}

function textBytes({ offsets }: BytesData): number {
  return offsets.at(-1)! - offsets[0]!
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

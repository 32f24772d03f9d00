// Keys of rows found by a query, as the columns of a write: whole typed arrays where the result has them, text as dictionary codes.
import {
  bitmap,
  type Column,
  type ColumnData,
  type FixedData,
  isValid,
  type ResultBatch,
  type ResultVector,
  type TableColumn,
  utc
} from '../../../core/index.ts'
import { buildColumn } from './column-value.ts'
import { resultLiteral } from './literal.ts'

/** One column per key column, in the order of the batches' columns. */
export function keyColumns(columns: readonly TableColumn[], batches: readonly ResultBatch[]): Column[] {
  const rows = batches.reduce((sum, batch) => sum + batch.rows, 0)
  return columns.map((column, c) => {
    const parts = batches.map(batch => ({ rows: batch.rows, vector: batch.columns[c]! }))
    const { name, type, semantic } = column
    if (type === 'String' || type === 'Json') return { name, type, semantic, data: textData(parts, rows) }
    if (parts.every(({ vector }) => ArrayBuffer.isView(vector.values))) {
      return { name, type, semantic, data: { ...fixedData(parts, rows), ...validity(parts, rows) } }
    }
    const literals = parts.flatMap(part =>
      Array.from({ length: part.rows }, (_, row) => resultLiteral(valueAt(part.vector, row), type))
    )
    return buildColumn({ ...column, nullable: true }, literals, { zone: utc, now: 0n })
  })
}

interface Part {
  readonly rows: number
  readonly vector: ResultVector
}

function valueAt({ values, valid }: ResultVector, row: number): unknown {
  return isValid(valid, row) ? values[row] : null
}

function fixedData(parts: readonly Part[], rows: number): FixedData {
  const first = parts[0]!.vector.values as BigInt64Array
  const values = new (first.constructor as BigInt64ArrayConstructor)(rows)
  let at = 0
  for (const { rows: count, vector } of parts) {
    values.set((vector.values as BigInt64Array).subarray(0, count), at)
    at += count
  }
  return { kind: 'fixed', values }
}

function validity(parts: readonly Part[], rows: number): { valid?: Uint8Array } {
  if (parts.every(({ vector }) => vector.valid === undefined)) return {}
  const valid = bitmap(rows, false)
  let at = 0
  for (const { rows: count, vector } of parts) {
    for (let row = 0; row < count; row++, at++) if (isValid(vector.valid, row)) valid[at >> 3]! |= 1 << (at & 7)
  }
  return { valid }
}

/** Tags repeat: each text is encoded once. */
function textData(parts: readonly Part[], rows: number): ColumnData {
  const codes = new Uint32Array(rows)
  const valid = bitmap(rows, true)
  const known = new Map<string, number>()
  let at = 0
  for (const { rows: count, vector } of parts) {
    for (let row = 0; row < count; row++, at++) {
      const text = valueAt(vector, row)
      if (typeof text !== 'string') {
        valid[at >> 3]! &= ~(1 << (at & 7))
        continue
      }
      const code = known.get(text) ?? known.size
      if (code === known.size) known.set(text, code)
      codes[at] = code
    }
  }
  if (known.size === 0) known.set('', 0)
  const encoded = [...known.keys()].map(text => Buffer.from(text))
  const offsets = new Uint32Array(encoded.length + 1)
  encoded.forEach((bytes, i) => {
    offsets[i + 1] = offsets[i]! + bytes.length
  })
  return { kind: 'dictionary', codes, dictionary: { kind: 'bytes', offsets, bytes: Buffer.concat(encoded) }, valid }
}

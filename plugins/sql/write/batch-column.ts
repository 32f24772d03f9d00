// Columns of a query's result as a column to write: whole typed arrays where the types agree, value by value where they do not.
import {
  bitmap,
  type Column,
  type ColumnData,
  type ColumnDefinition,
  type ColumnType,
  type FixedData,
  isTimestamp,
  isValid,
  type ResultBatch,
  type ResultType,
  type ResultVector,
  setBit,
  type TableColumn,
  timeUnit,
  unitsPerSecond,
  utc
} from '../../../core/index.ts'
import { invalid } from '../error.ts'
import { buildColumn, type ValueContext } from './column-value.ts'
import { type Literal, nullLiteral, resultLiteral } from './literal.ts'

/** One column of a batch. */
interface Part {
  readonly rows: number
  readonly vector: ResultVector
}

/** Throws as `buildColumn` does; rows are counted within the parts. */
export function batchColumn(
  column: ColumnDefinition,
  type: ResultType,
  parts: readonly Part[],
  context: ValueContext
): Column {
  const rows = parts.reduce((sum, part) => sum + part.rows, 0)
  const data = wholeData(column.type, type, parts, rows)
  if (data === undefined) return buildColumn(column, literals(parts, type), context)
  const valid = validity(parts, rows)
  if (valid !== undefined && !column.nullable) requireValues(column.name, valid, rows)
  const { name, semantic } = column
  return { name, type: column.type, semantic, data: valid === undefined ? data : { ...data, valid } }
}

/** Keys of rows, columns of the batches in their order, as the columns of a write. */
export function keyColumns(columns: readonly TableColumn[], batches: readonly ResultBatch[]): Column[] {
  return columns.map((column, c) => {
    const parts = batches.map(batch => ({ rows: batch.rows, vector: batch.columns[c]! }))
    return batchColumn({ ...column, nullable: true }, column.type, parts, { zone: utc, now: 0n })
  })
}

function literals(parts: readonly Part[], type: ResultType): Literal[] {
  return parts.flatMap(({ rows, vector: { values, valid } }) =>
    Array.from({ length: rows }, (_, row) => (isValid(valid, row) ? resultLiteral(values[row], type) : nullLiteral))
  )
}

/** Without its nulls; undefined where values need a look of their own. */
function wholeData(to: ColumnType, from: ResultType, parts: readonly Part[], rows: number): ColumnData | undefined {
  if ((to === 'String' || to === 'Json') && from === to) return textData(parts, rows)
  if (!parts.every(({ vector }) => ArrayBuffer.isView(vector.values))) return undefined
  if (to === from) return { kind: 'fixed', values: joined(parts, rows) }
  if (isTimestamp(to) && isTimestamp(from)) {
    const [target, source] = [unitsPerSecond[timeUnit(to)], unitsPerSecond[timeUnit(from)]]
    const values = joined(parts, rows) as BigInt64Array
    return target < source ? { kind: 'fixed', values: coarser(values, source / target) } : undefined
  }
  return undefined
}

function joined(parts: readonly Part[], rows: number): FixedData['values'] {
  const first = parts[0]!.vector.values as BigInt64Array
  if (parts.length === 1) return first.subarray(0, rows)
  const values = new (first.constructor as BigInt64ArrayConstructor)(rows)
  let at = 0
  for (const part of parts) {
    values.set((part.vector.values as BigInt64Array).subarray(0, part.rows), at)
    at += part.rows
  }
  return values
}

/** Rounded down, before 1970 too. */
function coarser(values: BigInt64Array, by: bigint): BigInt64Array {
  const shorter = new BigInt64Array(values.length)
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!
    shorter[i] = value >= 0n ? value / by : (value - by + 1n) / by
  }
  return shorter
}

function textData(parts: readonly Part[], rows: number): ColumnData {
  const texts: string[] = []
  for (const { rows: count, vector } of parts) {
    for (let row = 0; row < count; row++) {
      const value = isValid(vector.valid, row) ? vector.values[row] : ''
      texts.push(typeof value === 'string' ? value : '')
    }
  }
  const all = texts.join('')
  const bytes = Buffer.from(all)
  const ascii = bytes.length === all.length
  const offsets = new Uint32Array(rows + 1)
  for (let i = 0; i < rows; i++) {
    offsets[i + 1] = offsets[i]! + (ascii ? texts[i]!.length : Buffer.byteLength(texts[i]!))
  }
  return { kind: 'bytes', offsets, bytes }
}

/** Undefined: all rows have a value. Text that comes without a bitmap says null itself. */
function validity(parts: readonly Part[], rows: number): Uint8Array | undefined {
  const plain = parts.every(({ vector: { values, valid } }) => valid === undefined && ArrayBuffer.isView(values))
  if (plain) return undefined
  const bits = bitmap(rows, false)
  let at = 0
  let nulls = 0
  for (const { rows: count, vector } of parts) {
    for (let row = 0; row < count; row++, at++) {
      const there = isValid(vector.valid, row) && vector.values[row] !== null && vector.values[row] !== undefined
      if (there) setBit(bits, at)
      else nulls++
    }
  }
  return nulls === 0 ? undefined : bits
}

function requireValues(name: string, valid: Uint8Array, rows: number): void {
  for (let row = 0; row < rows; row++) {
    if (!isValid(valid, row)) {
      throw invalid(`row ${row + 1}, column ${name}: the column takes no nulls`)
    }
  }
}

// Rows of a table as those of a query: what is new and what is no more go into one write, so that nobody sees one without the other.
import {
  type Column,
  type ColumnData,
  isValid,
  type RecordsAnswer,
  type ResultBatch,
  type Table,
  type TableWrite
} from '../../../core/index.ts'
import type { Session } from '../session.ts'
import { keyColumns } from './batch-column.ts'
import { insertColumns } from './insert.ts'
import { collectWrites } from './stream.ts'

/**
 * Puts the rows of an answer, whose columns have these names, into a table, and takes those of `current` away that have the keys of none
 * of them: its columns are the tags and the time index. How many rows it put.
 */
export async function replaceRows(
  session: Session,
  table: Table,
  names: readonly string[],
  answer: RecordsAnswer,
  current: RecordsAnswer
): Promise<number> {
  const columns = insertColumns(
    table,
    names.map(text => ({ text, quoted: true }))
  )
  const writes: TableWrite[] = []
  for await (const write of collectWrites(session, table, columns, answer)) writes.push(write)
  const keys = [...table.tags, table.timeIndex]
  const kept = new Set<string>()
  for (const { rows, columns: all } of writes) {
    const ordered = keys.map(({ name }) => all.find(column => column.name === name)!)
    for (let row = 0; row < rows; row++) kept.add(keyText(ordered, row))
  }
  for await (const batch of current.batches()) {
    const found = keyColumns(keys, [batch])
    const gone = Array.from({ length: batch.rows }, (_, row) => row).filter(row => !kept.has(keyText(found, row)))
    if (gone.length === 0) continue
    const deleted = keyColumns(keys, [picked(batch, gone)])
    writes.push({ table: table.name, rows: gone.length, columns: deleted, autoCreate: false, op: 'delete' })
  }
  if (writes.length > 0) await session.store.write({ ...session.ctx, db: table.database }, writes)
  return writes.reduce((sum, { rows, op }) => sum + (op === 'delete' ? 0 : rows), 0)
}

function picked({ columns }: ResultBatch, rows: readonly number[]): ResultBatch {
  const pick = ({ values, valid }: ResultBatch['columns'][number]) => ({
    values: rows.map(row => (isValid(valid, row) ? values[row] : null))
  })
  return { rows: rows.length, columns: columns.map(pick) }
}

function keyText(columns: readonly Column[], row: number): string {
  return JSON.stringify(columns.map(({ data }) => textAt(data, row)))
}

function textAt(data: ColumnData, row: number): string | null {
  if (!isValid(data.valid, row)) return null
  if (data.kind === 'fixed') return String(data.values[row])
  if (data.kind === 'dictionary') return textAt(data.dictionary, data.codes[row]!)
  return Buffer.from(data.bytes.subarray(data.offsets[row], data.offsets[row + 1])).toString('latin1')
}

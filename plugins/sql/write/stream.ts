// Rows of a query into a table, part by part: what is in memory does not grow with their number.
import {
  isDbError,
  type RecordsAnswer,
  type ResultBatch,
  type Table,
  type TableColumn,
  type TableWrite,
  withMessage
} from '../../../core/index.ts'
import type { Session } from '../session.ts'
import { batchColumn } from './batch-column.ts'
import { type ValueContext, valueContext } from './column-value.ts'
import { defaultColumns, requireTime } from './default-value.ts'

/** Rows of one write. Each is stored whole; what was written before an error stays. */
const rowsPerWrite = 65_536

/** Writes an answer whose columns stand for `columns` of the table; the others get their defaults. Returns the rows. */
export async function writeAnswer(
  session: Session,
  table: Table,
  columns: readonly TableColumn[],
  answer: RecordsAnswer
): Promise<number> {
  let written = 0
  try {
    for await (const write of collectWrites(session, table, columns, answer))
      written += (await session.store.write({ ...session.ctx, db: table.database }, [write])).rows
  } catch (error) {
    throw afterRows(error, written)
  }
  return written
}

/** The rows of an answer as writes of a bounded length. */
export async function* collectWrites(
  session: Session,
  table: Table,
  columns: readonly TableColumn[],
  answer: RecordsAnswer
): AsyncGenerator<TableWrite> {
  requireTime(table, columns)
  const context = valueContext(session)
  for await (const { batches, rows } of partsOf(answer, rowsPerWrite)) {
    const given = givenColumns(columns, answer, batches, context)
    const all = [...given, ...defaultColumns(table, columns, rows, context)]
    yield { table: table.name, rows, columns: all, autoCreate: false }
  }
}

/** The batches of an answer in parts of at least so many rows, but for the last one. */
export async function* partsOf(answer: RecordsAnswer, least: number) {
  let part: { readonly batches: ResultBatch[]; rows: number } = { batches: [], rows: 0 }
  for await (const batch of answer.batches()) {
    part.batches.push(batch)
    part.rows += batch.rows
    if (part.rows < least) continue
    yield part
    part = { batches: [], rows: 0 }
  }
  if (part.rows > 0) yield part
}

/** Says what stays. */
function afterRows(error: unknown, written: number): unknown {
  if (written === 0 || !isDbError(error)) return error
  return withMessage(error, `after ${written} rows that are stored: ${error.message}`)
}

function givenColumns(
  columns: readonly TableColumn[],
  answer: RecordsAnswer,
  batches: readonly ResultBatch[],
  context: ValueContext
) {
  return columns.map((column, c) => {
    const parts = batches.map(batch => ({ rows: batch.rows, vector: batch.columns[c]! }))
    return batchColumn(column, answer.columns[c]!.type, parts, context)
  })
}

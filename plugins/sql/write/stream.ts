// Rows of a query into a table, part by part: what is in memory does not grow with their number.
import {
  DbError,
  isDbError,
  parseZone,
  type RecordsAnswer,
  type ResultBatch,
  type Table,
  type TableColumn,
  utc
} from '../../../core/index.ts'
import type { Session } from '../session.ts'
import { batchColumn } from './batch-column.ts'
import type { ValueContext } from './column-value.ts'
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
  requireTime(table, columns)
  const context = { zone: parseZone(session.ctx.timezone) ?? utc, now: BigInt(Date.now()) * 1_000_000n }
  const ctx = { ...session.ctx, db: table.database }
  let held: ResultBatch[] = []
  let rows = 0
  let written = 0
  const flush = async () => {
    if (rows === 0) return
    const given = givenColumns(columns, answer, held, context)
    const all = [...given, ...defaultColumns(table, columns, rows, context)]
    const result = await session.store.write(ctx, [{ table: table.name, rows, columns: all, autoCreate: false }])
    written += result.rows
    held = []
    rows = 0
  }
  try {
    for await (const batch of answer.batches()) {
      held.push(batch)
      rows += batch.rows
      if (rows >= rowsPerWrite) await flush()
    }
    await flush()
  } catch (error) {
    throw afterRows(error, written)
  }
  return written
}

/** Says what stays. */
function afterRows(error: unknown, written: number): unknown {
  if (written === 0 || !isDbError(error)) return error
  const { code, message, status, retryAfter } = error
  return new DbError(code, `after ${written} rows that are stored: ${message}`, {
    cause: error,
    status,
    ...(retryAfter !== undefined && { retryAfter })
  })
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

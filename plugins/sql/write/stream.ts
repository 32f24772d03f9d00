// Rows of a query into a table, part by part: what is in memory does not grow with their number.
import {
  isDbError,
  parseZone,
  type RecordsAnswer,
  type ResultBatch,
  type Table,
  type TableColumn,
  type TableWrite,
  utc,
  withMessage
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
  const context = { zone: parseZone(session.ctx.timezone) ?? utc, now: BigInt(Date.now()) * 1_000_000n }
  let held: ResultBatch[] = []
  let rows = 0
  const write = (): TableWrite => {
    const given = givenColumns(columns, answer, held, context)
    const all = [...given, ...defaultColumns(table, columns, rows, context)]
    return { table: table.name, rows, columns: all, autoCreate: false }
  }
  for await (const batch of answer.batches()) {
    held.push(batch)
    rows += batch.rows
    if (rows < rowsPerWrite) continue
    yield write()
    held = []
    rows = 0
  }
  if (rows > 0) yield write()
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

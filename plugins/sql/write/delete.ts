// DELETE: the keys of the rows its condition finds become one write that hides them.
import { DbError, type RecordsAnswer, type ResultBatch, type Table, type TableWrite } from '../../../core/index.ts'
import { fullName } from '../catalog/name.ts'
import { planQuery, privileged, runPlan, type Session } from '../session.ts'
import type { DeleteStatement } from '../statement/statement.ts'
import { type Token, tokenize } from '../text/token.ts'
import { keyColumns } from './batch-column.ts'
import { findTarget } from './target.ts'

/** Rows of one part of the write. */
const rowsPerPart = 250_000

/**
 * Hides the rows the condition finds and returns how many. All of them or none. A row that is written between the look for them and
 * the end of the statement with the same key is hidden, too.
 */
export async function deleteRows(session: Session, statement: DeleteStatement): Promise<number> {
  const { store, ctx } = session
  const table = findTarget(session, statement.table)
  if (table.options.append_mode) {
    const name = fullName(table.database, table.name)
    throw new DbError('InvalidArguments', `table ${name}: DELETE is not allowed under append mode`)
  }
  const keys = [...table.tags, table.timeIndex]
  const answer = await findKeys(session, table, statement)
  const writes = await collect(answer, session.deleteLimit, batches => ({
    table: table.name,
    rows: batches.reduce((sum, batch) => sum + batch.rows, 0),
    columns: keyColumns(keys, batches),
    autoCreate: false,
    op: 'delete'
  }))
  if (writes.length === 0) return 0
  return (await store.write({ ...ctx, db: table.database }, writes)).rows
}

async function findKeys(session: Session, table: Table, statement: DeleteStatement): Promise<RecordsAnswer> {
  return runPlan(privileged(session), await planQuery(session, selectKeys(table, statement)))
}

/** `SELECT tags, time FROM table WHERE (condition)`; for messages, its tokens stand where the table is named. */
function selectKeys(table: Table, { named, where }: DeleteStatement): Token[] {
  const { start, end } = named[0]!
  const atName = (tokens: readonly Token[]) => tokens.map(token => ({ ...token, start, end, spaced: true }))
  const [select, from, whereWord, open, close, comma] = atName(tokenize('SELECT FROM WHERE ( ) ,'))
  const columns = [...table.tags, table.timeIndex].flatMap(({ name }, i) => {
    const quoted: Token = { kind: 'quoted', value: name, start, end, spaced: true }
    return i === 0 ? [quoted] : [comma!, quoted]
  })
  const condition = where.length === 0 ? [] : [whereWord!, open!, ...where, close!]
  return [select!, ...columns, from!, ...named, ...condition]
}

/** The batches in parts of a bounded number of rows. */
async function collect(
  answer: RecordsAnswer,
  limit: number,
  toWrite: (batches: readonly ResultBatch[]) => TableWrite
): Promise<TableWrite[]> {
  const writes: TableWrite[] = []
  let part: ResultBatch[] = []
  let total = 0
  let rows = 0
  const finish = () => {
    if (part.length > 0) writes.push(toWrite(part))
    part = []
    rows = 0
  }
  for await (const batch of answer.batches()) {
    total += batch.rows
    if (total > limit) throw tooMany(limit)
    if (rows + batch.rows > rowsPerPart) finish()
    part.push(batch)
    rows += batch.rows
  }
  finish()
  return writes
}

function tooMany(limit: number): DbError {
  return new DbError(
    'InvalidArguments',
    `DELETE found more than ${limit} rows, the limit of plugins.sql.delete_limit; nothing was deleted: ` +
      'delete in steps, for example a range of the time index at a time, or drop the table'
  )
}

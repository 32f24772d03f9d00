// DELETE: the keys of the rows its condition finds become one write that hides them.
import type { DbError, Table, TableWrite } from '../../../core/index.ts'
import { fullName } from '../catalog/name.ts'
import { invalid } from '../error.ts'
import { planQuery, privileged, runPlan, type Session } from '../session.ts'
import type { DeleteStatement } from '../statement/statement.ts'
import { quoteName, type Token, tokensAt } from '../text/token.ts'
import { keyColumns } from './batch-column.ts'
import { partsOf } from './stream.ts'
import { findTarget } from './target.ts'

/** Rows of one part of the write, at least. */
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
    throw invalid(`table ${name}: DELETE is not allowed under append mode`)
  }
  const keys = [...table.tags, table.timeIndex]
  const answer = await runPlan(privileged(session), await planQuery(session, selectKeys(table, statement)))
  const writes: TableWrite[] = []
  let found = 0
  for await (const { batches, rows } of partsOf(answer, rowsPerPart)) {
    found += rows
    if (found > session.deleteLimit) throw tooMany(session.deleteLimit)
    writes.push({ table: table.name, rows, columns: keyColumns(keys, batches), autoCreate: false, op: 'delete' })
  }
  if (writes.length === 0) return 0
  return (await store.write({ ...ctx, db: table.database }, writes)).rows
}

/** `SELECT tags, time FROM table WHERE (condition)`; for messages, its tokens stand where the table is named. */
function selectKeys(table: Table, { named, where }: DeleteStatement): Token[] {
  const columns = [...table.tags, table.timeIndex].map(({ name }) => quoteName(name)).join(', ')
  const condition = where.length === 0 ? [] : ['WHERE (', where, ')']
  return tokensAt(named[0]!, [`SELECT ${columns} FROM`, named, ...condition])
}

function tooMany(limit: number): DbError {
  return invalid(
    `DELETE found more than ${limit} rows, the limit of plugins.sql.delete_limit; nothing was deleted: ` +
      'delete in steps, for example a range of the time index at a time, or drop the table'
  )
}

// Tables as somebody knows them, and as they are since: which difference makes rows unreadable by the old knowledge.
import { DbError } from '../../../errors.ts'
import type { Table } from '../../../model/table.ts'

/** Whether a column of the table has become one of another type: rows written since hold its values elsewhere. */
export function isRetyped(before: Table, now: Table): boolean {
  if (before.version === now.version) return false
  const ids = new Set(before.columns.map(({ id }) => id))
  return now.columns.some(({ was }) => was?.some(({ id }) => ids.has(id)))
}

/** Throws `RequestOutdated` where a query knows a table by former types of its columns: the caller plans it again. */
export function requireTypes(before: Table, now: Table | undefined): void {
  if (now === undefined || !isRetyped(before, now)) return
  throw new DbError(
    'RequestOutdated',
    `a column of table ${before.database}.${before.name} changed its type while the query was planned`
  )
}

// Runs work for each table in turn; a failure of one table does not stop the others.

import type { DbError } from '../../errors.ts'
import type { Logger } from '../../log/log.ts'
import { Pace } from '../../pace.ts'
import { isAboutRows } from './duckdb/errors.ts'

/** Runs the work for all tables and returns the errors (made by `failed`) that concern a table's own rows. Throws any other error at once. */
export async function eachTable<T>(
  tables: Iterable<T>,
  work: (table: T) => Promise<void>,
  failed: (table: T, cause: DbError) => DbError
): Promise<readonly DbError[]> {
  const failures: DbError[] = []
  const pace = new Pace()
  for (const table of tables) {
    await work(table).catch(cause => {
      if (!isAboutRows(cause)) throw cause
      failures.push(failed(table, cause))
    })
    if (pace.isDue) await pace.pause()
  }
  return failures
}

/** Throws the first error, if there is one, and logs the others. */
export function throwFirst([first, ...others]: readonly DbError[], log: Logger, message: string): void {
  for (const error of others) log.error({ err: error }, message)
  if (first !== undefined) throw first
}

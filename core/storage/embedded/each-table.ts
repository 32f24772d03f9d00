// Work on one table after the other, where none waits for another one's rows.

import type { DbError } from '../../errors.ts'
import type { Logger } from '../../log/log.ts'
import { Pace } from '../../pace.ts'
import { isAboutRows } from './duckdb/errors.ts'

/** Does the work for all; returns what `failed` makes of failures that are about a table's own rows. Throws any other at once. */
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

/** Throws the first failure, where there is one, and logs the others. */
export function throwFirst([first, ...others]: readonly DbError[], log: Logger, message: string): void {
  for (const error of others) log.error({ err: error }, message)
  if (first !== undefined) throw first
}

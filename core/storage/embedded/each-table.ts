// Runs work for each table; a failure of one table does not stop the others.

import type { DbError } from '../../errors.ts'
import type { Logger } from '../../log/log.ts'
import { Pace } from '../../pace.ts'
import { isAboutRows } from './duckdb/errors.ts'

/**
 * Begins the work for all tables in their order, for `atOnce` of them at the same time, and returns the errors (made by `failed`) that concern a
 * table's own rows. Any other error begins no more work, and is thrown once what is under way has ended.
 */
export async function eachTable<T>(
  tables: Iterable<T>,
  work: (table: T) => Promise<void>,
  failed: (table: T, cause: DbError) => DbError,
  atOnce = 1
): Promise<readonly DbError[]> {
  const failures: DbError[] = []
  const others: unknown[] = []
  const pace = new Pace()
  const queue = tables[Symbol.iterator]()
  const run = async () => {
    for (let next = queue.next(); !next.done && others.length === 0; next = queue.next()) {
      const table = next.value
      await work(table).catch(cause => {
        if (isAboutRows(cause)) failures.push(failed(table, cause))
        else others.push(cause)
      })
      if (pace.isDue) await pace.pause()
    }
  }
  await Promise.all(Array.from({ length: atOnce }, run))
  if (others.length > 0) throw others[0]
  return failures
}

/** Throws the first error, if there is one, and logs the others. */
export function throwFirst([first, ...others]: readonly DbError[], log: Logger, message: string): void {
  for (const error of others) log.error({ err: error }, message)
  if (first !== undefined) throw first
}

// A statement of a user, in the process that runs them.
import { DbError, isDbError } from '../../../errors.ts'
import type { QueryResult, SqlQuery } from '../../engine.ts'
import type { CountedRows } from '../sql/frames.ts'
import type { SqlAnswer, SqlProcess } from '../sql/sql-process.ts'
import { named } from './named.ts'

/** Starts it over these rows of its tables; `release` runs once when it has ended in any way. */
export async function runStatement(
  process: SqlProcess,
  { text: written, relations, given = [], explain, timezone, parameters = [], user, valueLimit, target }: SqlQuery,
  rowsOf: (relation: number) => string,
  signal: AbortSignal,
  release: () => void,
  countsOf?: (relation: number) => CountedRows | undefined
): Promise<QueryResult & { readonly isCounted: boolean }> {
  let answer: SqlAnswer
  const { text, tables, back } = named(written, relations, given, rowsOf, countsOf)
  const told = (error: unknown) => (given.length === 0 ? unreadable(error) : undefined) ?? moved(error, back)
  try {
    const more = {
      ...(user !== undefined && { user }),
      ...(valueLimit && { valueLimit }),
      ...(target && { target }),
      ...(explain !== undefined && { explain })
    }
    answer = await process.run({ text, tables, parameters, timezone, ...more }, signal)
  } catch (error) {
    release()
    throw told(error)
  }
  let isOpen = true
  const close = () => {
    if (!isOpen) return
    isOpen = false
    answer.close()
    release()
  }
  return {
    columns: answer.columns,
    isCounted: answer.isCounted,
    close,
    async *batches() {
      try {
        yield* answer.batches()
      } catch (error) {
        throw told(error)
      } finally {
        close()
      }
    }
  }
}

/** How DuckDB tells of a file it cannot read; those of a user's values begin in another way. */
const aboutFile =
  /^[A-Z][A-Za-z ]* Error: (?:Failed to read file|No magic bytes found at end of file|No files found that match the pattern|Cannot open file|File) ["']/

/** Damage of a file of the server's own, which no statement is to blame for. */
function unreadable(error: unknown): DbError | undefined {
  if (!isDbError(error) || !aboutFile.test(error.message)) return undefined
  return new DbError('StorageUnavailable', error.message.replace(/^[A-Za-z ]* Error: /, ''), { cause: error })
}

/** The same error with its offset in the original text. */
function moved(error: unknown, back: (at: number) => number): unknown {
  if (!isDbError(error) || error.offset === undefined) return error
  const { code, message, cause, offset } = error
  return new DbError(code, message, { cause, offset: back(offset) })
}

// A statement of a user, in the process that runs them.
import type { QueryResult, SqlQuery } from '../../engine.ts'
import type { SqlAnswer, SqlProcess } from '../sql/sql-process.ts'

/** Starts `text`; `release` runs once when it has ended in any way. */
export async function runStatement(
  process: SqlProcess,
  { timezone, parameters = [], user, target }: SqlQuery,
  text: string,
  signal: AbortSignal,
  release: () => void
): Promise<QueryResult> {
  let answer: SqlAnswer
  try {
    const more = { ...(user !== undefined && { user }), ...(target && { target }) }
    answer = await process.run({ text, parameters, timezone, ...more }, signal)
  } catch (error) {
    release()
    throw error
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
    close,
    async *batches() {
      try {
        yield* answer.batches()
      } finally {
        close()
      }
    }
  }
}

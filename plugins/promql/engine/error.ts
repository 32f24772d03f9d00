// Errors during the evaluation of a valid query.
import { DbError } from '../../../core/wire/index.ts'

/** Answered 422: the query is well-formed, but these data do not allow it. */
export function executionError(message: string): DbError {
  return new DbError('PlanQuery', message, { status: 422 })
}

// What can go wrong while a query is computed, though its text is right.
import { DbError } from '../../../core/wire/index.ts'

/** Answered 422: the query is well-formed, but these data do not allow it. */
export function executionError(message: string): DbError {
  return new DbError('PlanQuery', message, { status: 422 })
}

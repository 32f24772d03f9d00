// The errors a statement is refused with, by their codes.
import { DbError } from '../../core/index.ts'

/** What a statement says is wrong, or more than a limit allows. */
export function invalid(message: string): DbError {
  return new DbError('InvalidArguments', message)
}

/** What a statement asks for there is not. */
export function unsupported(message: string): DbError {
  return new DbError('Unsupported', message)
}

/** What a query means cannot be told. */
export function planError(message: string): DbError {
  return new DbError('PlanQuery', `Failed to plan SQL: ${message}`)
}

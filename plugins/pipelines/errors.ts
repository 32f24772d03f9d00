// Errors of parameters of the pipeline routes.
import { DbError } from '../../core/compute.ts'

export function invalidParameter(message: string, cause?: unknown): DbError {
  return new DbError('InvalidArguments', `Invalid request parameter: ${message}`, { cause })
}

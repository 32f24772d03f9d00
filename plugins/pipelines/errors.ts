// The error for a parameter that the routes of pipelines cannot take.
import { DbError } from '../../core/compute.ts'

export function invalidParameter(message: string, cause?: unknown): DbError {
  return new DbError('InvalidArguments', `Invalid request parameter: ${message}`, { cause })
}

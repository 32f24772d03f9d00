// Errors in the envelope of the API.
import { DbError, type WireError } from '../../core/index.ts'

export function formatError({ status, message }: DbError): WireError {
  const errors = [{ code: status, msg: message }]
  const body = JSON.stringify({ data: null, total: 0, limit: 0, offset: 0, errors })
  return { status, contentType: 'application/json', body }
}

/** In the words that clients of this API expect. */
export function invalidParameter(name: string, reason: string): DbError {
  return new DbError('InvalidArguments', `unable to parse param '${name}': ${reason}`)
}

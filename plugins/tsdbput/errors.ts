// The protocol's error body.
import { type DbError, isDbError, type WireError, withMessage } from '../../core/index.ts'

const someWrong = 'One or more data points had errors'

/** The error of a request without flags, because of one of its points. */
export function pointError(cause: DbError): DbError {
  return withMessage(cause, `${someWrong}: ${cause.message}`)
}

export function formatError({ status: own, message, cause }: DbError): WireError {
  // Clients of this protocol do not know status 415.
  const status = own === 415 ? 400 : own
  const isPoint = isDbError(cause) && message.startsWith(someWrong)
  const told = isPoint
    ? { message: someWrong, details: `${cause.message}; with the parameter details the answer tells of every point` }
    : { message }
  return { status, contentType: 'application/json', body: JSON.stringify({ error: { code: status, ...told } }) }
}

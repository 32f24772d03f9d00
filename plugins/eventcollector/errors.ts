// The protocol's numbered answers, and the number of each error.
import { DbError, type ErrorOptions, type WireError } from '../../core/index.ts'

/** Number → HTTP status and text. */
export const replies = {
  0: { status: 200, text: 'Success' },
  2: { status: 401, text: 'Token is required' },
  4: { status: 403, text: 'Invalid token' },
  5: { status: 400, text: 'No data' },
  6: { status: 400, text: 'Invalid data format' },
  7: { status: 400, text: 'Incorrect index' },
  8: { status: 500, text: 'Internal server error' },
  9: { status: 503, text: 'Server is busy' },
  10: { status: 400, text: 'Data channel is missing' },
  11: { status: 400, text: 'Invalid data channel' },
  12: { status: 400, text: 'Event field is required' },
  13: { status: 400, text: 'Event field cannot be blank' },
  14: { status: 400, text: 'ACK is disabled' },
  16: { status: 400, text: 'Query string authorization is not enabled' },
  17: { status: 200, text: 'HEC is healthy' },
  23: { status: 503, text: 'Server is shutting down' }
} as const

type ReplyCode = keyof typeof replies

/** A refusal with the protocol's number; `event` is the index of the invalid event. */
export class CollectorError extends DbError {
  readonly reply: ReplyCode
  readonly event: number | undefined

  constructor(reply: ReplyCode, reason?: string, event?: number, options: ErrorOptions = {}) {
    const { status, text } = replies[reply]
    const prefix = event === undefined ? '' : `event ${event}: `
    super(status === 401 ? 'AuthHeaderNotFound' : 'InvalidArguments', reason === undefined ? text : prefix + reason, {
      status,
      ...options
    })
    this.reply = reply
    this.event = event
  }
}

const byCode: Readonly<Record<string, ReplyCode>> = {
  AuthHeaderNotFound: 2,
  InvalidAuthHeader: 4,
  UserNotFound: 4,
  UserPasswordMismatch: 4,
  UnsupportedPasswordType: 4,
  AccessDenied: 4,
  PermissionDenied: 4,
  RateLimited: 9,
  DeadlineExceeded: 9,
  Suspended: 23
}

/** Senders retry requests answered with status 5xx or the numbers 8 and 9; all others they drop. */
export function replyCode(error: DbError): ReplyCode {
  if (error instanceof CollectorError) return error.reply
  const known = byCode[error.code]
  if (known !== undefined) return known
  if (error.status === 503) return 9
  return error.status < 500 ? 6 : 8
}

/** `text` and `code` are the protocol's; `error` tells what exactly is wrong. */
export function formatError(error: DbError): WireError {
  const code = replyCode(error)
  const { status: own, text } = replies[code]
  const index = error instanceof CollectorError ? error.event : undefined
  const body = {
    text,
    code,
    ...(index !== undefined && { 'invalid-event-number': index }),
    ...(error.message !== text && { error: error.message })
  }
  return { status: statusOf(error, own, code), contentType: 'application/json', body: JSON.stringify(body) }
}

/** An unknown content coding counts as an invalid data format; 405, 408 and 413 are kept. */
function statusOf({ status }: DbError, own: number, code: ReplyCode): number {
  return code === 6 && status !== 415 ? status : status === 408 ? status : own
}

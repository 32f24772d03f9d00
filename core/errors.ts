// Errors: the table of codes with their HTTP statuses, one error class, and two subclasses that carry more.

/** Name → numeric code and HTTP status. The numbers are part of the wire interface and never change meaning. */
export const errorCodes = {
  Unknown: { code: 1000, status: 500 },
  Unsupported: { code: 1001, status: 400 },
  Unexpected: { code: 1002, status: 500 },
  Internal: { code: 1003, status: 500 },
  InvalidArguments: { code: 1004, status: 400 },
  Cancelled: { code: 1005, status: 504 },
  IllegalState: { code: 1006, status: 500 },
  External: { code: 1007, status: 503 },
  DeadlineExceeded: { code: 1008, status: 504 },
  Suspended: { code: 1009, status: 503 },
  InvalidSyntax: { code: 2000, status: 400 },
  PlanQuery: { code: 3000, status: 400 },
  EngineExecuteQuery: { code: 3001, status: 500 },
  TableAlreadyExists: { code: 4000, status: 400 },
  TableNotFound: { code: 4001, status: 400 },
  TableColumnNotFound: { code: 4002, status: 400 },
  TableColumnExists: { code: 4003, status: 400 },
  DatabaseNotFound: { code: 4004, status: 400 },
  TableUnavailable: { code: 4010, status: 503 },
  DatabaseAlreadyExists: { code: 4011, status: 400 },
  StorageUnavailable: { code: 5000, status: 503 },
  RequestOutdated: { code: 5001, status: 400 },
  RuntimeResourcesExhausted: { code: 6000, status: 500 },
  RateLimited: { code: 6001, status: 429 },
  UserNotFound: { code: 7000, status: 401 },
  UnsupportedPasswordType: { code: 7001, status: 401 },
  UserPasswordMismatch: { code: 7002, status: 401 },
  AuthHeaderNotFound: { code: 7003, status: 401 },
  InvalidAuthHeader: { code: 7004, status: 401 },
  AccessDenied: { code: 7005, status: 403 },
  PermissionDenied: { code: 7006, status: 403 }
} as const

/** The name of an error code. */
export type ErrorCode = keyof typeof errorCodes

/** Facts of an error besides code and message. */
export interface ErrorOptions {
  readonly cause?: unknown
  /** HTTP status, if it differs from the code's (405, 408, 413, 415 …). */
  readonly status?: number
  /** True: the message may quote stored values, so users who may not read get another text. */
  readonly quotesValues?: boolean
  /** Seconds after which the same request may succeed; sent as `Retry-After`. */
  readonly retryAfter?: number
  /** Offset in the text of a `SqlQuery`, in characters. */
  readonly offset?: number
}

const brand = Symbol.for('weir.error')

/** An expected error. Any other error that leaves a route is a defect; it is answered with 500 and its text is hidden. */
export class DbError extends Error {
  readonly code: ErrorCode
  readonly status: number
  readonly retryAfter: number | undefined
  readonly quotesValues: boolean
  readonly offset: number | undefined
  readonly [brand] = true

  constructor(code: ErrorCode, message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'DbError'
    this.code = code
    this.status = options.status ?? errorCodes[code].status
    this.retryAfter = options.retryAfter
    this.quotesValues = options.quotesValues ?? false
    this.offset = options.offset
  }
}

/** Text that cannot be parsed; `line` and `column` count from 1. It has no stack, because making one takes ten times as long as reading a short text. */
export class ParseError extends DbError {
  readonly line: number
  readonly column: number

  constructor(message: string, line: number, column: number, options: ErrorOptions = {}) {
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    super('InvalidSyntax', `${message} at line ${line}, column ${column}`, options)
    Error.stackTraceLimit = stackTraceLimit
    this.name = 'ParseError'
    this.line = line
    this.column = column
  }
}

/** Refused items that an answer describes; further ones are counted. */
export const maxItemErrors = 10

/** An item of a request that was refused. */
export interface ItemError {
  /** Position of the item in the request, from 0. */
  readonly index: number
  readonly message: string
}

/** Some items of a request were refused; `items` holds the first few. */
export class ItemsError extends DbError {
  readonly items: readonly ItemError[]

  constructor(items: readonly ItemError[], options: ErrorOptions = {}) {
    const first = items[0]
    super('InvalidArguments', first ? `item ${first.index}: ${first.message}` : 'no item could be taken', options)
    this.name = 'ItemsError'
    this.items = items
  }
}

/** The error for a parameter of a request: `Invalid request parameter: …`, DbError `InvalidArguments`. */
export function invalidParameter(message: string, cause?: unknown): DbError {
  return new DbError('InvalidArguments', `Invalid request parameter: ${message}`, { cause })
}

/** One line that describes a thrown value, which may be anything. */
export function reasonOf(thrown: unknown): string {
  const { message, name } = Object(thrown) as { readonly message?: unknown; readonly name?: unknown }
  if (typeof message === 'string' && message !== '') return message.split('\n')[0]!
  if (typeof thrown === 'string' && thrown !== '') return thrown.split('\n')[0]!
  if (typeof message === 'string' && typeof name === 'string') return `${name} without a message`
  return `${typeof thrown === 'object' && thrown !== null ? 'an object' : String(thrown)} was thrown, which is no Error`
}

/**
 * The error with another message and the same code, status and facts; the original becomes its cause, which the log shows. `offset` as in
 * `ErrorOptions`: give the original's if the message is about the same text.
 */
export function withMessage(error: DbError, message: string, offset?: number): DbError {
  const { code, status, retryAfter, quotesValues } = error
  return new DbError(code, message, {
    cause: error,
    status,
    quotesValues,
    ...(offset !== undefined && { offset }),
    ...(retryAfter !== undefined && { retryAfter })
  })
}

/** A DbError as plain data, for messages between threads and processes, where errors lose their class. It has no cause. */
export interface PlainError extends Omit<ErrorOptions, 'cause'> {
  readonly code: ErrorCode
  readonly message: string
  /** Of an ItemsError. */
  readonly items?: readonly ItemError[]
}

/** All facts of an error but its cause, ready for `structuredClone` and JSON. */
export function toPlainError(error: DbError): PlainError {
  const { code, message, status, quotesValues, retryAfter, offset } = error
  return {
    ...{ code, message, status, quotesValues },
    ...(retryAfter !== undefined && { retryAfter }),
    ...(offset !== undefined && { offset }),
    ...('items' in error && { items: error.items as ItemError[] })
  }
}

/** A DbError, or an ItemsError if it was one. */
export function fromPlainError({ code, message, items, ...options }: PlainError): DbError {
  return items === undefined ? new DbError(code, message, options) : new ItemsError(items, options)
}

/** Whether a value is a DbError, of any copy of this package (a third-party plugin may bring its own). */
export function isDbError(error: unknown): error is DbError {
  return typeof error === 'object' && error !== null && brand in error
}

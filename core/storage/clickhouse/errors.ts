// Translates errors of a ClickHouse cluster where they enter.

import { DbError, type ErrorCode, type ErrorOptions, isDbError, reasonOf, withMessage } from '../../errors.ts'
import { shorten } from '../../model/shorten.ts'

/** The error of the cluster as one for a client. */
interface Meaning {
  readonly code: ErrorCode
  readonly status?: number
  /** Seconds. */
  readonly retryAfter?: number
}

const busy: Meaning = { code: 'RateLimited', retryAfter: 2 }
const away: Meaning = { code: 'StorageUnavailable', retryAfter: 2 }
const plan: Meaning = { code: 'PlanQuery' }
const outdated: Meaning = { code: 'RequestOutdated' }

/** By ClickHouse's error code; all others are errors of the query. */
const meanings: Readonly<Record<number, Meaning>> = {
  // A column or table that is gone.
  10: outdated,
  16: outdated,
  60: outdated,
  81: outdated,
  // Errors of a statement, or of the values it meets.
  6: plan,
  8: plan,
  19: plan,
  27: plan,
  34: plan,
  35: plan,
  36: plan,
  38: plan,
  41: plan,
  42: plan,
  43: plan,
  44: plan,
  46: plan,
  47: plan,
  48: plan,
  50: plan,
  52: plan,
  53: plan,
  63: plan,
  69: plan,
  70: plan,
  72: plan,
  80: plan,
  115: plan,
  122: plan,
  125: plan,
  128: plan,
  130: plan,
  131: plan,
  153: plan,
  158: plan,
  167: plan,
  168: plan,
  170: plan,
  174: plan,
  179: plan,
  184: plan,
  190: plan,
  206: plan,
  207: plan,
  215: plan,
  222: plan,
  258: plan,
  306: plan,
  307: plan,
  344: plan,
  349: plan,
  352: plan,
  376: plan,
  386: plan,
  395: plan,
  396: plan,
  403: plan,
  407: plan,
  427: plan,
  455: plan,
  456: plan,
  457: plan,
  467: plan,
  675: plan,
  676: plan,
  691: plan,
  62: { code: 'InvalidSyntax' },
  321: { code: 'InvalidArguments' },
  164: { code: 'PermissionDenied' },
  // Temporary conditions.
  201: busy,
  202: busy,
  252: busy,
  241: { code: 'RuntimeResourcesExhausted', status: 503, retryAfter: 5 },
  159: { code: 'DeadlineExceeded' },
  160: { code: 'DeadlineExceeded' },
  394: { code: 'Cancelled' },
  209: away,
  210: away,
  225: away,
  236: away,
  242: away,
  243: away,
  279: away,
  285: away,
  286: away,
  319: away,
  473: away,
  999: away
}

/** The error code if the cluster answered; undefined if it did not. */
export function numberOf(error: unknown): number | undefined {
  const { code, type } = Object(error) as { readonly code?: unknown; readonly type?: unknown }
  return typeof type === 'string' && typeof code === 'string' && /^\d+$/.test(code) ? Number(code) : undefined
}

/** Whether the outcome of a request is unknown: the connection broke, or a quorum was not confirmed. */
export function isUncertain(error: unknown): boolean {
  const number = numberOf(error)
  if (number === undefined) return !isDbError(error)
  return [209, 210, 286, 319, 999].includes(number)
}

/** An error of the client as a DbError. */
export function translate(error: unknown, signal?: AbortSignal): DbError {
  if (signal?.aborted) return cancelled(signal)
  if (isDbError(error)) return error
  const number = numberOf(error)
  const reason = reasonOf(error)
  if (number === undefined) {
    return new DbError('StorageUnavailable', `the ClickHouse cluster does not answer: ${reason}`, {
      cause: error,
      retryAfter: 2
    })
  }
  const { code, status, retryAfter }: Meaning = meanings[number] ?? { code: 'EngineExecuteQuery' }
  const options: ErrorOptions = {
    cause: error,
    ...(status !== undefined && { status }),
    ...(retryAfter !== undefined && { retryAfter })
  }
  if (number === 497 || number === 516) {
    // The server's own credentials were refused, not the user's.
    return new DbError('StorageUnavailable', `the ClickHouse cluster refuses the server: ${reason}`, options)
  }
  return new DbError(code, reason.trim(), options)
}

export function cancelled(signal: AbortSignal): DbError {
  const reason: unknown = signal.reason
  return isDbError(reason) ? reason : new DbError('Cancelled', 'the query was cancelled', { cause: reason })
}

/** Prefix of the statement that asks for a syntax tree. */
export const explainAst = 'EXPLAIN AST '

/** The error of an invalid statement, with its position in characters. */
export function syntaxError(
  { message }: DbError,
  statement: string
): { readonly said: string; readonly at: number } | undefined {
  const found = /failed at position (\d+) \((.*?)\)(?: \(line \d+, col \d+\))?: .*?(?:Expected one of: (.*))?$/s.exec(
    message
  )
  if (found === null) return undefined
  const [, position, token, expected = ''] = found
  const at = Buffer.from(statement).toString('utf8', 0, Number(position) - 1).length
  // The last parenthesis was added by us.
  const isEnd = at >= statement.length - 1
  const list = shorten(expected, maxListLength)
  const hint = list === '' ? '' : `, expected one of: ${list}`
  return { said: `Syntax error: unexpected ${isEnd ? 'end of the statement' : token}${hint}`, at }
}

/** Maximum characters of the list of expected tokens in a message. */
const maxListLength = 300

/** Removes details that only make sense for the rewritten statement. */
export function inPlainWords(error: DbError): DbError {
  // The catalog's tables are named with their database.
  const [, unknown] = /^Unknown table expression identifier '([^'.]*)'/.exec(error.message) ?? []
  if (unknown !== undefined) return new DbError('TableNotFound', `Table not found: ${unknown}`, { cause: error.cause })
  const plain = error.message
    .trimEnd()
    .replace(/(?:: |,? )?(?:while executing|in scope|[Ww]hile processing) [\s\S]*$/i, '')
    .replace(/ ?\([A-Z_]+\)$/, '')
  return plain === error.message ? error : withMessage(error, plain, error.offset)
}

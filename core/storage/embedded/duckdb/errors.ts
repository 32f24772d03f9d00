// Translates DuckDB's errors where they enter.
import { DbError, isDbError } from '../../../errors.ts'
import { limitMark } from '../../../model/limit.ts'

export function cancelled(signal: AbortSignal): DbError {
  const reason: unknown = signal.reason
  if (reason instanceof DbError) return reason
  return new DbError('Cancelled', 'the query was cancelled', { cause: reason })
}

/** Rejects with a DbError for an error of DuckDB. */
export async function translate<T>(work: Promise<T>, signal?: AbortSignal): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (signal?.aborted) throw cancelled(signal)
    throw translateError(error)
  }
}

/** Kinds of errors that a statement or the values it reads are to blame for. */
const aboutStatement = new RegExp(
  `^(${[
    'Binder|Catalog|Constraint|Conversion|Decimal|Divide by Zero|Expression|Invalid Input|Invalid Type|Mismatch Type|Not implemented',
    'Out of Range|Parameter Not Allowed|Parameter Not Resolved|Planner|Syntax|Unknown Type'
  ].join('|')}) Error`
)

/** An error in the form of DuckDB's `errors_as_json`; positions count bytes of the executed text. */
interface Told {
  readonly exception_type: string
  readonly exception_message: string
  readonly position?: string
}

export function translateError(error: unknown, locate: (bytes: number) => number | undefined = () => undefined) {
  const { text, position } = readTold(error instanceof Error ? error.message : String(error))
  const offset = position === undefined ? undefined : locate(position)
  // DuckDB lists all candidates, which can be very long.
  const message = text
    .split('\n\n')[0]!
    .replace(/(?<!\s)\s*Candidate functions:[\s\S]{400,}$/, '')
    .replace(
      /Max expression depth limit of (\d+) exceeded\..*$/s,
      'the statement nests more than $1 levels deep, its subqueries and joins one in the other'
    )
    .trim()
  const options = { cause: error, ...(offset !== undefined && { offset }) }
  const limited = `Invalid Input Error: ${limitMark}`
  if (text.startsWith(limited)) return new DbError('InvalidArguments', message.slice(limited.length), options)
  if (aboutStatement.test(text)) {
    return new DbError('PlanQuery', message, options)
  }
  // DuckDB plans some expressions more than once, which fails if they contain a subquery.
  if (/^Serialization Error: Cannot copy Bound/.test(text)) return new DbError('PlanQuery', message, options)
  if (/^Parser Error/.test(text)) return new DbError('InvalidSyntax', message, options)
  if (/^Permission Error/.test(text)) return new DbError('PermissionDenied', message, options)
  if (/^Out of Memory Error/.test(text)) {
    return new DbError('RuntimeResourcesExhausted', `${message} (limit: storage.memory_limit)`, { cause: error })
  }
  return new DbError('EngineExecuteQuery', message, options)
}

function readTold(message: string): { readonly text: string; readonly position?: number } {
  const start = message.indexOf('{"exception_type"')
  if (start < 0) return { text: message }
  const { exception_type: type, exception_message: told, position } = JSON.parse(message.slice(start)) as Told
  return { text: `${type} Error: ${told}`, ...(position !== undefined && { position: Number(position) }) }
}

/** Whether an error depends on the rows; a disk that is full or read-only fails for all rows. */
export function isAboutRows(error: unknown): error is DbError {
  return (
    isDbError(error) && error.code !== 'PermissionDenied' && !/^(IO|FATAL|INTERNAL|INTERRUPT) Error/.test(error.message)
  )
}

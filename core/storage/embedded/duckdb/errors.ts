// DuckDB's errors as ours, translated where they enter.
import { DbError, isDbError } from '../../../errors.ts'

export function cancelled(signal: AbortSignal): DbError {
  const reason: unknown = signal.reason
  if (reason instanceof DbError) return reason
  return new DbError('Cancelled', 'the query was cancelled', { cause: reason })
}

/** Errors of DuckDB as ours, at the edge where they enter. */
export async function translate<T>(work: Promise<T>, signal?: AbortSignal): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (signal?.aborted) throw cancelled(signal)
    throw translateError(error)
  }
}

export function translateError(error: unknown): DbError {
  const text = (error instanceof Error ? error.message : String(error)).replace(/^Failed to extract statements: /, '')
  // The list of all there might have been is longer than anybody reads.
  const message = text
    .split('\n\n')[0]!
    .replace(/\s*Candidate functions:[\s\S]{400,}$/, '')
    .trim()
  if (/^(Binder|Catalog|Conversion|Invalid Input|Out of Range|Not implemented|Constraint) Error/.test(text)) {
    return new DbError('PlanQuery', message, { cause: error })
  }
  if (/^Parser Error/.test(text)) return new DbError('InvalidSyntax', message, { cause: error })
  if (/^Permission Error/.test(text)) return new DbError('PermissionDenied', message, { cause: error })
  if (/^Out of Memory Error/.test(text)) {
    return new DbError('RuntimeResourcesExhausted', `${message} (limit: storage.memory_limit)`, { cause: error })
  }
  return new DbError('EngineExecuteQuery', message, { cause: error })
}

/** Whether other rows may have better luck: a disk that is full or cannot be written is the same for all. */
export function isAboutRows(error: unknown): error is DbError {
  return (
    isDbError(error) && error.code !== 'PermissionDenied' && !/^(IO|FATAL|INTERNAL|INTERRUPT) Error/.test(error.message)
  )
}

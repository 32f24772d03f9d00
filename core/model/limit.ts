// A limit, and the configuration key that sets it.
import { quoteText } from './sql-text.ts'

/** Begins the text of an error that DuckDB meets while it runs a statement which goes beyond a limit; no user sees it. */
export const limitMark = 'limit reached: '

/** An expression of DuckDB's SQL that fails with `InvalidArguments` and this message where it is evaluated. */
export function limitError(message: string): string {
  return `error(${quoteText(limitMark + message)})`
}

/** A maximum; `key` is the configuration key that sets it, for error messages. */
export interface Limit {
  readonly max: number
  readonly key: string
}

// Errors in the text of a query, with positions.
import { DbError } from '../../../core/wire/index.ts'

/** A query that cannot be parsed or whose types do not fit; the message begins with `line:column: parse error:`. */
export class QueryError extends DbError {
  constructor(text: string, offset: number, message: string) {
    super('InvalidSyntax', `${position(text, offset)}: parse error: ${message}`)
    this.name = 'QueryError'
  }
}

/** `line:column`, both from 1; columns count bytes of UTF-8. */
export function position(text: string, offset: number): string {
  const before = text.slice(0, offset)
  const line = before.split('\n').length
  return `${line}:${Buffer.byteLength(before.slice(before.lastIndexOf('\n') + 1)) + 1}`
}

// Line and column of an offset, for error messages.
import { ParseError } from '../../../core/index.ts'

/** A ParseError with the line and column of an offset; columns count characters. */
export function failure(body: Uint8Array, at: number, reason: string): ParseError {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  let line = 1
  let from = 0
  for (let feed = bytes.indexOf(0x0a); feed >= 0 && feed < at; feed = bytes.indexOf(0x0a, from)) {
    line++
    from = feed + 1
  }
  const column = bytes.toString('utf8', from, at).length + 1
  return new ParseError(`unable to parse line protocol: ${reason}`, line, column)
}

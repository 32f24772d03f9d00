// Line and column of an offset, for error messages.
import { ParseError } from '../../../core/index.ts'

/** A ParseError with the line and column of an offset; columns count characters. */
export function failure(body: Uint8Array, at: number, reason: string): ParseError {
  const from = body.subarray(0, at).lastIndexOf(0x0a) + 1
  const line = countFeeds(body, from) + 1
  let column = 1
  for (let i = from; i < at; i++) column += charactersAt(body[i]!)
  return new ParseError(`unable to parse line protocol: ${reason}`, line, column)
}

/** UTF-16 units of the character that begins with a byte of UTF-8; 0 within one. */
function charactersAt(byte: number): number {
  if ((byte & 0xc0) === 0x80) return 0
  return byte >= 0xf0 ? 2 : 1
}

/** Line feeds before `end`; a body may have tens of millions, so four bytes are looked at together. */
function countFeeds(body: Uint8Array, end: number): number {
  const first = Math.min(end, -body.byteOffset & 3)
  const words = new Uint32Array(body.buffer, body.byteOffset + first, (end - first) >> 2)
  let count = 0
  for (let i = 0; i < words.length; i++) {
    const other = words[i]! ^ 0x0a0a0a0a
    // The lowest bit of each byte that is 0; the product's highest byte is their sum.
    const found = ~(((other & 0x7f7f7f7f) + 0x7f7f7f7f) | other | 0x7f7f7f7f) >>> 7
    count += Math.imul(found, 0x01010101) >>> 24
  }
  for (let i = 0; i < first; i++) if (body[i] === 0x0a) count++
  for (let i = first + words.length * 4; i < end; i++) if (body[i] === 0x0a) count++
  return count
}

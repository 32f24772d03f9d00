// Text out of a message.
import { isUtf8 } from 'node:buffer'
import { notUtf8 } from '../column/growing-bytes.ts'

/** Throws DbError `InvalidArguments` where it is not valid UTF-8. */
export function utf8(bytes: Uint8Array, start: number, end: number): string {
  const part = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start)
  if (!isUtf8(part)) throw notUtf8(start)
  return part.toString()
}

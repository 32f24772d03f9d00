// Percent encoding on bytes.
import { isUtf8 } from 'node:buffer'

const hex = new TextEncoder().encode('0123456789ABCDEF')

/** Decoded bytes; undefined where there is nothing to decode, null where the result is not UTF-8. */
export function percentDecode(bytes: Uint8Array, start: number, end: number): Uint8Array | null | undefined {
  const range = bytes.subarray(start, end)
  let at = range.indexOf(37)
  if (at < 0) return undefined
  const decoded = new Uint8Array(range.length)
  decoded.set(range.subarray(0, at))
  let length = at
  while (at < range.length) {
    const high = range[at] === 37 ? digit(range[at + 1]) : -1
    const low = high < 0 ? -1 : digit(range[at + 2])
    decoded[length++] = low < 0 ? range[at]! : high * 16 + low
    at += low < 0 ? 1 : 3
  }
  if (length === range.length) return undefined
  const result = decoded.subarray(0, length)
  return isUtf8(result) ? result : null
}

/** Encoded bytes: letters, digits and `- _ . ~` stay; undefined where all do. */
export function percentEncode(bytes: Uint8Array, start: number, end: number): Uint8Array | undefined {
  let escapes = 0
  for (let i = start; i < end; i++) if (!isPlain(bytes[i]!)) escapes++
  if (escapes === 0) return undefined
  const encoded = new Uint8Array(end - start + 2 * escapes)
  let length = 0
  for (let i = start; i < end; i++) {
    const byte = bytes[i]!
    if (isPlain(byte)) encoded[length++] = byte
    else {
      encoded[length++] = 37
      encoded[length++] = hex[byte >> 4]!
      encoded[length++] = hex[byte & 15]!
    }
  }
  return encoded
}

/** Value of a hexadecimal digit, or −1. */
function digit(byte: number | undefined): number {
  if (byte === undefined) return -1
  if (byte >= 48 && byte <= 57) return byte - 48
  const letter = byte | 32
  return letter >= 97 && letter <= 102 ? letter - 87 : -1
}

function isPlain(byte: number): boolean {
  const letter = byte | 32
  if ((letter >= 97 && letter <= 122) || (byte >= 48 && byte <= 57)) return true
  return byte === 45 || byte === 46 || byte === 95 || byte === 126
}

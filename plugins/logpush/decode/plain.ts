// Fast paths for the usual form of entries; other forms are left to the general decoder.
import { type ItemField, maxSeconds } from '../../../core/index.ts'

const maxPairs = 16

/** Sets a time of 1 to 19 digits of nanoseconds and returns their end; -1 for anything else. */
export function setTimeDigits(time: ItemField, row: number, bytes: Uint8Array, start: number, end: number): number {
  let at = start
  while (at < end && bytes[at]! >= 0x30 && bytes[at]! <= 0x39) at++
  const digits = at - start
  if (digits === 0 || digits > 19) return -1
  const point = Math.max(start, at - 9)
  let seconds = 0
  let nanoseconds = 0
  for (let i = start; i < point; i++) seconds = seconds * 10 + bytes[i]! - 0x30
  for (let i = point; i < at; i++) nanoseconds = nanoseconds * 10 + bytes[i]! - 0x30
  if (seconds > maxSeconds) return -1
  time.setTime(row, seconds, nanoseconds)
  return at
}

/**
 * The end of the JSON object that begins here, if all its values are texts without escapes and spaces between, and no key occurs twice; else
 * -1.
 */
export function plainMetadataEnd(bytes: Uint8Array, start: number, end: number): number {
  if (bytes[start] !== 0x7b) return -1
  if (bytes[start + 1] === 0x7d) return start + 2
  let at = start + 1
  for (let pairs = 1; pairs <= maxPairs; pairs++) {
    const key = at
    const colon = plainTextEnd(bytes, key, end)
    if (colon < 0 || bytes[colon] !== 0x3a || isTwice(bytes, start + 1, key, colon)) return -1
    at = plainTextEnd(bytes, colon + 1, end)
    if (at < 0 || at >= end) return -1
    if (bytes[at] === 0x7d) return at + 1
    if (bytes[at] !== 0x2c) return -1
    at++
  }
  return -1
}

/** The position behind the closing quote of a text without escapes; else -1. */
function plainTextEnd(bytes: Uint8Array, start: number, end: number): number {
  if (bytes[start] !== 0x22) return -1
  for (let at = start + 1; at < end; at++) {
    const byte = bytes[at]!
    if (byte === 0x22) return at + 1
    if (byte === 0x5c || byte < 0x20) return -1
  }
  return -1
}

/** Whether a pair from `first` on has the same key as the one at `key`. */
function isTwice(bytes: Uint8Array, first: number, key: number, keyEnd: number): boolean {
  for (let at = first; at < key; ) {
    const colon = plainTextEnd(bytes, at, key)
    if (colon - at === keyEnd - key && equals(bytes, at, key, colon - at)) return true
    at = plainTextEnd(bytes, colon + 1, key) + 1
  }
  return false
}

function equals(bytes: Uint8Array, a: number, b: number, length: number): boolean {
  for (let i = 0; i < length; i++) if (bytes[a + i] !== bytes[b + i]) return false
  return true
}

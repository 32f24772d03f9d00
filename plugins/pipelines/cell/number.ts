// Numbers in text, read from bytes.

const decoder = new TextDecoder()

/** A 64-bit integer with an optional sign and nothing else; undefined otherwise. */
export function readInteger(bytes: Uint8Array, start: number, end: number): bigint | undefined {
  const small = readSafeInteger(bytes, start, end)
  if (!Number.isNaN(small)) return BigInt(small)
  if (end - start < 16 || end - start > 40) return undefined
  const text = decoder.decode(bytes.subarray(start, end))
  if (!/^[+-]?\d+$/.test(text)) return undefined
  return BigInt(text[0] === '+' ? text.slice(1) : text)
}

/** Like `readInteger`, for up to 15 digits, as a number; NaN for anything else. */
export function readSafeInteger(bytes: Uint8Array, start: number, end: number): number {
  const negative = bytes[start] === 45
  const first = negative || bytes[start] === 43 ? start + 1 : start
  if (first >= end || end - first > 15) return Number.NaN
  let value = 0
  for (let i = first; i < end; i++) {
    const digit = bytes[i]! - 48
    if (digit < 0 || digit > 9) return Number.NaN
    value = value * 10 + digit
  }
  return negative ? -value : value
}

const decimal = /^[+-]?(?:\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?|inf(?:inity)?|nan)$/i

/** A decimal number with an optional exponent, or `inf`, `infinity`, `nan` in any case; undefined otherwise. */
export function readDecimal(bytes: Uint8Array, start: number, end: number): number | undefined {
  const small = readSafeInteger(bytes, start, end)
  if (!Number.isNaN(small)) return small
  if (end - start > 1000) return undefined
  const text = decoder.decode(bytes.subarray(start, end))
  if (!decimal.test(text)) return undefined
  const letters = text.toLowerCase()
  if (letters.endsWith('nan')) return Number.NaN
  if (letters.includes('inf')) return text[0] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
  return Number(text)
}

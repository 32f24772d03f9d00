// Numbers of points: times in milliseconds, doubles in decimals, the staleness marker.

/** The bits of Prometheus' staleness marker, a NaN that ends a series. */
export const staleLow = 2
export const staleHigh = 0x7ff00000

/** Milliseconds of nanoseconds given as two words, rounded down; exact for all 64 bits. */
export function millisecondsOf(low: number, high: number): number {
  // Divides word by word, so that no intermediate value exceeds 2^53; a million is 64 × 15625.
  const quotient = Math.floor(high / 15625)
  const rest = high - quotient * 15625
  return quotient * 67108864 + Math.floor((rest * 67108864 + (low >>> 6)) / 15625)
}

/** The shortest decimal text that parses to the same number, without an exponent. */
export function plainDecimal(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf'
  if (value === Number.NEGATIVE_INFINITY) return '-Inf'
  const text = String(value)
  const e = text.indexOf('e')
  if (e < 0) return text
  const sign = text.startsWith('-') ? '-' : ''
  const [whole = '', fraction = ''] = text.slice(sign.length, e).split('.')
  const point = whole.length + Number(text.slice(e + 1))
  const digits = whole + fraction
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`
  return sign + digits.padEnd(point, '0')
}

// Numbers of points: times in milliseconds, doubles in decimals, the mark of a series' end.

/** The bits of the number that says that a series ended. */
export const staleLow = 2
export const staleHigh = 0x7ff00000

/** Milliseconds of nanoseconds given as two words, rounded down; exact for all 64 bits. */
export function millisecondsOf(low: number, high: number): number {
  // A million is 64 × 15625: the quotient of the high word first, so that nothing exceeds 2^53.
  const quotient = Math.floor(high / 15625)
  const rest = high - quotient * 15625
  return quotient * 67108864 + Math.floor((rest * 67108864 + (low >>> 6)) / 15625)
}

/** The shortest decimals that read back the same, without an exponent. */
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

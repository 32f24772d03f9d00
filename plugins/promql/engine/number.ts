// Numbers as Prometheus writes them.

/** Shortest text that reads back the same; an exponent below 1e-6 and from 1e21 on; `NaN`, `+Inf`, `-Inf`, `-0`. */
export function formatFloat(value: number): string {
  const size = Math.abs(value)
  if (size >= 1e-6 && size < 1e21) return String(value)
  if (Number.isNaN(value)) return 'NaN'
  if (value === Number.POSITIVE_INFINITY) return '+Inf'
  if (value === Number.NEGATIVE_INFINITY) return '-Inf'
  if (value === 0) return Object.is(value, -0) ? '-0' : '0'
  const text = String(value)
  // JavaScript writes e-7 where others write e-07.
  const exponent = text.indexOf('e')
  if (exponent < 0 || text.length - exponent > 3) return text
  return `${text.slice(0, exponent + 2)}0${text.slice(exponent + 2)}`
}

/** As `formatFloat`, never with an exponent. */
export function fixedFloat(value: number): string {
  const text = formatFloat(value)
  const at = text.indexOf('e')
  if (at < 0) return text
  const exponent = Number(text.slice(at + 1))
  const sign = text.startsWith('-') ? '-' : ''
  const [whole, fraction = ''] = text.slice(sign.length, at).split('.')
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${whole}${fraction}`
  return `${sign}${whole}${fraction.padEnd(exponent, '0')}`
}

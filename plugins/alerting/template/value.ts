// Values of templates, and how Go formats them.

export type Value = string | number | boolean | undefined | readonly Value[] | { readonly [name: string]: Value }

/** Whether a value is true for `if`: not empty. */
export function isTrue(value: Value): boolean {
  if (Array.isArray(value)) return value.length > 0
  if (typeof value === 'object') return Object.keys(value).length > 0
  return Boolean(value) || Number.isNaN(value)
}

export function printValue(value: Value): string {
  if (typeof value === 'number') return printNumber(value)
  if (value === undefined) return '<no value>'
  if (Array.isArray(value)) return `[${value.map(printValue).join(' ')}]`
  if (typeof value === 'object') {
    const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
    return `map[${members.map(([name, each]) => `${name}:${printValue(each)}`).join(' ')}]`
  }
  return String(value)
}

/** `%v` of a float: the shortest text, with an exponent below -4 and from 6 on. */
export function printNumber(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'
  const [digits, exponent] = value.toExponential().split('e') as [string, string]
  if (value !== 0 && (Number(exponent) < -4 || Number(exponent) >= 6)) return `${digits}e${goExponent(exponent)}`
  if (Object.is(value, -0)) return '-0'
  return plainNumber(digits, Number(exponent))
}

/** `%.{digits}g`: at most so many significant digits, without trailing zeros. */
export function printGeneral(value: number, digits: number): string {
  if (!Number.isFinite(value)) return printNumber(value)
  const precision = Math.max(1, digits)
  const [mantissa, exponent] = exponential(value, precision - 1)
  const short = mantissa.includes('.') ? mantissa.replace(/\.?0+$/, '') : mantissa
  if (Number(exponent) < -4 || Number(exponent) >= precision) return `${short}e${goExponent(exponent)}`
  return plainNumber(short, Number(exponent))
}

/** Mantissa with so many fraction digits, and exponent; rounds half to even, as Go does. */
export function exponential(value: number, fraction: number): readonly [mantissa: string, exponent: string] {
  const [mantissa, exponent] = value.toExponential(fraction).split('e') as [string, string]
  const [exact] = value.toExponential(100).split('e') as [string]
  return [evenTie(exact, fraction) ?? mantissa, exponent]
}

export function fixed(value: number, fraction: number): string {
  return (Math.abs(value) < 1e21 ? evenTie(value.toFixed(100), fraction) : undefined) ?? value.toFixed(fraction)
}

/** The digits to keep if those behind are exactly a half and the last one kept is even. */
function evenTie(exact: string, fraction: number): string | undefined {
  const point = exact.indexOf('.')
  const kept = exact.slice(0, fraction === 0 ? point : point + 1 + fraction)
  return /^50*$/.test(exact.slice(point + 1 + fraction)) && /[02468]$/.test(kept) ? kept : undefined
}

/** At least two digits. */
export function goExponent(exponent: string): string {
  return `${exponent.startsWith('-') ? '-' : '+'}${exponent.replace(/^[+-]/, '').padStart(2, '0')}`
}

function plainNumber(mantissa: string, exponent: number): string {
  const negative = mantissa.startsWith('-')
  const [whole, rest = ''] = mantissa.replace('-', '').split('.') as [string, string?]
  const digits = whole + rest
  const point = exponent + 1
  const text =
    point <= 0
      ? `0.${'0'.repeat(-point)}${digits}`
      : digits.length <= point
        ? digits.padEnd(point, '0')
        : `${digits.slice(0, point)}.${digits.slice(point)}`
  return negative ? `-${text}` : text
}

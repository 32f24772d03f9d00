// Go's `printf` for texts, numbers and booleans.
import { exponential, fixed, goExponent, printGeneral, printNumber, printValue, type Value } from './value.ts'

/** Maximum width and precision. */
const maxWidth = 100

/** Formats like Go; a verb that does not fit its argument is reported as in Go: `%!d(string=a)`. */
export function printf(format: string, args: readonly Value[]): string {
  let next = 0
  const text = format.replace(/%([-+# 0]*)(\d*)(?:\.(\d*))?(.)/gsu, (_, flags: string, width, precision, verb) => {
    if (verb === '%') return '%'
    if (next >= args.length) return `%!${verb}(MISSING)`
    const digits = precision === undefined ? undefined : Math.min(Number(precision || 0), maxWidth)
    return pad(write(verb, args[next++], digits, flags), Math.min(Number(width || 0), maxWidth), flags)
  })
  return next < args.length ? `${text}%!(EXTRA ${args.slice(next).map(described).join(', ')})` : text
}

function write(verb: string, value: Value, digits: number | undefined, flags: string): string {
  const wrong = `%!${verb}(${described(value)})`
  if (verb === 'v')
    return typeof value === 'number' && digits !== undefined ? printGeneral(value, digits) : printValue(value)
  if (verb === 's') return typeof value === 'string' ? cut(value, digits) : wrong
  if (verb === 'q') return typeof value === 'string' ? JSON.stringify(value) : wrong
  if (verb === 't') return typeof value === 'boolean' ? String(value) : wrong
  if (typeof value !== 'number') return wrong
  const sign = flags.includes('+') && value >= 0 ? '+' : ''
  switch (verb) {
    case 'f':
    case 'F':
      return Number.isFinite(value) ? sign + fixed(value, digits ?? 6) : printNumber(value)
    case 'g':
      return sign + (digits === undefined ? printNumber(value) : printGeneral(value, digits))
    case 'e': {
      if (!Number.isFinite(value)) return printNumber(value)
      const [mantissa, exponent] = exponential(value, digits ?? 6)
      return `${sign}${mantissa}e${goExponent(exponent)}`
    }
    case 'd':
    case 'x':
      return Number.isInteger(value) ? sign + value.toString(verb === 'd' ? 10 : 16) : wrong
  }
  return wrong
}

function cut(text: string, characters: number | undefined): string {
  return characters === undefined ? text : Array.from(text).slice(0, characters).join('')
}

function pad(text: string, width: number, flags: string): string {
  if (flags.includes('-')) return text.padEnd(width)
  return flags.includes('0') && /^[+-]?\d/.test(text) ? text.padStart(width, '0') : text.padStart(width)
}

function described(value: Value): string {
  const types: Readonly<Record<string, string>> = { string: 'string', number: 'float64', boolean: 'bool' }
  return `${types[typeof value] ?? 'map'}=${printValue(value)}`
}

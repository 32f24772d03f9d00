// The date matcher of grok rules: compiles a date format to a regular expression and a parser.
import { daysFromCivil, daysInMonth, parseZone, utc, type Zone } from '../../../../../core/compute.ts'
import { Regex } from '../../regex.ts'
import { literalPattern } from './grok-patterns.ts'

interface DateMatcher {
  /** Regular expression that matches dates of this format. */
  readonly pattern: string
  /** Milliseconds since 1970; undefined when the text is not a date. */
  read(text: string): number | undefined
}

const months = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')

/** Throws an Error for formats and time zones that are unknown. */
export function compileDate(format: string, zoneName: string | undefined): DateMatcher {
  const zone = zoneName === undefined ? utc : parseZone(zoneName)
  if (zone === undefined) throw new Error(`the time zone "${zoneName}" is unknown`)
  const letters: string[] = []
  let plain = ''
  let grouped = ''
  for (const [item, quoted] of format.matchAll(/'((?:[^']|'')*)'|([A-Za-z])\2*|[^A-Za-z']+/g)) {
    const letter = item[0]!
    const body = quoted === undefined && /[A-Za-z]/.test(letter) ? patternOf(item) : undefined
    const literal =
      body === undefined ? literalPattern(quoted === undefined ? item : quoted.replaceAll("''", "'") || "'") : ''
    if (body !== undefined) letters.push(letter)
    plain += body === undefined ? literal : `(?:${body})`
    grouped += body === undefined ? literal : `(${body})`
  }
  const pattern = new Regex(`(?i)^${grouped}$`)
  return {
    pattern: plain,
    read(text) {
      const groups = pattern.exec(text)?.groups as readonly string[] | undefined
      return groups === undefined ? undefined : timeOf(letters, groups.slice(1), zone)
    }
  }
}

/** All parts have a bounded length and disjoint first characters, so the pattern matches in linear time. */
function patternOf(run: string): string {
  switch (run[0]) {
    case 'y':
      return run.length === 2 ? '\\d{2}' : '\\d{4}'
    case 'M':
      return run.length < 3 ? '\\d{1,2}' : '[A-Za-z]{3,9}'
    case 'd':
    case 'H':
    case 'k':
    case 'h':
    case 'K':
    case 'm':
    case 's':
      return run.length === 1 ? '\\d{1,2}' : '\\d{2}'
    case 'S':
      return `\\d{${run.length}}`
    case 'a':
      return '[AaPp][Mm]'
    case 'E':
      return '[A-Za-z]{3,9}'
    case 'z':
      return '[A-Za-z][A-Za-z_/+-]{0,40}|[+-]\\d{2}:?\\d{2}'
    case 'Z':
      return 'Z|[+-]\\d{2}:?\\d{2}'
    default:
      throw new Error(`the date format has the unknown letter "${run[0]}"`)
  }
}

function timeOf(letters: readonly string[], parts: readonly string[], zone: Zone): number | undefined {
  const of = (letter: string) => parts[letters.indexOf(letter)]
  const number = (letter: string, otherwise: number) => Number(of(letter) ?? otherwise)
  const year = of('y')?.length === 2 ? 2000 + number('y', 0) : number('y', new Date().getUTCFullYear())
  const named = of('M') ?? '1'
  const month = /\d/.test(named) ? Number(named) : months.indexOf(named.slice(0, 3).toLowerCase()) + 1
  const day = number('d', 1)
  const hour = hourOf(of)
  const minute = number('m', 0)
  const second = number('s', 0)
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return undefined
  if (hour > 23 || minute > 59 || second > 60) return undefined
  const local = daysFromCivil(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second
  const offset = offsetOf(of('Z') ?? of('z'), local, zone)
  if (offset === undefined) return undefined
  return (local - offset) * 1000 + Math.floor(Number(`0.${of('S') ?? '0'}`) * 1000)
}

function hourOf(of: (letter: string) => string | undefined): number {
  const half = of('h') ?? of('K')
  if (half === undefined) return Number(of('H') ?? of('k') ?? 0) % (of('k') === undefined ? 100 : 24)
  return (Number(half) % 12) + (/^p/i.test(of('a') ?? '') ? 12 : 0)
}

function offsetOf(text: string | undefined, local: number, zone: Zone): number | undefined {
  if (text !== undefined && /^z$/i.test(text)) return 0
  const found = /^([+-])(\d{2}):?(\d{2})$/.exec(text ?? '')
  if (found !== null) return (found[1] === '-' ? -60 : 60) * (Number(found[2]) * 60 + Number(found[3]))
  const offset = (text === undefined ? zone : parseZone(text))?.localOffset(local)
  return typeof offset === 'number' ? offset : undefined
}

// Reading numbers with units: lengths of time and numbers of bytes.
import { type Context, step } from '../../context.ts'
import { type FunctionSpec, fail } from '../../function.ts'
import { kinds } from '../../kind.ts'
import { Regex } from '../../regex.ts'
import { lossy, type Text } from '../../value.ts'

const nanoseconds: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1000n,
  µs: 1000n,
  ms: 1_000_000n,
  cs: 10_000_000n,
  ds: 100_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
  d: 86_400_000_000_000n,
  w: 604_800_000_000_000n
}

const prefixes = ['k', 'M', 'G', 'T', 'P', 'E']

/** Sizes of units by name: powers of 1024 go by both kinds of names, powers of 1000 by those without `i` alone. */
function sizes(step: bigint, infixes: readonly string[]): Readonly<Record<string, bigint>> {
  const found: Record<string, bigint> = { B: 1n }
  for (const [i, prefix] of prefixes.entries())
    for (const infix of infixes)
      for (const letter of prefix === 'k' ? ['k', 'K'] : [prefix]) found[`${letter}${infix}B`] = step ** BigInt(i + 1)
  return found
}

const bytesByBase: Readonly<Record<string, Readonly<Record<string, bigint>>>> = {
  2: sizes(1024n, ['i', '']),
  10: sizes(1000n, [''])
}

const durationPart = new Regex('(?i)(\\d*\\.?\\d+|\\d+\\.)\\s*(ns|us|µs|ms|cs|ds|s|m|h|d|w)')
const bytesText = new Regex('^\\s*(\\d*\\.?\\d+|\\d+\\.)\\s*([a-zA-Z]{1,3})\\s*$')

export const quantityParsers: readonly FunctionSpec[] = [
  {
    name: 'parse_duration',
    summary: 'Adds up the parts of a length of time and gives it in a unit.',
    params: [
      { name: 'value', kind: kinds.string },
      { name: 'unit', kind: kinds.string, oneOf: Object.keys(nanoseconds).filter(unit => unit !== 'w') }
    ],
    returns: kinds.float,
    fallible: true,
    prepare:
      ({ context }) =>
      (value: Text, unit: Text) => {
        const divisor = nanoseconds[lossy(unit)]
        if (divisor === undefined) throw fail(`unknown unit format: '${lossy(unit)}'`)
        return readDuration(context, lossy(value), divisor)
      },
    examples: [
      { title: 'Milliseconds in seconds', source: 'parse_duration!("1005ms", unit: "s")', result: '1.005' },
      { title: 'Several parts', source: 'parse_duration!("1h 30m", "m")', result: '90.0' },
      { title: 'No unit', source: 'parse_duration!("12", "s")', raises: "unable to parse duration: '12'" }
    ]
  },
  {
    name: 'parse_bytes',
    summary: 'Reads a number of bytes with a unit and gives it in another unit.',
    params: [
      { name: 'value', kind: kinds.string },
      {
        name: 'unit',
        kind: kinds.string,
        oneOf: ['B', 'kiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB', 'kB', 'MB', 'GB', 'TB', 'PB', 'EB']
      },
      { name: 'base', kind: kinds.string, default: '2', constant: true, oneOf: ['2', '10'] }
    ],
    returns: kinds.float,
    fallible: true,
    prepare: call => {
      const units = bytesByBase[call.constant('base') as string]!
      return (value: Text, unit: Text) => {
        const [, digits, from = ''] = bytesText.exec(lossy(value))?.groups ?? []
        if (digits === undefined) throw fail(`unable to parse bytes: '${lossy(value)}'`)
        const factor = units[from]
        const divisor = units[lossy(unit)]
        if (factor === undefined) throw fail(`unknown unit format: '${from}'`)
        if (divisor === undefined) throw fail(`unknown unit format: '${lossy(unit)}'`)
        return quotient(scaled(digits) * factor, divisor)
      }
    },
    examples: [
      { title: 'Powers of 1024', source: 'parse_bytes!("1024KiB", unit: "MiB")', result: '1.0' },
      { title: 'Powers of 1000', source: 'parse_bytes!("4TB", unit: "MB", base: "10")', result: '4000000.0' }
    ]
  }
]

/** As in VRL, other text before a part is skipped; text after the last part is an error. */
function readDuration(context: Context, text: string, divisor: bigint): number {
  const { sum: front, end } = readParts(context, text)
  if (end === text.length) return quotient(front, divisor)
  const rest = text.slice(end)
  let sum = front
  let at = 0
  for (const { groups, end: next } of durationPart.matches(rest)) {
    step(context)
    sum += partOf(groups[1]!, groups[2]!)
    at = next
  }
  if (at < rest.length) throw fail(`unable to parse duration: '${rest.slice(at, at + 100)}'`)
  return quotient(sum, divisor)
}

/** Digits and units are disjoint, so the pattern matches in linear time. */
const nextPart = /\s*(\d+(?:\.\d*)?|\.\d+)\s*(ns|us|µs|ms|cs|ds|s|m|h|d|w)/iy

/** The parts that follow one another from the start: all of most texts. */
function readParts(context: Context, text: string): { readonly sum: bigint; readonly end: number } {
  let sum = 0n
  let end = 0
  for (;;) {
    step(context)
    nextPart.lastIndex = end
    const found = nextPart.exec(text)
    if (found === null) return { sum, end }
    sum += partOf(found[1]!, found[2]!)
    end = nextPart.lastIndex
  }
}

function partOf(digits: string, unit: string): bigint {
  const factor = nanoseconds[unit]
  if (factor === undefined) throw fail(`unknown duration unit '${unit}'`)
  return scaled(digits) * factor
}

/** Digits behind the point that are kept: as many as the decimal numbers of the language have. */
const decimals = 28
const maxLength = 60

/** The number times 10 to the power of `decimals`, exactly. */
function scaled(digits: string): bigint {
  const [whole = '', fraction = ''] = digits.split('.')
  if (whole.length > maxLength) throw fail(`the number ${digits.slice(0, maxLength)}… is too large`)
  return BigInt(whole + fraction.slice(0, decimals).padEnd(decimals, '0'))
}

/** The float next to the quotient of a scaled number. */
function quotient(dividend: bigint, divisor: bigint): number {
  return Number(`${(dividend * 1000n) / divisor}e-${decimals + 3}`)
}

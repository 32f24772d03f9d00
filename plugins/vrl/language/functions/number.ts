// Functions on numbers.
import { checkOutput } from '../context.ts'
import { type FunctionSpec, fail } from '../function.ts'
import { bit, isOnly, kinds, only } from '../kind.ts'
import { float } from '../operator.ts'
import { floatText, lossy, type Text, toBytes, type Value } from '../value.ts'

const anyNumber = kinds.number
const precision = { name: 'precision', kind: kinds.integer, default: 0n }

function rounding(name: string, summary: string, whole: (value: number) => number, result: string): FunctionSpec {
  return {
    name,
    summary,
    params: [{ name: 'value', kind: anyNumber }, precision],
    returns: call => only(call.kind('value'), anyNumber.bits),
    run: (value: bigint | number, digits: bigint) => {
      if (typeof value === 'bigint') return value
      const factor = 10 ** Number(digits)
      const rounded = whole(value * factor) / factor
      return Number.isFinite(rounded) ? rounded : value
    },
    examples: [{ title: 'One digit', source: `${name}(4.345, precision: 1)`, result }]
  }
}

export const numbers: readonly FunctionSpec[] = [
  rounding('ceil', 'The nearest number above with so many digits of fraction.', Math.ceil, '4.4'),
  rounding('floor', 'The nearest number below with so many digits of fraction.', Math.floor, '4.3'),
  rounding('round', 'The nearest number with so many digits of fraction, halves away from zero.', roundHalf, '4.3'),
  {
    name: 'mod',
    summary: 'The remainder of a division; it has the sign of the dividend.',
    params: [
      { name: 'value', kind: anyNumber },
      { name: 'modulus', kind: anyNumber }
    ],
    returns: call => {
      const both = [call.kind('value'), call.kind('modulus')]
      if (both.every(kind => isOnly(kind, bit.integer))) return kinds.integer
      return both.some(kind => isOnly(kind, bit.float)) ? kinds.float : kinds.number
    },
    fallible: call => {
      const modulus = call.constant('modulus')
      return modulus === undefined || Number(modulus) === 0
    },
    run: modulo,
    examples: [{ title: 'Integers', source: 'mod(-7, 3)', result: '-1' }]
  },
  {
    name: 'abs',
    summary: 'The number without its sign.',
    params: [{ name: 'value', kind: anyNumber }],
    returns: call => only(call.kind('value'), anyNumber.bits),
    run: (value: bigint | number) => {
      if (typeof value === 'number') return Math.abs(value)
      return BigInt.asIntN(64, value < 0n ? -value : value)
    },
    examples: [
      { title: 'An integer', source: 'abs(-42)', result: '42' },
      { title: 'A float', source: 'abs(-4.2)', result: '4.2' }
    ]
  },
  {
    name: 'format_int',
    summary: 'The integer written in a base from 2 to 36.',
    params: [
      { name: 'value', kind: kinds.integer },
      { name: 'base', kind: kinds.integer, default: 10n }
    ],
    returns: kinds.string,
    fallible: true,
    run: (value: bigint, base: bigint) => {
      if (base < 2n || base > 36n) throw fail(`invalid base ${base}: must be be between 2 and 36 (inclusive)`)
      return value.toString(Number(base))
    },
    examples: [
      { title: 'Hexadecimal', source: 'format_int!(-42, 16)', result: '"-2a"' },
      { title: 'No such base', source: 'format_int!(1, 1)', raises: 'invalid base 1' }
    ]
  },
  {
    name: 'format_number',
    summary: 'The number as text with so many digits of fraction, cut off or filled with zeros, and separators.',
    params: [
      { name: 'value', kind: anyNumber },
      { name: 'scale', kind: kinds.integer, optional: true },
      { name: 'decimal_separator', kind: kinds.string, default: '.' },
      { name: 'grouping_separator', kind: kinds.string, optional: true }
    ],
    returns: kinds.string,
    prepare:
      ({ context }) =>
      (value: bigint | number, scale: bigint | undefined, point: Text, group: Text | undefined) => {
        checkOutput(context, Math.max(Number(scale ?? 0n), toBytes(group ?? '').length * 110))
        return formatNumber(value, scale, lossy(point), group === undefined ? '' : lossy(group))
      },
    examples: [
      {
        title: 'With groups',
        source: 'format_number(1234567.891, 2, grouping_separator: ",")',
        result: '"1,234,567.89"'
      },
      { title: 'Filled', source: 'format_number(4.5, 3, decimal_separator: ",")', result: '"4,500"' }
    ]
  }
]

/** Without a scale all digits of the fraction; without digits no separator. */
function formatNumber(value: bigint | number, scale: bigint | undefined, point: string, group: string): string {
  const text = typeof value === 'bigint' ? String(value) : floatText(value)
  const [whole = '', fraction = ''] = text.split('.')
  const digits =
    scale === undefined ? fraction : scale < 0n ? '' : fraction.slice(0, Number(scale)).padEnd(Number(scale), '0')
  const grouped = group === '' ? whole : whole.replace(/(\d)(?=(?:\d{3})+$)/g, found => found + group)
  return digits === '' ? grouped : grouped + point + digits
}

function roundHalf(value: number): number {
  return Math.sign(value) * Math.round(Math.abs(value))
}

function modulo(value: bigint | number, modulus: bigint | number): Value {
  if (Number(modulus) === 0) throw fail("can't calculate remainder when dividing by zero")
  if (typeof value === 'bigint' && typeof modulus === 'bigint') return value % modulus
  return float(Number(value) % Number(modulus))
}

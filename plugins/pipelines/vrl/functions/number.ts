// Functions on numbers.
import { type FunctionSpec, fail } from '../function.ts'
import { bit, isOnly, kinds, only } from '../kind.ts'
import { float } from '../operator.ts'
import type { Value } from '../value.ts'

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
  }
]

function roundHalf(value: number): number {
  return Math.sign(value) * Math.round(Math.abs(value))
}

function modulo(value: bigint | number, modulus: bigint | number): Value {
  if (Number(modulus) === 0) throw fail("can't calculate remainder when dividing by zero")
  if (typeof value === 'bigint' && typeof modulus === 'bigint') return value % modulus
  return float(Number(value) % Number(modulus))
}

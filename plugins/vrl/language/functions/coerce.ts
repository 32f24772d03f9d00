// Functions that convert values to another kind.
import { type FunctionSpec, fail } from '../function.ts'
import { bit, kinds, mayBe } from '../kind.ts'
import { floatText, isText, lossy, Regex, Timestamp, timeText, typeName, type Value } from '../value.ts'

const containers = bit.array | bit.object | bit.regex

export const coercions: readonly FunctionSpec[] = [
  {
    name: 'to_string',
    summary: 'Turns a scalar into text; null becomes the empty text.',
    params: [{ name: 'value', kind: kinds.any }],
    returns: kinds.string,
    fallible: call => mayBe(call.kind('value'), containers),
    run: toText,
    examples: [
      { title: 'A float', source: 'to_string(1.50)', result: '"1.5"' },
      { title: 'An array', source: 'to_string!([])', raises: 'unable to coerce array into string' }
    ]
  },
  {
    name: 'to_int',
    summary: 'Turns a scalar into an integer; fractions are cut off.',
    params: [{ name: 'value', kind: kinds.any }],
    returns: kinds.integer,
    fallible: call => mayBe(call.kind('value'), containers | bit.string),
    run: toInteger,
    examples: [
      { title: 'A text', source: 'to_int!("-17")', result: '-17' },
      { title: 'No number', source: 'to_int!("x")', raises: 'Invalid integer "x"' }
    ]
  },
  {
    name: 'to_float',
    summary: 'Turns a scalar into a float.',
    params: [{ name: 'value', kind: kinds.any }],
    returns: kinds.float,
    fallible: call => mayBe(call.kind('value'), containers | bit.string),
    run: toFloat,
    examples: [{ title: 'A text', source: 'to_float!("1e3")', result: '1000.0' }]
  },
  {
    name: 'to_bool',
    summary: 'Turns a scalar into a boolean: texts like "yes" and "f", numbers that are not zero.',
    params: [{ name: 'value', kind: kinds.any }],
    returns: kinds.boolean,
    fallible: call => mayBe(call.kind('value'), containers | bit.string | bit.timestamp),
    run: toBoolean,
    examples: [{ title: 'A text', source: 'to_bool!("Yes")', result: 'true' }]
  },
  {
    name: 'to_regex',
    summary: 'Compiles a text as a regular expression.',
    params: [{ name: 'value', kind: kinds.string }],
    returns: kinds.regex,
    fallible: true,
    prepare: () => rememberRegex(),
    examples: [{ title: 'A pattern', source: 'to_regex!("^a+$")', result: '"^a+$"' }]
  }
]

function toText(value: Value): Value {
  switch (typeof value) {
    case 'string':
      return value
    case 'bigint':
    case 'boolean':
      return String(value)
    case 'number':
      return floatText(value)
  }
  if (value === null) return ''
  if (value instanceof Timestamp) return timeText(value)
  if (value instanceof Uint8Array) return value
  throw fail(`unable to coerce ${typeName(value)} into string`)
}

const maxInt64 = 9_223_372_036_854_775_807n
const minInt64 = -maxInt64 - 1n

function toInteger(value: Value): bigint {
  switch (typeof value) {
    case 'bigint':
      return value
    case 'string':
      return parseInteger(value)
    case 'number':
      return truncate(value)
    case 'boolean':
      return value ? 1n : 0n
  }
  if (value === null) return 0n
  if (value instanceof Timestamp) return BigInt.asIntN(64, floorSeconds(value.ns))
  if (value instanceof Uint8Array) return parseInteger(lossy(value))
  throw fail(`unable to coerce ${typeName(value)} into integer`)
}

function parseInteger(text: string): bigint {
  if (!/^[+-]?\d+$/.test(text)) throw fail(`Invalid integer "${text}": invalid digit found in string`)
  if (text.length < 16) return BigInt(Number(text))
  const value = BigInt(text.startsWith('+') ? text.slice(1) : text)
  if (value > maxInt64 || value < minInt64) throw fail(`Invalid integer "${text}": number does not fit into 64 bits`)
  return value
}

/** Rounds towards zero; values beyond 64 bits become the closest 64-bit integer. */
function truncate(value: number): bigint {
  if (value >= 2 ** 63) return maxInt64
  return value <= -(2 ** 63) ? minInt64 : BigInt(Math.trunc(value))
}

function floorSeconds(ns: bigint): bigint {
  const seconds = ns / 1_000_000_000n
  return ns < 0n && seconds * 1_000_000_000n !== ns ? seconds - 1n : seconds
}

function toFloat(value: Value): number {
  switch (typeof value) {
    case 'number':
      return value
    case 'bigint':
      return Number(value)
    case 'string':
      return parseFloatText(value)
    case 'boolean':
      return value ? 1 : 0
  }
  if (value === null) return 0
  if (value instanceof Timestamp) return Number(value.ns) / 1e9
  if (value instanceof Uint8Array) return parseFloatText(lossy(value))
  throw fail(`unable to coerce ${typeName(value)} into float`)
}

/** Decimal or exponent form, or an infinity. */
export function parseFloatText(text: string): number {
  if (/^[+-]?(\d+(?:\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text)) return Number(text)
  const infinite = /^([+-]?)(inf|infinity)$/i.exec(text)
  if (infinite === null) throw fail(`Invalid floating point number "${text}": invalid float literal`)
  return infinite[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
}

function toBoolean(value: Value): boolean {
  if (typeof value === 'boolean') return value
  if (typeof value === 'bigint') return value !== 0n
  if (typeof value === 'number') return value !== 0
  if (value === null) return false
  if (isText(value)) return parseBoolean(lossy(value))
  throw fail(`unable to coerce ${typeName(value)} into boolean`)
}

function parseBoolean(text: string): boolean {
  if (/^(true|t|yes|y)$/i.test(text)) return true
  if (/^(false|f|no|n)$/i.test(text)) return false
  if (/^[+-]?\d+$/.test(text)) return !/^[+-]?0+$/.test(text)
  throw fail(`Invalid boolean value "${text}"`)
}

/** A cache of compiled texts. */
function rememberRegex(): (value: string | Uint8Array) => Regex {
  const compiled = new Map<string, Regex>()
  return value => {
    const source = lossy(value)
    const known = compiled.get(source)
    if (known !== undefined) return known
    if (compiled.size >= 100) compiled.clear()
    const regex = compileRegex(source)
    compiled.set(source, regex)
    return regex
  }
}

function compileRegex(source: string): Regex {
  try {
    return new Regex(source)
  } catch (error) {
    throw fail(`failed to create regex: ${error instanceof Error ? error.message : String(error)}`)
  }
}

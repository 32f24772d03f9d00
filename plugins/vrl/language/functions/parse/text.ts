// Reading the parts of a line: tokens, comma separated fields, integers.
import { readCsvRecord, unquoteCsv } from '../../../../../core/compute.ts'
import { step } from '../../context.ts'
import { type FunctionSpec, fail } from '../../function.ts'
import { arrayOf, kinds, union } from '../../kind.ts'
import { fromBytes, lossy, type Text, toBytes, type Value } from '../../value.ts'

export const textParsers: readonly FunctionSpec[] = [
  {
    name: 'parse_tokens',
    summary: 'Splits a line at blanks; what stands in quotes or brackets is one token, an empty one or a dash is null.',
    params: [{ name: 'value', kind: kinds.string }],
    returns: arrayOf(union(kinds.string, kinds.null)),
    prepare:
      ({ context }) =>
      (value: Text) => {
        const tokens: Value[] = []
        const text = lossy(value)
        for (let at = 0; at < text.length; ) {
          step(context)
          const end = tokenEnd(text, at)
          tokens.push(tokenAt(text, at, end))
          at = end
          while (text[at] === ' ' || text[at] === '\t') at++
        }
        return tokens
      },
    examples: [
      {
        title: 'A line of an access log',
        source: 'parse_tokens(s\'10.0.0.1 - [04/Mar/2025] "GET / HTTP/1.1" 200\')',
        result: '["10.0.0.1",null,"04/Mar/2025","GET / HTTP/1.1","200"]'
      }
    ]
  },
  {
    name: 'parse_csv',
    summary: 'The fields of the first record of comma separated text.',
    params: [
      { name: 'value', kind: kinds.string },
      { name: 'delimiter', kind: kinds.string, default: ',' }
    ],
    returns: arrayOf(kinds.string),
    fallible: true,
    run: (value: Text, delimiter: Text) => {
      const separator = toBytes(delimiter)
      if (separator.length !== 1) throw fail('delimiter must be a single character')
      return readFields(toBytes(value), separator[0]!)
    },
    examples: [
      { title: 'A record', source: 'parse_csv!(s\'1,"two, three",\')', result: '["1","two, three",""]' },
      { title: 'Another delimiter', source: 'parse_csv!("a b", delimiter: " ")', result: '["a","b"]' }
    ]
  },
  {
    name: 'parse_int',
    summary: 'Reads an integer; without a base its prefix decides: 0b, 0o, 0x, and a zero for octal.',
    params: [
      { name: 'value', kind: kinds.string },
      { name: 'base', kind: kinds.integer, optional: true }
    ],
    returns: kinds.integer,
    fallible: true,
    run: (value: Text, base: bigint | undefined) => readInteger(lossy(value), base),
    examples: [
      { title: 'Decimal', source: 'parse_int!("-42")', result: '-42' },
      { title: 'Hexadecimal', source: 'parse_int!("0x2a")', result: '42' },
      { title: 'Base 2', source: 'parse_int!("101010", 2)', result: '42' },
      {
        title: 'No number',
        source: 'parse_int!("4x")',
        raises: 'could not parse integer: invalid digit found in string'
      }
    ]
  }
]

const closers: Readonly<Record<string, string>> = { '"': '"', '[': ']' }

/** The end of the token that starts at `at`; a token that is not closed extends to the end. */
function tokenEnd(text: string, at: number): number {
  const close = closers[text[at]!]
  if (close !== undefined) {
    let end = at + 1
    while (end < text.length && text[end] !== close) end += text[end] === '\\' ? 2 : 1
    return Math.min(end + 1, text.length)
  }
  let end = at
  while (end < text.length && !' \t"['.includes(text[end]!)) end++
  return end === at ? text.length : end
}

function tokenAt(text: string, start: number, end: number): Value {
  const close = closers[text[start]!]
  const closed = close !== undefined && end - start > 1 && text[end - 1] === close && !isEscaped(text, end - 1, start)
  const token = closed ? text.slice(start + 1, end - 1) : text.slice(start, end)
  return token === '' || token === '-' ? null : token
}

function isEscaped(text: string, at: number, start: number): boolean {
  let first = at
  while (first - 1 > start && text[first - 1] === '\\') first--
  return (at - first) % 2 === 1
}

const quote = 34

function readFields(bytes: Uint8Array, separator: number): Value[] {
  const record = readCsvRecord(bytes, 0, bytes.length, separator, quote)
  if (record === undefined) return []
  return record.escaped.map((escaped, i) => {
    const start = record.ranges[2 * i]!
    const end = record.ranges[2 * i + 1]!
    return fromBytes(escaped ? unquoteCsv(bytes, start, end, quote) : bytes.subarray(start, end))
  })
}

const bases: Readonly<Record<string, number>> = { b: 2, o: 8, x: 16 }

function readInteger(text: string, base: bigint | undefined): bigint {
  if (base !== undefined) {
    if (base < 2n || base > 36n) throw fail(`invalid base ${base}: must be between 2 and 36 (inclusive)`)
    return digitsOf(text, Number(base))
  }
  const prefix = text[0] === '0' ? bases[text[1] ?? ''] : undefined
  if (prefix !== undefined) return digitsOf(text.slice(2), prefix)
  return digitsOf(text, text[0] === '0' ? 8 : 10)
}

const broken = 'could not parse integer: '

function digitsOf(text: string, base: number): bigint {
  const negative = text[0] === '-'
  const digits = negative || text[0] === '+' ? text.slice(1) : text
  if (digits === '') throw fail(`${broken}cannot parse integer from empty string`)
  let value = 0n
  for (const digit of digits) {
    const digitValue = Number.parseInt(digit, 36)
    if (!/^[0-9a-z]$/i.test(digit) || digitValue >= base) throw fail(`${broken}invalid digit found in string`)
    value = value * BigInt(base) + BigInt(digitValue)
    if (value > 2n ** 63n) throw fail(`${broken}number does not fit into 64 bits`)
  }
  const signed = negative ? -value : value
  if (signed !== BigInt.asIntN(64, signed)) throw fail(`${broken}number does not fit into 64 bits`)
  return signed
}

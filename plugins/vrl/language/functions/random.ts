// Functions whose results are random, and identifiers made so.
import { randomBytes, randomFillSync, randomUUID } from 'node:crypto'
import { type Call, type FunctionSpec, fail } from '../function.ts'
import { kinds } from '../kind.ts'
import { fromBytes, lossy, type Text, type Timestamp } from '../value.ts'

const maxBytes = 65_536n
const tooLarge = 'Length is too large. Maximum is 64k'
const negative = 'Length cannot be negative'
const invalidRange = 'max must be greater than min'

function ranged(
  name: string,
  summary: string,
  kind: typeof kinds.integer,
  make: (min: never, max: never) => bigint | number,
  example: string
): FunctionSpec {
  return {
    name,
    summary,
    params: [
      { name: 'min', kind },
      { name: 'max', kind }
    ],
    returns: kind,
    fallible: call => rangeOf(call) === undefined,
    prepare: call => {
      const range = rangeOf(call)
      if (range !== undefined && !(range[0] < range[1])) throw call.invalid('max', invalidRange)
      return (min: bigint | number, max: bigint | number) => {
        if (!(min < max)) throw fail(invalidRange)
        return make(min as never, max as never)
      }
    },
    examples: [
      { title: 'In a range', source: example, result: 'true' },
      { title: 'No range', source: `${name}(${kind === kinds.integer ? '1, 1' : '1.0, 1.0'})`, raises: 'E610' }
    ]
  }
}

function rangeOf(call: Call): [bigint | number, bigint | number] | undefined {
  const [min, max] = [call.constant('min'), call.constant('max')]
  if (min === undefined || max === undefined) return undefined
  return [min as number, max as number]
}

export const randoms: readonly FunctionSpec[] = [
  {
    name: 'random_bool',
    summary: 'True or false.',
    params: [],
    returns: kinds.boolean,
    run: () => Math.random() < 0.5,
    examples: [{ title: 'Either', source: 'is_boolean(random_bool())', result: 'true' }]
  },
  {
    name: 'random_bytes',
    summary: 'So many bytes for cryptography, 65536 at most.',
    params: [{ name: 'length', kind: kinds.integer }],
    returns: kinds.string,
    fallible: call => call.constant('length') === undefined,
    prepare: call => {
      const known = call.constant('length') as bigint | undefined
      const wrong = known === undefined ? undefined : lengthProblem(known)
      if (wrong !== undefined) throw call.invalid('length', wrong)
      return (length: bigint) => {
        const problem = lengthProblem(length)
        if (problem !== undefined) throw fail(problem)
        return fromBytes(randomBytes(Number(length)))
      }
    },
    examples: [{ title: 'A key', source: 'length(random_bytes(16))', result: '16' }]
  },
  ranged(
    'random_float',
    'A float from the least on, below the greatest.',
    kinds.float,
    (min: number, max: number) => randomFloat(min, max),
    'x = random_float(1.0, 2.0)\nx >= 1.0 && x < 2.0'
  ),
  ranged(
    'random_int',
    'An integer from the least on, below the greatest.',
    kinds.integer,
    (min: bigint, max: bigint) => min + (randomBelow() % (max - min)),
    'x = random_int(1, 7)\nx >= 1 && x < 7'
  ),
  {
    name: 'uuid_v4',
    summary: 'A random UUID.',
    params: [],
    returns: kinds.string,
    run: () => randomUUID(),
    examples: [{ title: 'Its length', source: 'length(uuid_v4())', result: '36' }]
  },
  {
    name: 'uuid_v7',
    summary:
      'A UUID that begins with a time, now unless one is given; the rest is random. A given time counts up to 4.3 s later.',
    params: [{ name: 'timestamp', kind: kinds.timestamp, optional: true }],
    returns: kinds.string,
    run: (time: Timestamp | undefined) => uuidOfTime(time === undefined ? BigInt(Date.now()) : millisecondsOf(time)),
    examples: [
      { title: 'A time', source: "slice!(uuid_v7(t'2025-03-04T05:06:07.89Z'), 0, 13)", result: '"01955f8c-0f56"' }
    ]
  },
  {
    name: 'uuid_from_friendly_id',
    summary: 'The UUID that was written with digits and letters, base 62.',
    params: [{ name: 'value', kind: kinds.string }],
    returns: kinds.string,
    fallible: true,
    run: (value: Text) => uuidText(fromBase62(lossy(value))),
    examples: [
      { title: 'A number', source: 'uuid_from_friendly_id!("10")', result: '"00000000-0000-0000-0000-00000000003e"' },
      { title: 'No number', source: 'uuid_from_friendly_id!("a-b")', raises: 'invalid character' }
    ]
  }
]

function lengthProblem(length: bigint): string | undefined {
  if (length < 0n) return negative
  return length > maxBytes ? tooLarge : undefined
}

/** A random 128-bit number; modulo 64 bits its bias is negligible. */
function randomBelow(): bigint {
  const words = randomFillSync(new BigUint64Array(2))
  return (words[0]! << 64n) | words[1]!
}

function randomFloat(min: number, max: number): number {
  const share = Math.random()
  const found = min * (1 - share) + max * share
  return found < max ? Math.max(found, min) : min
}

/** VRL adds the lower 32 bits of all nanoseconds to the whole seconds, not those of the second; kept for compatibility. */
function millisecondsOf({ ns }: Timestamp): bigint {
  const seconds = ns / 1_000_000_000n
  return seconds * 1000n + BigInt.asUintN(32, ns) / 1_000_000n
}

/** Times before 1970 are treated as 1970. */
function uuidOfTime(milliseconds: bigint): string {
  const bytes = randomBytes(16)
  bytes.writeUIntBE(Number(milliseconds < 0n ? 0n : BigInt.asUintN(48, milliseconds)), 0, 6)
  bytes[6] = (bytes[6]! & 15) | 0x70
  bytes[8] = (bytes[8]! & 63) | 0x80
  return withDashes(bytes.toString('hex'))
}

function uuidText(number: bigint): string {
  return withDashes(number.toString(16).padStart(32, '0'))
}

function withDashes(digits: string): string {
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

const digits62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const maxUuid = (1n << 128n) - 1n

function fromBase62(text: string): bigint {
  if (text === '') throw fail('the identifier is empty')
  let number = 0n
  for (const char of text) {
    const digit = digits62.indexOf(char)
    if (digit < 0) throw fail(`invalid character "${char}" in the identifier`)
    number = number * 62n + BigInt(digit)
    if (number > maxUuid) throw fail('the identifier does not fit into 128 bits')
  }
  return number
}

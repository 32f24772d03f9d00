// Constants of INSERT: from tokens or from a query's result, before they are given a column's type.
import { isTimestamp, jsonWriter, type ResultType, type TimeUnit, timeUnit } from '../../../core/index.ts'
import { isToken, type Token } from '../text/token.ts'

export type Literal =
  | { readonly kind: 'null' | 'default' | 'now' }
  | { readonly kind: 'boolean'; readonly value: boolean }
  | { readonly kind: 'number' | 'text'; readonly text: string }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'time'; readonly value: bigint; readonly unit: TimeUnit }

export const nullLiteral: Literal = { kind: 'null' }

const words: Readonly<Record<string, Literal>> = {
  null: nullLiteral,
  default: { kind: 'default' },
  true: { kind: 'boolean', value: true },
  false: { kind: 'boolean', value: false },
  current_timestamp: { kind: 'now' }
}

const clocks = ['now', 'current_timestamp']

/** The constant that tokens spell, undefined when they are an expression. */
export function readLiteral(tokens: readonly Token[]): Literal | undefined {
  const [first, second] = tokens
  if (first === undefined) return undefined
  if (tokens.length === 1) return single(first)
  if (tokens.length === 2 && second?.kind === 'number') {
    if (isToken(first, '-')) return { kind: 'number', text: `-${digits(second)}` }
    if (isToken(first, '+')) return { kind: 'number', text: digits(second) }
  }
  const typed =
    tokens.length === 2 && (isToken(first, 'timestamp') || isToken(first, 'date')) && second?.kind === 'string'
  if (typed) return { kind: 'text', text: second.value }
  const clock = clocks.some(name => isToken(first, name)) && isToken(second, '(') && isToken(tokens.at(-1), ')')
  return clock && tokens.length <= 4 ? { kind: 'now' } : undefined
}

function single(token: Token): Literal | undefined {
  switch (token.kind) {
    case 'number':
      return { kind: 'number', text: digits(token) }
    case 'string':
    case 'quoted':
      return { kind: 'text', text: token.value }
    case 'bytes':
      return { kind: 'bytes', bytes: Buffer.from(token.value, 'hex') }
  }
  const word = token.value.toLowerCase()
  return Object.hasOwn(words, word) ? words[word] : undefined
}

function digits(token: Token): string {
  return token.value.replaceAll('_', '')
}

/** A value of a result as a constant. */
export function resultLiteral(value: unknown, type: ResultType): Literal {
  if (value === null || value === undefined) return nullLiteral
  if (isTimestamp(type)) return { kind: 'time', value: BigInt(value as bigint), unit: timeUnit(type) }
  if (type === 'Date') return { kind: 'time', value: BigInt(value as number) * 86_400n, unit: 's' }
  if (type === 'Boolean') return { kind: 'boolean', value: Boolean(value) }
  if (type === 'IntervalMonthDayNano') return { kind: 'text', text: intervalText(BigInt(value as bigint)) }
  if (value instanceof Uint8Array) return { kind: 'bytes', bytes: value }
  if (typeof value === 'number' || typeof value === 'bigint') return { kind: 'number', text: String(value) }
  if (type.startsWith('Decimal')) return { kind: 'number', text: String(value) }
  return { kind: 'text', text: typeof value === 'string' ? value : jsonWriter(type)(value) }
}

/** What a cast to text gives: `1 year 2 months 3 days 04:05:06.7`. `packed`: 32 bits of months, 32 of days, 64 of nanoseconds. */
function intervalText(packed: bigint): string {
  const months = Number(BigInt.asIntN(32, packed >> 96n))
  const days = Number(BigInt.asIntN(32, packed >> 64n))
  const micros = BigInt.asIntN(64, packed) / 1000n
  const counts = [
    [Math.trunc(months / 12), 'year'],
    [months % 12, 'month'],
    [days, 'day']
  ] as const
  const parts = counts
    .filter(([count]) => count !== 0)
    .map(([count, unit]) => `${count} ${unit}${Math.abs(count) === 1 ? '' : 's'}`)
  if (micros !== 0n || parts.length === 0)
    parts.push(`${micros < 0n ? '-' : ''}${clockText(micros < 0n ? -micros : micros)}`)
  return parts.join(' ')
}

function clockText(micros: bigint): string {
  const seconds = micros / 1_000_000n
  const [hours, minutes, rest] = [seconds / 3600n, (seconds / 60n) % 60n, seconds % 60n].map(part =>
    String(part).padStart(2, '0')
  )
  const fraction = String(Number(micros % 1_000_000n) / 1_000_000).slice(1)
  return `${hours}:${minutes}:${rest}${fraction}`
}

// Constants as a column's data: each column type takes what can become it without guessing, and says what it cannot take.
import {
  bitmap,
  type Column,
  type ColumnData,
  type ColumnDefinition,
  type ColumnType,
  checkJson,
  clearBit,
  convertTime,
  DbError,
  daysFromCivil,
  daysInMonth,
  type FixedData,
  fixedArray,
  integerSize,
  isDbError,
  isTimestamp,
  parseTimestamp,
  timeUnit,
  utc,
  type Zone
} from '../../../core/index.ts'
import { invalid } from '../error.ts'
import { type Session, zoneOf } from '../session.ts'
import type { Literal } from './literal.ts'

export interface ValueContext {
  /** Of times without one. */
  readonly zone: Zone
  /** Nanoseconds since 1970. */
  readonly now: bigint
  /** Rows before these, for errors. */
  readonly first?: number
}

/** Of a statement that runs now. */
export function valueContext(session: Pick<Session, 'ctx'>): ValueContext {
  return { zone: zoneOf(session), now: BigInt(Date.now()) * 1_000_000n }
}

/** A column of as many rows as there are constants; errors name row (from 1) and column. */
export function buildColumn(column: ColumnDefinition, literals: readonly Literal[], context: ValueContext): Column {
  const { name, type, semantic, nullable } = column
  const valid = bitmap(literals.length, true)
  const { first = 0 } = context
  let nulls = 0
  const convert = <T>(read: (literal: Literal) => T | undefined, empty: T) =>
    literals.map((literal, row) => {
      if (literal.kind !== 'null') return attempt(read, literal) ?? fail(column, first + row, literal)
      if (!nullable) throw invalid(`row ${first + row + 1}, column ${name}: the column takes no nulls`)
      clearBit(valid, row)
      nulls++
      return empty
    })
  const data = columnData(type, convert, context)
  return { name, type, semantic, data: nulls === 0 ? data : { ...data, valid } }
}

function attempt<T>(read: (literal: Literal) => T | undefined, literal: Literal): T | undefined {
  try {
    return read(literal)
  } catch (error) {
    if (isDbError(error)) return undefined
    throw error
  }
}

type Convert = <T>(read: (literal: Literal) => T | undefined, empty: T) => T[]

function columnData(type: ColumnType, convert: Convert, context: ValueContext): ColumnData {
  if (isTimestamp(type)) {
    const unit = timeUnit(type)
    return fixed(BigInt64Array.from(convert(literal => readTime(literal, unit, context), 0n)))
  }
  const decimal = /^Decimal\((\d+), (\d+)\)$/.exec(type)
  if (decimal !== null) return decimals(Number(decimal[1]), Number(decimal[2]), convert)
  switch (type) {
    case 'Float32':
      return fixed(Float32Array.from(convert(readFloat, 0)))
    case 'Float64':
      return fixed(Float64Array.from(convert(readFloat, 0)))
    case 'Boolean':
      return fixed(Uint8Array.from(convert(readBoolean, 0)))
    case 'Date':
      return fixed(Int32Array.from(convert(literal => readDate(literal, context), 0)))
    case 'String':
      return bytes(convert(literal => encode(readText(literal)), nothing))
    case 'Json':
      return bytes(convert(literal => encode(readJsonText(literal)), nothing))
    case 'Binary':
      return bytes(convert(literal => (literal.kind === 'bytes' ? literal.bytes : encode(readText(literal))), nothing))
  }
  return integers(type, convert)
}

function fixed(values: FixedData['values']): FixedData {
  return { kind: 'fixed', values }
}

const nothing = new Uint8Array(0)

function bytes(values: readonly Uint8Array[]): ColumnData {
  const offsets = new Uint32Array(values.length + 1)
  values.forEach((value, i) => {
    offsets[i + 1] = offsets[i]! + value.length
  })
  return { kind: 'bytes', offsets, bytes: Buffer.concat(values) }
}

function encode(text: string | undefined): Uint8Array | undefined {
  return text === undefined ? undefined : Buffer.from(text)
}

function integers(type: ColumnType, convert: Convert): FixedData {
  const { bits, signed } = integerSize(type)!
  const wrap = signed ? BigInt.asIntN : BigInt.asUintN
  const read = (literal: Literal) => {
    const value = readInteger(literal)
    return value !== undefined && wrap(bits, value) === value ? value : undefined
  }
  const values = convert(read, 0n)
  const array = fixedArray(type)
  if (array === BigInt64Array || array === BigUint64Array) return fixed(array.from(values))
  return fixed((array as typeof Int32Array).from(values, Number))
}

function readInteger(literal: Literal): bigint | undefined {
  if (literal.kind === 'boolean') return literal.value ? 1n : 0n
  if (literal.kind !== 'number' && literal.kind !== 'text') return undefined
  const text = literal.text.trim()
  if (/^[+-]?\d+$/.test(text) || /^0x[0-9a-f]+$/i.test(text)) return BigInt(text.replace(/^\+/, ''))
  return /^[+-]?\d+\.0*$/.test(text) ? BigInt(text.split('.')[0]!) : exponent(text)
}

/** `1e3` is an integer, too. */
function exponent(text: string): bigint | undefined {
  const value = /^[+-]?[\d.]+e[+-]?\d+$/i.test(text) ? Number(text) : Number.NaN
  return Number.isSafeInteger(value) ? BigInt(value) : undefined
}

function readFloat(literal: Literal): number | undefined {
  if (literal.kind === 'boolean') return Number(literal.value)
  if (literal.kind !== 'number' && literal.kind !== 'text') return undefined
  const text = literal.text.trim()
  if (/^[+-]?inf(inity)?$/i.test(text))
    return text.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
  if (/^nan$/i.test(text)) return Number.NaN
  return text !== '' && Number.isFinite(Number(text)) ? Number(text) : undefined
}

function readBoolean(literal: Literal): number | undefined {
  if (literal.kind === 'boolean') return Number(literal.value)
  if (literal.kind !== 'number' && literal.kind !== 'text') return undefined
  const text = literal.text.trim().toLowerCase()
  if (text === 'true' || text === '1') return 1
  return text === 'false' || text === '0' ? 0 : undefined
}

function readText(literal: Literal): string | undefined {
  if (literal.kind === 'number' || literal.kind === 'text') return literal.text
  return literal.kind === 'boolean' ? String(literal.value) : undefined
}

function readJsonText(literal: Literal): string | undefined {
  const text = readText(literal)
  if (text === undefined) return undefined
  try {
    checkJson(text)
    return text
  } catch {
    return undefined
  }
}

function readTime(
  literal: Literal,
  unit: ReturnType<typeof timeUnit>,
  { zone, now }: ValueContext
): bigint | undefined {
  const value = readInstant(literal, unit, zone, now)
  return value !== undefined && BigInt.asIntN(64, value) === value ? value : undefined
}

function readInstant(literal: Literal, unit: ReturnType<typeof timeUnit>, zone: Zone, now: bigint): bigint | undefined {
  switch (literal.kind) {
    case 'now':
      return convertTime(now, 'ns', unit)
    case 'number':
      return readInteger(literal)
    case 'time':
      return convertTime(literal.value, literal.unit, unit)
    case 'text':
      return convertTime(parseTimestamp(literal.text, zone), 'ns', unit)
  }
}

function readDate(literal: Literal, context: ValueContext): number | undefined {
  const day = literal.kind === 'text' ? /^\s*(\d{4})-(\d\d)-(\d\d)\s*$/.exec(literal.text) : null
  if (day !== null) return calendarDay(Number(day[1]), Number(day[2]), Number(day[3]))
  // The clock of a text says the day, whatever the zone.
  const days = literal.kind === 'number' ? readInteger(literal) : readTime(literal, 's', { ...context, zone: utc })
  if (days === undefined) return undefined
  return literal.kind === 'number' ? Number(days) : Math.floor(Number(days) / 86_400)
}

/** A day without a time is the same in every zone, and may be further away than times reach. */
function calendarDay(year: number, month: number, day: number): number | undefined {
  const exists = month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month)
  return exists ? daysFromCivil(year, month, day) : undefined
}

/** Up to 18 digits are one 64-bit integer, more are two: low word first. */
function decimals(precision: number, scale: number, convert: Convert): FixedData {
  const limit = 10n ** BigInt(precision)
  const values = convert(literal => {
    const unscaled = readDecimal(literal, scale)
    return unscaled !== undefined && unscaled < limit && unscaled > -limit ? unscaled : undefined
  }, 0n)
  if (precision <= 18) return fixed(BigInt64Array.from(values))
  return fixed(BigInt64Array.from(values.flatMap(value => [BigInt.asIntN(64, value), value >> 64n])))
}

function readDecimal(literal: Literal, scale: number): bigint | undefined {
  if (literal.kind !== 'number' && literal.kind !== 'text') return undefined
  const match = /^([+-]?)(\d*)(?:\.(\d*))?$/.exec(literal.text.trim())
  if (match === null || (match[2] === '' && !match[3])) return undefined
  const [, sign, whole, fraction = ''] = match
  const unscaled = BigInt(`${whole}${fraction.slice(0, scale).padEnd(scale, '0')}`)
  const rounded = (fraction[scale] ?? '0') >= '5' ? unscaled + 1n : unscaled
  return sign === '-' ? -rounded : rounded
}

function fail(column: ColumnDefinition, row: number, literal: Literal): never {
  const value = 'text' in literal ? literal.text.slice(0, 60) : literal.kind
  throw new DbError(
    'InvalidSyntax',
    `Failed to parse value: row ${row + 1}, column ${column.name}: ${value} is not a valid ${column.type}`
  )
}

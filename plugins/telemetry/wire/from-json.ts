// A message in JSON to the same message in protobuf, so that everything behind it knows one encoding only.
import {
  checkJsonValues,
  DbError,
  type ItemValue,
  ParseError,
  ProtoWriter,
  parseJson,
  wireType
} from '../../../core/index.ts'
import type { Field, FieldKind, Message } from './message.ts'

/**
 * Unknown fields are left out and null means absent. Throws DbError `InvalidArguments` naming the place of what does not fit, and with status
 * 413 for more than `mostValues` values, 0 for any number.
 */
export function protobufOf(message: Message, json: Uint8Array, mostValues = 0): Uint8Array {
  const level: Level = { out: new ProtoWriter(), inner: undefined }
  checkJsonValues(json, mostValues)
  if (json.length > 0) writeMessage(level, message, read(json), '')
  return level.out.bytes
}

/** Where a message is written, and what it holds: one writer serves all messages that are as deep. */
interface Level {
  readonly out: ProtoWriter
  inner: Level | undefined
}

function read(json: Uint8Array): ItemValue {
  try {
    return parseJson(json)
  } catch (error) {
    if (!(error instanceof ParseError)) throw error
    throw new DbError('InvalidArguments', `the body is not valid JSON: ${error.message}`, { cause: error })
  }
}

function writeMessage(level: Level, message: Message, value: ItemValue, path: string): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong(path, 'an object', value)
  const members = value as { readonly [key: string]: ItemValue }
  for (const name in members) {
    const field = Object.hasOwn(message, name) ? message[name] : undefined
    const member = members[name]!
    if (field === undefined || member === null) continue
    const place = path === '' ? name : `${path}.${name}`
    if (!field.repeated) writeField(level, field, member, place)
    else {
      if (!Array.isArray(member)) throw wrong(place, 'an array', member)
      for (const [i, each] of member.entries()) writeField(level, field, each, `${place}[${i}]`)
    }
  }
}

function writeField(level: Level, { number, holds }: Field, value: ItemValue, place: string): void {
  const { out } = level
  if (Array.isArray(holds)) out.uint(number, enumeration(holds, value, place))
  else if (typeof holds === 'object') {
    level.inner ??= { out: new ProtoWriter(), inner: undefined }
    level.inner.out.clear()
    writeMessage(level.inner, holds as Message, value, place)
    out.data(number, level.inner.out.bytes)
  } else writers[holds as FieldKind](out, number, value, place)
}

type Write = (out: ProtoWriter, field: number, value: ItemValue, place: string) => void

const writers: Readonly<Record<FieldKind, Write>> = {
  text: (out, field, value, place) => out.text(field, textOf(value, place)),
  bytes: (out, field, value, place) => out.data(field, base64(textOf(value, place), place)),
  id: (out, field, value, place) => out.data(field, hex(textOf(value, place), place)),
  bool: (out, field, value, place) => {
    if (typeof value !== 'boolean') throw wrong(place, 'true or false', value)
    out.uint(field, value ? 1 : 0)
  },
  uint32: (out, field, value, place) => out.uint(field, integer(value, 32, false, place)),
  uint64: (out, field, value, place) => out.uint(field, integer(value, 64, false, place)),
  int64: (out, field, value, place) => out.int64(field, integer(value, 64, true, place)),
  sint32: (out, field, value, place) => out.sint64(field, integer(value, 32, true, place)),
  fixed32: (out, field, value, place) => {
    const bits = Number(integer(value, 32, false, place))
    out.varint(field * 8 + wireType.fixed32).raw(new Uint8Array(Uint32Array.of(bits).buffer))
  },
  fixed64: (out, field, value, place) => words(out, field, integer(value, 64, false, place)),
  sfixed64: (out, field, value, place) => words(out, field, integer(value, 64, true, place)),
  double: (out, field, value, place) => out.double(field, number(value, place))
}

function words(out: ProtoWriter, field: number, value: bigint): void {
  out.bits64(field, Number(BigInt.asIntN(32, value)), Number(BigInt.asIntN(32, value >> 32n)))
}

function enumeration(names: readonly string[], value: ItemValue, place: string): bigint {
  if (typeof value !== 'string' || /^-?\d+$/.test(value)) return BigInt.asUintN(64, integer(value, 32, true, place))
  const found = names.indexOf(value)
  if (found < 0) throw wrong(place, 'the number of an enumeration', value)
  return BigInt(found)
}

/** A number without a fraction, or its digits as a text. */
function integer(value: ItemValue, bits: number, signed: boolean, place: string): bigint {
  const whole = wholeOf(value)
  const fits = whole !== undefined && (signed ? BigInt.asIntN(bits, whole) : BigInt.asUintN(bits, whole)) === whole
  if (!fits) throw wrong(place, `an integer of ${bits} bits${signed ? '' : ' without a sign'}`, value)
  return whole
}

function wholeOf(value: ItemValue): bigint | undefined {
  if (typeof value === 'bigint') return value
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : undefined
  return typeof value === 'string' && /^-?\d{1,20}$/.test(value) ? BigInt(value) : undefined
}

const numberWords: Readonly<Record<string, number>> = {
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  '-Infinity': Number.NEGATIVE_INFINITY
}

function number(value: ItemValue, place: string): number {
  if (typeof value === 'number' || typeof value === 'bigint') return Number(value)
  if (typeof value === 'string') {
    if (Object.hasOwn(numberWords, value)) return numberWords[value]!
    if (/^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(value)) return Number(value)
  }
  throw wrong(place, 'a number', value)
}

function textOf(value: ItemValue, place: string): string {
  if (typeof value !== 'string') throw wrong(place, 'a text', value)
  return value
}

function base64(text: string, place: string): Uint8Array {
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(text)) throw wrong(place, 'base64', text)
  return Buffer.from(text, 'base64')
}

function hex(text: string, place: string): Uint8Array {
  if (text.length % 2 !== 0 || !/^[0-9a-f]*$/i.test(text)) throw wrong(place, 'hexadecimal digits', text)
  return Buffer.from(text, 'hex')
}

function wrong(place: string, expected: string, value: ItemValue): DbError {
  const shown =
    typeof value === 'string' ? JSON.stringify(value.slice(0, 80)) : Array.isArray(value) ? 'an array' : plain(value)
  return new DbError('InvalidArguments', `${place || 'the body'}: expected ${expected}, got ${shown}`)
}

function plain(value: ItemValue): string {
  return typeof value === 'object' && value !== null ? 'an object' : String(value)
}

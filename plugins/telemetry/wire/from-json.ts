// Transcodes an OTLP message from JSON to protobuf, so that decoders know one encoding only.

import { isUtf8 } from 'node:buffer'
import {
  checkJsonValues,
  DbError,
  elements,
  type ItemValue,
  isShort,
  type JsonCursor,
  jsonCursor,
  jsonError,
  maxJsonDepth,
  members,
  ParseError,
  passSteps,
  readJson,
  type Steps,
  skipSpace,
  startsWith,
  textEndSteps,
  unescapeSteps,
  unexpected
} from '../../../core/index.ts'
import { ProtoWriter, wireType } from '../../../core/wire/index.ts'
import type { Field, FieldKind, Message } from './message.ts'

/** Bytes handled between two yields to other requests. */
const stepBytes = 1 << 14
/** Bytes copied between two yields. */
const copyBytes = 1 << 20

/**
 * Unknown fields are left out and null means absent; of equal keys the last counts. Throws DbError `InvalidArguments` naming the path of
 * what does not fit, and with status 413 for more than `maxValues` values, 0 for any number.
 */
export function* protobufOf(message: Message, json: Uint8Array, maxValues = 0): Steps<Uint8Array> {
  yield* checkJsonValues(json, maxValues)
  // The message is rarely longer than its JSON, and copying a long one to grow takes time.
  const level = newLevel(json.length)
  if (json.length === 0) return json
  const cursor = jsonCursor(json)
  try {
    if (!isUtf8(json)) throw jsonError(cursor, 0, 'invalid UTF-8 in the document beginning')
    yield* writeAny({ cursor, depth: 0 }, level, message, '')
    cursor.at = skipSpace(cursor, cursor.at)
    if (cursor.at < cursor.end) throw unexpected(cursor, cursor.at, 'the end of the document')
  } catch (error) {
    if (!(error instanceof ParseError)) throw error
    throw new DbError('InvalidArguments', `the body is not valid JSON: ${error.message}`, { cause: error })
  }
  return level.out.bytes
}

/** The writer of a message and its schema; one writer per nesting depth is reused. */
interface Level {
  readonly out: ProtoWriter
  inner: Level | undefined
}

function newLevel(capacity?: number): Level {
  return { out: new ProtoWriter(capacity), inner: undefined }
}

function innerOf(level: Level): Level {
  level.inner ??= newLevel()
  level.inner.out.clear()
  return level.inner
}

/** The position of a value and its nesting depth. */
interface Source {
  readonly cursor: JsonCursor
  readonly depth: number
}

/** The message at the cursor: a short one as a whole, a long one member by member. */
function* writeAny(source: Source, level: Level, message: Message, path: string): Steps<void> {
  const { cursor, depth } = source
  const isObject = startsWith(cursor, 0x7b)
  if (isShort(cursor)) {
    writeMessage(level, message, readJson(cursor, depth), path)
    return
  }
  if (!isObject) throw wrong(path, 'an object', beginning(cursor))
  checkDepth(source)
  const { out } = level
  const inside = { cursor, depth: depth + 1 }
  const written = new Map<string, number>()
  for (const name of members(cursor)) {
    yield
    const field = Object.hasOwn(message, name) ? message[name] : undefined
    if (field === undefined) {
      yield* passSteps(cursor, depth + 1)
      continue
    }
    const before = written.get(name)
    if (before !== undefined) removeField(written, out, name, before)
    const start = out.length
    const memberPath = path === '' ? name : `${path}.${name}`
    if (isShort(cursor)) writeMember(level, field, readJson(cursor, depth + 1), memberPath)
    else if (field.repeated) yield* writeElements(inside, level, field, memberPath)
    else yield* writeLong(inside, level, field, memberPath)
    written.set(name, start)
  }
}

/** Removes the bytes of an earlier member of the same name. */
function removeField(written: Map<string, number>, out: ProtoWriter, name: string, start: number): void {
  const behind = [...written.values()].filter(each => each > start)
  const end = Math.min(out.length, ...behind)
  out.remove(start, end)
  written.delete(name)
  for (const [other, at] of written) if (at > start) written.set(other, at - (end - start))
}

function* writeElements(source: Source, level: Level, field: Field, path: string): Steps<void> {
  const { cursor, depth } = source
  if (!startsWith(cursor, 0x5b)) throw wrong(path, 'an array', beginning(cursor))
  checkDepth(source)
  let i = 0
  let step = cursor.at
  for (const _ of elements(cursor)) {
    const at = `${path}[${i++}]`
    if (isShort(cursor)) writeField(level, field, readJson(cursor, depth + 1), at)
    else yield* writeLong({ cursor, depth: depth + 1 }, level, field, at)
    if (cursor.at - step < stepBytes) continue
    step = cursor.at
    yield
  }
}

/** One value that is long. */
function* writeLong(source: Source, level: Level, field: Field, path: string): Steps<void> {
  const { cursor, depth } = source
  const { number, holds } = field
  const isText = startsWith(cursor, 0x22)
  if (holds === 'text' && isText) yield* writeText(cursor, level.out, number)
  else if (typeof holds === 'object' && !Array.isArray(holds)) {
    const start = level.out.beginField(number)
    yield* writeAny(source, level, holds as Message, path)
    level.out.endField(start)
  } else if (startsWith(cursor, 0x7b) || startsWith(cursor, 0x5b)) {
    throw wrong(path, 'no array and no object', beginning(cursor))
  } else writeField(level, field, readJson(cursor, depth), path)
}

/** From bytes to bytes. */
function* writeText(cursor: JsonCursor, out: ProtoWriter, field: number): Steps<void> {
  const start = cursor.at + 1
  const { end, escaped } = yield* textEndSteps(cursor, start)
  cursor.at = end + 1
  yield
  const began = out.beginField(field)
  if (!escaped) yield* writeBytes(out, cursor.bytes.subarray(start, end))
  else {
    const plain = Buffer.allocUnsafe(end - start)
    const length = yield* unescapeSteps(cursor, start, end, plain)
    yield* writeBytes(out, plain.subarray(0, length))
  }
  out.endField(began)
}

function* writeBytes(out: ProtoWriter, bytes: Uint8Array): Steps<void> {
  for (let from = 0; from < bytes.length; from += copyBytes) {
    out.raw(bytes.subarray(from, from + copyBytes))
    yield
  }
}

function checkDepth({ cursor, depth }: Source): void {
  if (depth >= maxJsonDepth) throw jsonError(cursor, cursor.at, `nested deeper than ${maxJsonDepth} levels`)
}

/** Characters of a long value shown in an error. */
function beginning(cursor: JsonCursor): ItemValue {
  if (startsWith(cursor, 0x5b)) return []
  return startsWith(cursor, 0x7b) ? {} : cursor.bytes.toString('utf8', cursor.at + 1, cursor.at + 81)
}

function writeMessage(level: Level, message: Message, value: ItemValue, path: string): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong(path, 'an object', value)
  const members = value as { readonly [key: string]: ItemValue }
  for (const name in members) {
    const field = Object.hasOwn(message, name) ? message[name] : undefined
    const member = members[name]!
    if (field === undefined) continue
    writeMember(level, field, member, path === '' ? name : `${path}.${name}`)
  }
}

function writeMember(level: Level, field: Field, value: ItemValue, path: string): void {
  if (value === null) return
  if (!field.repeated) writeField(level, field, value, path)
  else if (!Array.isArray(value)) throw wrong(path, 'an array', value)
  else for (const [i, each] of value.entries()) writeField(level, field, each, `${path}[${i}]`)
}

function writeField(level: Level, { number, holds }: Field, value: ItemValue, path: string): void {
  const { out } = level
  if (Array.isArray(holds)) out.uint(number, enumeration(holds, value, path))
  else if (typeof holds === 'object') {
    const inner = innerOf(level)
    writeMessage(inner, holds as Message, value, path)
    out.data(number, inner.out.bytes)
  } else writers[holds as FieldKind](out, number, value, path)
}

type Write = (out: ProtoWriter, field: number, value: ItemValue, path: string) => void

const writers: Readonly<Record<FieldKind, Write>> = {
  text: (out, field, value, path) => out.text(field, textOf(value, path)),
  bytes: (out, field, value, path) => out.data(field, base64(textOf(value, path), path)),
  id: (out, field, value, path) => out.data(field, hex(textOf(value, path), path)),
  bool: (out, field, value, path) => {
    if (typeof value !== 'boolean') throw wrong(path, 'true or false', value)
    out.uint(field, value ? 1 : 0)
  },
  uint32: (out, field, value, path) => out.uint(field, integer(value, 32, false, path)),
  uint64: (out, field, value, path) => out.uint(field, integer(value, 64, false, path)),
  int64: (out, field, value, path) => out.int64(field, integer(value, 64, true, path)),
  sint32: (out, field, value, path) => out.sint64(field, integer(value, 32, true, path)),
  fixed32: (out, field, value, path) => {
    const bits = Number(integer(value, 32, false, path))
    out.varint(field * 8 + wireType.fixed32).raw(new Uint8Array(Uint32Array.of(bits).buffer))
  },
  fixed64: (out, field, value, path) => words(out, field, integer(value, 64, false, path)),
  sfixed64: (out, field, value, path) => words(out, field, integer(value, 64, true, path)),
  double: (out, field, value, path) => out.double(field, number(value, path))
}

function words(out: ProtoWriter, field: number, value: bigint): void {
  out.bits64(field, Number(BigInt.asIntN(32, value)), Number(BigInt.asIntN(32, value >> 32n)))
}

function enumeration(names: readonly string[], value: ItemValue, path: string): bigint {
  if (typeof value !== 'string' || /^-?\d+$/.test(value)) return BigInt.asUintN(64, integer(value, 32, true, path))
  const found = names.indexOf(value)
  if (found < 0) throw wrong(path, 'the number of an enumeration', value)
  return BigInt(found)
}

/** A number without a fraction, or its digits as a text. */
function integer(value: ItemValue, bits: number, signed: boolean, path: string): bigint {
  const whole = wholeOf(value)
  const fits = whole !== undefined && (signed ? BigInt.asIntN(bits, whole) : BigInt.asUintN(bits, whole)) === whole
  if (!fits) throw wrong(path, `an integer of ${bits} bits${signed ? '' : ' without a sign'}`, value)
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

function number(value: ItemValue, path: string): number {
  if (typeof value === 'number' || typeof value === 'bigint') return Number(value)
  if (typeof value === 'string') {
    if (Object.hasOwn(numberWords, value)) return numberWords[value]!
    if (/^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(value)) return Number(value)
  }
  throw wrong(path, 'a number', value)
}

function textOf(value: ItemValue, path: string): string {
  if (typeof value !== 'string') throw wrong(path, 'a text', value)
  return value
}

function base64(text: string, path: string): Uint8Array {
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(text)) throw wrong(path, 'base64', text)
  return Buffer.from(text, 'base64')
}

function hex(text: string, path: string): Uint8Array {
  if (text.length % 2 !== 0 || !/^[0-9a-f]*$/i.test(text)) throw wrong(path, 'hexadecimal digits', text)
  return Buffer.from(text, 'hex')
}

function wrong(path: string, expected: string, value: ItemValue): DbError {
  const shown =
    typeof value === 'string' ? JSON.stringify(value.slice(0, 80)) : Array.isArray(value) ? 'an array' : plain(value)
  return new DbError('InvalidArguments', `${path || 'the body'}: expected ${expected}, got ${shown}`)
}

function plain(value: ItemValue): string {
  return typeof value === 'object' && value !== null ? 'an object' : String(value)
}

// The values of programs. They are immutable, so they can be shared.
import { compareUtf8, formatTimestamp, Timestamp } from '../../../core/compute.ts'
import { Failure } from './failure.ts'
import { Regex } from './regex.ts'

/**
 * Integers are bigint within 64 bits, floats number and never NaN, text is a string where it is valid UTF-8 and a Uint8Array where
 * it is not. Objects iterate in any order: use `sortedEntries` or `sortedKeys` where order is seen.
 */
export type Value =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint8Array
  | Timestamp
  | Regex
  | ArrayValue
  | ObjectValue
export interface ArrayValue extends ReadonlyArray<Value> {}
export interface ObjectValue extends ReadonlyMap<string, Value> {}
/** The value of a parameter of kind string. */
export type Text = string | Uint8Array

export { Regex, Timestamp }

export function isObject(value: unknown): value is ObjectValue {
  return value instanceof Map
}

export function isArray(value: unknown): value is ArrayValue {
  return Array.isArray(value)
}

export function isText(value: unknown): value is Text {
  return typeof value === 'string' || value instanceof Uint8Array
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
const strict = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true })
const encoder = new TextEncoder()

/** Text as a string; bytes that are not UTF-8 become U+FFFD. */
export function lossy(text: Text): string {
  return typeof text === 'string' ? text : decoder.decode(text)
}

export function toBytes(text: Text): Uint8Array {
  return typeof text === 'string' ? encoder.encode(text) : text
}

/** The value for some bytes: a string if they are valid UTF-8. */
export function fromBytes(bytes: Uint8Array): Text {
  try {
    return strict.decode(bytes)
  } catch {
    return bytes
  }
}

/** The kind's name in messages. */
export function typeName(value: Value): string {
  switch (typeof value) {
    case 'string':
      return 'string'
    case 'bigint':
      return 'integer'
    case 'number':
      return 'float'
    case 'boolean':
      return 'boolean'
  }
  if (value === null) return 'null'
  if (value instanceof Map) return 'object'
  if (Array.isArray(value)) return 'array'
  if (value instanceof Timestamp) return 'timestamp'
  return value instanceof Regex ? 'regex' : 'string'
}

export function sortedKeys(object: ObjectValue): string[] {
  const keys = [...object.keys()]
  for (let i = 1; i < keys.length; i++) if (compareUtf8(keys[i - 1]!, keys[i]!) > 0) return keys.sort(compareUtf8)
  return keys
}

export function sortedEntries(object: ObjectValue): [string, Value][] {
  return sortedKeys(object).map(key => [key, object.get(key)!])
}

/** Maximum parts of two values to compare. Values can share parts, and so be far larger than the memory they take. */
const maxCompared = 1_000_000

/** Equality by kind and value: 1 and 1.0 differ. Fails for values of more than a million parts. */
export function equals(a: Value, b: Value): boolean {
  return a === b || (typeof a === 'object' && typeof b === 'object' && equalParts(a, b, { left: maxCompared }))
}

function equalParts(a: Value, b: Value, budget: { left: number }): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (--budget.left < 0) throw new Failure('the values are too large to be compared', 'limit')
  if (a instanceof Map) return b instanceof Map && equalObjects(a, b, budget)
  if (isArray(a)) return isArray(b) && a.length === b.length && a.every((item, i) => equalParts(item, b[i]!, budget))
  if (a instanceof Timestamp) return b instanceof Timestamp && a.ns === b.ns
  if (a instanceof Regex) return b instanceof Regex && a.source === b.source
  return a instanceof Uint8Array && b instanceof Uint8Array && Buffer.compare(a, b) === 0
}

function equalObjects(a: ObjectValue, b: ObjectValue, budget: { left: number }): boolean {
  if (a.size !== b.size) return false
  for (const [key, value] of a) {
    const other = b.get(key)
    if (other === undefined || !equalParts(value, other, budget)) return false
  }
  return true
}

/** True when a value has at most `limit` parts, shared ones counted as often as they are seen. */
export function hasAtMost(value: Value, limit: number): boolean {
  return countParts(value, limit) >= 0
}

function countParts(value: Value, left: number): number {
  let rest = left - 1
  if (!isArray(value) && !isObject(value)) return rest
  for (const part of value.values()) {
    rest = countParts(part, rest)
    if (rest < 0) return rest
  }
  return rest
}

/** Compares texts by their bytes. */
export function compareTexts(a: Text, b: Text): number {
  if (typeof a === 'string' && typeof b === 'string') return compareUtf8(a, b)
  return Buffer.compare(toBytes(a), toBytes(b))
}

/** A float as the language prints it: no exponent, no fraction when whole. */
export function floatText(value: number): string {
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf'
  const text = String(value)
  return text.includes('e') ? plainDecimal(text) : Object.is(value, -0) ? '-0' : text
}

function plainDecimal(text: string): string {
  const [, sign, whole, fraction = '', exponent] = /^(-?)(\d+)(?:\.(\d+))?e([+-]\d+)$/.exec(text)!
  const digits = whole! + fraction
  const point = whole!.length + Number(exponent)
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`
  if (point >= digits.length) return `${sign}${digits.padEnd(point, '0')}`
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`
}

/** RFC 3339 in UTC with as many digits of fraction as are needed: 0, 3, 6 or 9. */
export function timeText(time: Timestamp): string {
  return formatTimestamp(time.ns)
}

// Writes JSON without loss: 64-bit integers in full, floats in the shortest form that reads back the same.
import { type ItemValue, Timestamp } from './items.ts'
import { formatTimestamp } from './time.ts'

/** A text as JSON, with quotes; lone surrogates are escaped. */
export function writeJsonString(text: string): string {
  return JSON.stringify(text)
}

/** A float as JSON, with a fraction or an exponent so that it reads back as a float; null for NaN and infinities. */
export function writeJsonFloat(value: number): string {
  if (!Number.isFinite(value)) return 'null'
  if (!Number.isInteger(value)) return String(value)
  if (Object.is(value, -0)) return '-0.0'
  const text = String(value)
  return text.includes('e') ? text : `${text}.0`
}

/** A scalar as JSON. */
function writeJsonScalar(value: string | number | bigint | boolean | null): string {
  if (typeof value === 'string') return writeJsonString(value)
  return typeof value === 'number' ? writeJsonFloat(value) : String(value)
}

/** A value as compact JSON. Keys are sorted by their UTF-8 bytes; timestamps are RFC 3339 texts. */
export function writeJson(value: ItemValue): string {
  if (typeof value !== 'object' || value === null) return writeJsonScalar(value)
  if (Array.isArray(value)) return `[${value.map(writeJson).join()}]`
  if (value instanceof Timestamp) return `"${formatTimestamp(value.ns)}"`
  const members = Object.keys(value)
    .sort(compareUtf8)
    .map(key => `${writeJsonString(key)}:${writeJson(value[key]!)}`)
  return `{${members.join()}}`
}

/** Compares texts by their UTF-8 bytes (that is, by code point), for `sort`. */
export function compareUtf8(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const left = a.charCodeAt(i)
    const right = b.charCodeAt(i)
    if (left !== right) return rank(left) - rank(right)
  }
  return a.length - b.length
}

/** Rank of a code unit in code point order: surrogates stand for code points above U+FFFF. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit
}

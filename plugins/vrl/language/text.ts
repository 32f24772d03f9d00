// Values as text: JSON of everything, and the form that messages show.
import { writeJson, writeJsonString } from '../../../core/compute.ts'
import { Failure } from './failure.ts'
import { floatText, isArray, isObject, lossy, Regex, sortedKeys, Timestamp, timeText, type Value } from './value.ts'

/** Compact JSON, keys sorted; times and regexes as text, bytes that are not UTF-8 replaced. Fails beyond `limit` characters. */
export function writeValue(value: Value, limit = Number.POSITIVE_INFINITY): string {
  const quota = { left: limit }
  return write(value, quota)
}

function write(value: Value, quota: { left: number }): string {
  const text = isObject(value) || isArray(value) ? writeContainer(value, quota) : writeScalar(value)
  quota.left -= text.length
  if (quota.left < 0) throw new Failure('the result is too long', 'limit')
  return text
}

function writeContainer(value: Value, quota: { left: number }): string {
  if (isArray(value)) return `[${value.map(item => write(item, quota)).join(',')}]`
  if (!isObject(value)) return ''
  return `{${sortedKeys(value)
    .map(key => `${writeJsonString(key)}:${write(value.get(key)!, quota)}`)
    .join(',')}}`
}

function writeScalar(value: Value): string {
  if (typeof value !== 'object' || value === null) return writeJson(value)
  if (value instanceof Timestamp) return writeJsonString(timeText(value))
  if (value instanceof Regex) return writeJsonString(value.source)
  return value instanceof Uint8Array ? writeJsonString(lossy(value)) : ''
}

/** A value as it is joined to text: text as it is, everything else as JSON. */
export function displayValue(value: Value): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return floatText(value)
  if (value instanceof Uint8Array) return lossy(value)
  if (value instanceof Timestamp) return timeText(value)
  return value instanceof Regex ? value.source : writeValue(value)
}

/** JSON with an indent of two blanks a level. */
export function writePretty(value: Value, limit = Number.POSITIVE_INFINITY, indent = '\n'): string {
  const inner = `${indent}  `
  const join = (open: string, items: string[], close: string) =>
    items.length === 0 ? open + close : `${open}${inner}${items.join(`,${inner}`)}${indent}${close}`
  const text = isArray(value)
    ? join(
        '[',
        value.map(item => writePretty(item, limit, inner)),
        ']'
      )
    : isObject(value)
      ? join(
          '{',
          sortedKeys(value).map(key => `${writeJsonString(key)}: ${writePretty(value.get(key)!, limit, inner)}`),
          '}'
        )
      : writeScalar(value)
  if (text.length > limit) throw new Failure('the result is too long', 'limit')
  return text
}

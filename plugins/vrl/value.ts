// Converts item values to script values and back, within limits: results may share parts, and so be far larger than they seem.
import { type ItemBatch, type ItemValue, maxJsonDepth, Timestamp } from '../../core/compute.ts'
import { isArray, isText, lossy, type ObjectValue, Regex, type Value } from './language/index.ts'

/** Scripts have no NaN, and integers of 64 bits only. */
function readValue(value: ItemValue): Value {
  if (typeof value === 'number') return Number.isNaN(value) ? null : value
  if (typeof value === 'bigint') return BigInt.asIntN(64, value) === value ? value : Number(value)
  if (typeof value !== 'object' || value === null || value instanceof Timestamp) return value
  if (Array.isArray(value)) return value.map(readValue)
  const object = new Map<string, Value>()
  for (const key in value) object.set(key, readValue(value[key]!))
  return object
}

/** Bytes that items may still take: a part of a value counts 8 and its text. */
export interface ByteQuota {
  left: number
}

/** Why a value cannot be part of an item. No Error, because it is thrown per item and a stack is expensive. */
export class Unfit {
  readonly message: string
  /** The reason is the limit of bytes. */
  readonly limited: boolean
  constructor(message: string, limited = false) {
    this.message = message
    this.limited = limited
  }
}

/** Throws Unfit. */
export function writeValue(value: Value, quota: ByteQuota, depth = 0): ItemValue {
  take(quota, 8)
  if (typeof value !== 'object' || value === null) {
    if (typeof value === 'string') take(quota, value.length)
    return value
  }
  if (value instanceof Timestamp) return checkRange(value)
  if (value instanceof Regex) throw new Unfit("Please don't use regex in Vrl script")
  if (isText(value)) return writeValue(lossy(value), quota, depth)
  if (depth === maxJsonDepth) throw new Unfit(`the value is nested more than ${maxJsonDepth} levels`)
  if (isArray(value)) return value.map(part => writeValue(part, quota, depth + 1))
  const object: { [key: string]: ItemValue } = Object.create(null)
  for (const [key, part] of value as ObjectValue) {
    take(quota, key.length)
    object[key] = writeValue(part, quota, depth + 1)
  }
  return object
}

function take(quota: ByteQuota, bytes: number): void {
  quota.left -= bytes
  if (quota.left < 0) throw new Unfit('the item is too large', true)
}

/** Throws if the time does not fit 64 bits. */
function checkRange(time: Timestamp): Timestamp {
  if (BigInt.asIntN(64, time.ns) === time.ns) return time
  throw new Unfit('a time is outside of the years 1678 to 2261')
}

/** The fields of a row. */
export function readRow(batch: ItemBatch, row: number): Map<string, Value> {
  const object = new Map<string, Value>()
  for (const field of batch.fields.values()) {
    const value = batch.get(field, row)
    if (value !== undefined) object.set(field.name, readValue(value))
  }
  return object
}

// One key for all values that are equal in kind and value, so that many values can be compared in linear time.
import { Failure } from '../../failure.ts'
import { isArray, isObject, Regex, sortedEntries, Timestamp, toBytes, type Value } from '../../value.ts'

/** Scalars are their own keys; strings get a prefix, so that they differ from keys of containers, whose size is subtracted from `quota`. */
export function identity(value: Value, quota: { left: number }): unknown {
  if (typeof value !== 'object' || value === null) return typeof value === 'string' ? `s${value}` : value
  return describe(value, quota)
}

/** Keys of each kind begin with their own letter. They are self-delimiting, so that they can be concatenated. */
function describe(value: Value, quota: { left: number }): string {
  const text = describeOne(value, quota)
  quota.left -= text.length
  if (quota.left < 0) throw new Failure('the values are too large to be compared', 'limit')
  return text
}

function describeOne(value: Value, quota: { left: number }): string {
  if (typeof value === 'string') return `s${JSON.stringify(value)}`
  if (typeof value === 'bigint') return `i${value}`
  if (typeof value === 'number') return `f${value === 0 ? 0 : value}`
  if (typeof value !== 'object' || value === null) return String(value)
  if (isArray(value)) return `[${value.map(item => describe(item, quota)).join()}]`
  if (isObject(value)) {
    const fields = sortedEntries(value).map(([key, item]) => `${JSON.stringify(key)}:${describe(item, quota)}`)
    return `{${fields.join()}}`
  }
  if (value instanceof Timestamp) return `t${value.ns}`
  if (value instanceof Regex) return `r${JSON.stringify(value.source)}`
  return `b${Buffer.from(toBytes(value as Uint8Array)).toString('hex')}`
}

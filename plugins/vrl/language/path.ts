// Reads, writes and removes values at paths, at run time.

import type { Segment } from './ast.ts'
import { maxPadding } from './bounds.ts'
import { isArray, isObject, type Value } from './value.ts'

/** The value at a path; undefined if there is none. */
export function getPath(value: Value | undefined, path: readonly Segment[]): Value | undefined {
  let found = value
  for (let i = 0; i < path.length && found !== undefined; i++) found = getSegment(found, path[i]!)
  return found
}

export function getSegment(value: Value, segment: Segment): Value | undefined {
  if (typeof segment === 'string')
    return value instanceof Map ? (value as ReadonlyMap<string, Value>).get(segment) : undefined
  if (!isArray(value)) return undefined
  return value[segment < 0 ? value.length + segment : segment]
}

/**
 * `root` with `value` at a path. Containers in `owned` are changed in place, all others on the way are copied and their copies added
 * to it; without it nothing is changed.
 */
export function setPath(
  root: Value | undefined,
  path: readonly Segment[],
  value: Value,
  owned?: Set<Value>,
  depth = 0
): Value {
  if (depth === path.length) return value
  const segment = path[depth]!
  if (typeof segment === 'string') {
    const object = ownObject(root, owned)
    object.set(segment, setPath(object.get(segment), path, value, owned, depth + 1))
    return object
  }
  const array = ownArray(root, owned)
  const at = extendTo(array, segment)
  array[at] = setPath(array[at], path, value, owned, depth + 1)
  return array
}

function ownObject(value: Value | undefined, owned: Set<Value> | undefined): Map<string, Value> {
  if (isObject(value) && owned?.has(value)) return value as Map<string, Value>
  const copy = isObject(value) ? new Map(value) : new Map<string, Value>()
  owned?.add(copy)
  return copy
}

function ownArray(value: Value | undefined, owned: Set<Value> | undefined): Value[] {
  if (isArray(value) && owned?.has(value)) return value as Value[]
  const copy = isArray(value) ? [...value] : []
  owned?.add(copy)
  return copy
}

/** Pads with nulls until the index exists, at the front for a negative one; returns the index from the front. */
function extendTo(array: Value[], index: number): number {
  if (index >= maxPadding || index < -maxPadding) throw new RangeError('index')
  while (array.length <= index) array.push(null)
  if (index >= 0) return index
  if (array.length + index >= 0) return array.length + index
  const missing = -index - array.length
  const length = array.length
  for (let i = 0; i < missing; i++) array.push(null)
  array.copyWithin(missing, 0, length)
  array.fill(null, 0, missing)
  return 0
}

/** `root` without the value at a path; with `compact` also without parents that became empty. Copies like `setPath`. */
export function removePath(root: Value, path: readonly Segment[], compact: boolean, owned?: Set<Value>): Value {
  if (path.length === 0) return isObject(root) ? new Map() : isArray(root) ? [] : null
  const [segment, ...rest] = path
  const old = getSegment(root, segment!)
  if (old === undefined) return root
  const left = rest.length === 0 ? undefined : removePath(old, rest, compact, owned)
  const gone = left === undefined || (compact && left !== old && isEmpty(left))
  if (!gone && left === old) return root
  return gone ? dropSegment(root, segment!, owned) : setPath(root, [segment!], left, owned)
}

function isEmpty(value: Value): boolean {
  return (isObject(value) && value.size === 0) || (isArray(value) && value.length === 0)
}

function dropSegment(root: Value, segment: Segment, owned: Set<Value> | undefined): Value {
  if (typeof segment === 'string') {
    const object = ownObject(root, owned)
    object.delete(segment)
    return object
  }
  const array = ownArray(root, owned)
  array.splice(segment < 0 ? array.length + segment : segment, 1)
  return array
}

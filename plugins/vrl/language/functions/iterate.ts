// Functions with closures over objects and arrays.
import { type Context, step } from '../context.ts'
import { type Call, type Closure, type FunctionSpec, fail } from '../function.ts'
import { arrayOf, bit, elementKind, type Kind, kinds, make, objectOf, only, union } from '../kind.ts'
import {
  isArray,
  isObject,
  isText,
  lossy,
  type ObjectValue,
  sortedEntries,
  sortedKeys,
  toBytes,
  typeName,
  type Value
} from '../value.ts'

const container: Kind = union(kinds.object, kinds.array)
const recursive = { name: 'recursive', kind: kinds.boolean, default: false }

/** Kinds of key or index, and of the values. */
function entryKinds(call: Omit<Call, 'closure'>): readonly Kind[] {
  const kind = call.kind('value')
  const key = union(kind.object ? kinds.string : kinds.never, kind.array ? kinds.integer : kinds.never)
  return [key, elementKind(kind)]
}

export const iteration: readonly FunctionSpec[] = [
  {
    name: 'for_each',
    summary: 'Runs the closure for every entry, for what it does.',
    params: [{ name: 'value', kind: container }],
    returns: kinds.null,
    closure: { variables: entryKinds, returns: kinds.any },
    prepare:
      ({ closure }) =>
      (value: Value) => {
        forEntries(value, closure, () => undefined)
        return null
      },
    examples: [{ title: 'A sum', source: 'n = 0\nfor_each([1, 2]) -> |_i, v| { n = n + v }\nn', result: '3' }]
  },
  {
    name: 'filter',
    summary: 'The entries for which the closure returns true.',
    params: [{ name: 'value', kind: container }],
    returns: call => someOf(call.kind('value')),
    closure: { variables: entryKinds, returns: kinds.boolean },
    prepare:
      ({ closure }) =>
      (value: Value) =>
        filter(value, closure),
    examples: [{ title: 'An array', source: 'filter([1, null]) -> |_i, v| { v != null }', result: '[1]' }]
  },
  {
    name: 'map_values',
    summary: 'The same keys or indices with what the closure makes of each value.',
    params: [{ name: 'value', kind: container }, recursive],
    returns: call => mappedKind(call),
    closure: {
      variables: call => [call.constant('recursive') === false ? elementKind(call.kind('value')) : kinds.any],
      returns: kinds.any
    },
    prepare:
      ({ closure }) =>
      (value: Value, deep: boolean) =>
        mapValues(value, closure, deep),
    examples: [{ title: 'An object', source: 'map_values({"a": "x"}) -> |v| { upcase(v) }', result: '{"a":"X"}' }]
  },
  {
    name: 'map_keys',
    summary: 'The same values under the keys that the closure makes.',
    params: [{ name: 'value', kind: kinds.object }, recursive],
    returns: kinds.object,
    closure: { variables: () => [kinds.string], returns: kinds.string },
    prepare:
      ({ closure, context }) =>
      (value: ObjectValue, deep: boolean) =>
        mapKeys(context, value, closure, deep),
    examples: [{ title: 'A prefix', source: 'map_keys({"a": 1}) -> |k| { "my_" + k }', result: '{"my_a":1}' }]
  },
  {
    name: 'length',
    summary: 'The number of bytes of a text, items of an array, or fields of an object.',
    params: [{ name: 'value', kind: union(kinds.string, container) }],
    returns: kinds.integer,
    run: (value: Value) =>
      BigInt(isObject(value) ? value.size : isArray(value) ? value.length : toBytes(value as string).length),
    examples: [{ title: 'Bytes', source: 'length("é")', result: '2' }]
  },
  {
    name: 'keys',
    summary: 'The keys of an object in ascending order.',
    params: [{ name: 'value', kind: kinds.object }],
    returns: arrayOf(kinds.string),
    run: (value: ObjectValue) => sortedKeys(value),
    examples: [{ title: 'Sorted', source: 'keys({"b": 1, "a": 2})', result: '["a","b"]' }]
  },
  {
    name: 'values',
    summary: 'The values of an object in the order of their keys.',
    params: [{ name: 'value', kind: kinds.object }],
    returns: call => arrayOf(elementKind(call.kind('value'))),
    run: (value: ObjectValue) => sortedEntries(value).map(([, item]) => item),
    examples: [{ title: 'Sorted', source: 'values({"b": 1, "a": 2})', result: '[2,1]' }]
  }
]

function forEntries(
  value: Value,
  closure: Closure,
  take: (key: string | number, item: Value, result: Value) => void
): void {
  if (isObject(value)) {
    for (const [key, item] of sortedEntries(value)) take(key, item, closure.runEntry(key, item))
  } else if (isArray(value)) {
    for (const [i, item] of value.entries()) take(i, item, closure.run(BigInt(i), item))
  }
}

function filter(value: Value, closure: Closure): Value {
  const kept: [string | number, Value][] = []
  forEntries(value, closure, (key, item, result) => {
    if (typeof result !== 'boolean') throw fail(`expected boolean, got ${typeName(result)}`)
    if (result) kept.push([key, item])
  })
  if (isArray(value)) return kept.map(([, item]) => item)
  return new Map(kept as [string, Value][])
}

/** Any of the entries may be missing. */
function someOf(kind: Kind): Kind {
  const items = arrayOf(elementKind(only(kind, bit.array)))
  const { object } = kind
  const fields = object && {
    known: new Map([...object.known].map(([key, field]) => [key, union(field, kinds.undefined)])),
    unknown: object.unknown
  }
  return union(kind.array ? items : kinds.never, fields ? make(bit.object, undefined, fields) : kinds.never)
}

function mappedKind(call: Call): Kind {
  const { array, object } = call.kind('value')
  const { kind } = call.closure
  if (call.constant('recursive') !== false)
    return union(array ? kinds.array : kinds.never, object ? kinds.object : kinds.never)
  return union(array ? arrayOf(kind) : kinds.never, object ? mapFields(call.kind('value'), kind) : kinds.never)
}

function mapFields({ object }: Kind, kind: Kind): Kind {
  const fields = [...object!.known].map(([key, field]) => [
    key,
    field.bits & bit.undefined ? union(kind, kinds.undefined) : kind
  ])
  const open = object!.unknown.bits !== bit.undefined
  return objectOf(Object.fromEntries(fields), open ? kind : kinds.undefined)
}

/** The closure gets a container first, then the values the container holds after that call. */
function mapValues(value: Value, closure: Closure, deep: boolean): Value {
  const map = (item: Value, entry: boolean): Value => {
    const result = entry ? closure.runEntry(item) : closure.run(item)
    return deep ? mapValues(result, closure, true) : result
  }
  if (isArray(value)) return value.map(item => map(item, false))
  if (!isObject(value)) return value
  return new Map(sortedEntries(value).map(([key, item]) => [key, map(item, true)]))
}

function mapKeys(context: Context, value: Value, closure: Closure, deep: boolean): Value {
  step(context)
  if (isArray(value)) return value.map(item => mapKeys(context, item, closure, deep))
  if (!isObject(value)) return value
  const mapped = new Map<string, Value>()
  for (const [key, item] of sortedEntries(value)) {
    const name = closure.runEntry(key)
    if (!isText(name)) throw fail(`expected string, got ${typeName(name)}`)
    mapped.set(lossy(name), deep ? mapKeys(context, item, closure, true) : item)
  }
  return mapped
}

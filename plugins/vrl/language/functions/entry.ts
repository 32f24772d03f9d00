// Objects from pairs of keys and values, and back.
import { type Context, checkItems, step } from '../context.ts'
import { type FunctionSpec, fail } from '../function.ts'
import { arrayOf, elementKind, kinds, objectOf, union } from '../kind.ts'
import {
  type ArrayValue,
  isArray,
  isObject,
  isText,
  lossy,
  type ObjectValue,
  sortedEntries,
  typeName,
  type Value
} from '../value.ts'

export const entries: readonly FunctionSpec[] = [
  {
    name: 'to_entries',
    summary: 'An array of objects with the key (in an array the index) and the value of every entry.',
    params: [{ name: 'value', kind: union(kinds.object, kinds.array) }],
    returns: call => {
      const kind = call.kind('value')
      const key = union(kind.object ? kinds.string : kinds.never, kind.array ? kinds.integer : kinds.never)
      return arrayOf(objectOf({ key, value: elementKind(kind) }))
    },
    prepare:
      ({ context }) =>
      (value: ObjectValue | ArrayValue) => {
        checkItems(context, 2 * (isArray(value) ? value.length : value.size))
        if (isArray(value)) return value.map((item, i) => entry(BigInt(i), item))
        return sortedEntries(value).map(([key, item]) => entry(key, item))
      },
    examples: [
      {
        title: 'An object',
        source: 'to_entries({"b": 2, "a": 1})',
        result: '[{"key":"a","value":1},{"key":"b","value":2}]'
      },
      { title: 'An array', source: 'to_entries(["x"])', result: '[{"key":0,"value":"x"}]' }
    ]
  },
  {
    name: 'from_entries',
    summary:
      'The object whose fields are the entries of an array: `key` or `name`, and `value`. The last of equal keys counts.',
    params: [{ name: 'value', kind: kinds.array }],
    returns: kinds.object,
    prepare:
      ({ context }) =>
      (value: ArrayValue) =>
        collect(context, value, fromEntry),
    examples: [
      {
        title: 'Either name',
        source: 'from_entries([{"key": "a", "value": 1}, {"name": "b", "value": 2}])',
        result: '{"a":1,"b":2}'
      }
    ]
  },
  {
    name: 'object_from_array',
    summary:
      'The object made of pairs, or of an array of values and one of keys. Pairs whose key is null are left out.',
    params: [
      { name: 'values', kind: kinds.array },
      { name: 'keys', kind: kinds.array, optional: true }
    ],
    returns: kinds.object,
    prepare:
      ({ context }) =>
      (values: ArrayValue, keys: ArrayValue | undefined) =>
        keys === undefined
          ? collect(context, values, fromPair)
          : collect(context, values.slice(0, keys.length), (value, i) => [keys[i]!, value]),
    examples: [
      { title: 'Pairs', source: 'object_from_array([["a", 1], [null, 2], ["b"]])', result: '{"a":1,"b":null}' },
      { title: 'Keys', source: 'object_from_array([1, 2], keys: ["a", "b"])', result: '{"a":1,"b":2}' }
    ]
  }
]

function entry(key: Value, value: Value): Value {
  return new Map([
    ['key', key],
    ['value', value]
  ])
}

function collect(context: Context, items: ArrayValue, read: (item: Value, index: number) => [Value, Value]): Value {
  const object = new Map<string, Value>()
  for (const [i, item] of items.entries()) {
    step(context)
    const [key, value] = read(item, i)
    if (isText(key)) object.set(lossy(key), value)
    else if (key !== null) throw fail(`a key must be a string, got ${typeName(key)}`)
  }
  return object
}

const keyNames = ['key', 'Key', 'name', 'Name']
const valueNames = ['value', 'Value']

function fromEntry(item: Value): [Value, Value] {
  if (!isObject(item)) throw fail(`an entry must be an object, got ${typeName(item)}`)
  const key = firstOf(item, keyNames)
  if (key === null) throw fail('an entry has no key')
  return [key, firstOf(item, valueNames)]
}

function firstOf(object: ObjectValue, names: readonly string[]): Value {
  for (const name of names) {
    const value = object.get(name)
    if (value !== undefined && value !== null) return value
  }
  return null
}

function fromPair(item: Value): [Value, Value] {
  if (!isArray(item)) throw fail(`expected array, got ${typeName(item)}`)
  const [key, value = null] = item
  if (key === undefined) throw fail('array value too short')
  return [key, value]
}

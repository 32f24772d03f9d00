// Nested objects to flat ones with joined keys, and back.
import { type Context, checkItems, checkOutput, step } from '../../context.ts'
import type { Call, FunctionSpec } from '../../function.ts'
import { kinds, union } from '../../kind.ts'
import {
  type ArrayValue,
  isArray,
  isObject,
  isText,
  lossy,
  type ObjectValue,
  sortedEntries,
  type Text,
  type Value
} from '../../value.ts'
import { sameContainer } from './kind.ts'

const separator = { name: 'separator', kind: kinds.string, default: '.' }

export const flattening: readonly FunctionSpec[] = [
  {
    name: 'flatten',
    summary:
      'An object without objects inside, their keys joined; an array without arrays inside. Fields named in `except` stay as they are.',
    params: [
      { name: 'value', kind: union(kinds.object, kinds.array) },
      separator,
      { name: 'except', kind: kinds.array, default: [], constant: true }
    ],
    returns: call => sameContainer(call.kind('value')),
    prepare: call => {
      const except = readNames(call)
      return (value: ObjectValue | ArrayValue, joint: Text) => {
        if (isArray(value)) return flattenArray(call.context, value, [])
        const flat = { context: call.context, joint: lossy(joint), except, fields: new Map<string, Value>(), length: 0 }
        flattenObject(flat, value, '')
        return flat.fields
      }
    },
    examples: [
      { title: 'An object', source: 'flatten({"a": {"b": 1, "c": [2]}, "d": 3})', result: '{"a.b":1,"a.c":[2],"d":3}' },
      { title: 'An array', source: 'flatten([1, [2, [3]], {"a": [4]}])', result: '[1,2,3,{"a":[4]}]' },
      {
        title: 'All but one',
        source: 'flatten({"a": {"b": 1}, "c": {"d": 2}}, separator: "_", except: ["c"])',
        result: '{"a_b":1,"c":{"d":2}}'
      }
    ]
  },
  {
    name: 'unflatten',
    summary: 'Keys with separators to nested objects. Where both `a` and `a.b` are there, `a` is left out.',
    params: [
      { name: 'value', kind: kinds.object },
      separator,
      { name: 'recursive', kind: kinds.boolean, default: true }
    ],
    returns: kinds.object,
    prepare:
      ({ context }) =>
      (value: ObjectValue, joint: Text, recursive: boolean) =>
        unflatten(context, value, lossy(joint), recursive),
    examples: [
      { title: 'Two levels', source: 'unflatten({"a.b": 1, "a.c": 2, "d": 3})', result: '{"a":{"b":1,"c":2},"d":3}' },
      { title: 'Not inside', source: 'unflatten({"a": {"b.c": 1}}, recursive: false)', result: '{"a":{"b.c":1}}' }
    ]
  }
]

function readNames(call: Call): ReadonlySet<string> {
  const names = call.constant('except')
  return new Set(
    (isArray(names) ? names : []).map(name => {
      if (isText(name)) return lossy(name)
      throw call.invalid('except', 'names must be strings')
    })
  )
}

interface Flat {
  readonly context: Context
  readonly joint: string
  readonly except: ReadonlySet<string>
  readonly fields: Map<string, Value>
  /** Of all keys. */
  length: number
}

function flattenObject(flat: Flat, object: ObjectValue, prefix: string): void {
  for (const [key, value] of sortedEntries(object)) {
    step(flat.context)
    const name = prefix + key
    if (isObject(value) && !flat.except.has(key)) {
      flattenObject(flat, value, name + flat.joint)
      continue
    }
    flat.length += name.length + 8
    checkOutput(flat.context, flat.length)
    flat.fields.set(name, value)
  }
}

function flattenArray(context: Context, array: ArrayValue, items: Value[]): Value[] {
  for (const item of array) {
    step(context)
    if (isArray(item)) flattenArray(context, item, items)
    else {
      checkItems(context, items.length + 1)
      items.push(item)
    }
  }
  return items
}

/** Keys by their parts. A node with others below has no value of its own. */
interface KeyNode {
  value: Value
  below: Map<string, KeyNode> | undefined
}

function unflatten(context: Context, object: ObjectValue, joint: string, recursive: boolean): Value {
  const root: KeyNode = { value: null, below: new Map() }
  for (const [key, value] of object) {
    let node = root
    for (const part of joint === '' ? [key] : key.split(joint)) {
      step(context)
      node.below ??= new Map()
      let next = node.below.get(part)
      if (next === undefined) {
        next = { value: null, below: undefined }
        node.below.set(part, next)
      }
      node = next
    }
    node.value = recursive && isObject(value) ? unflatten(context, value, joint, true) : value
  }
  return nested(root)
}

function nested({ value, below }: KeyNode): Value {
  return below === undefined ? value : new Map(Array.from(below, ([part, node]) => [part, nested(node)]))
}

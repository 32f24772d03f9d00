// Functions on objects.
import { mergeFields } from '../compile-operator.ts'
import { type Context, step } from '../context.ts'
import type { FunctionSpec } from '../function.ts'
import { bit, kinds, make } from '../kind.ts'
import { isObject, type ObjectValue, type Value } from '../value.ts'

export const objects: readonly FunctionSpec[] = [
  {
    name: 'merge',
    summary: 'The fields of two objects; those of the second win.',
    params: [
      { name: 'to', kind: kinds.object },
      { name: 'from', kind: kinds.object },
      { name: 'deep', kind: kinds.boolean, default: false }
    ],
    returns: call => {
      const to = call.kind('to').object
      const from = call.kind('from').object
      if (to === undefined || from === undefined || call.constant('deep') !== false) return kinds.object
      return make(bit.object, undefined, mergeFields(to, from))
    },
    prepare:
      ({ context }) =>
      (to: ObjectValue, from: ObjectValue, deep: boolean) =>
        merge(context, to, from, deep),
    examples: [
      { title: 'Deep', source: 'merge({"a": {"x": 1}}, {"a": {"y": 2}}, deep: true)', result: '{"a":{"x":1,"y":2}}' },
      { title: 'Shallow', source: 'merge({"a": {"x": 1}}, {"a": {"y": 2}})', result: '{"a":{"y":2}}' }
    ]
  }
]

function merge(context: Context, to: ObjectValue, from: ObjectValue, deep: boolean): ObjectValue {
  step(context)
  const merged = new Map<string, Value>(to)
  for (const [key, value] of from) {
    const old = merged.get(key)
    merged.set(key, deep && isObject(old) && isObject(value) ? merge(context, old, value, true) : value)
  }
  return merged
}

// Functions that compare the items of an array: distinct ones, and frequencies.
import { type Context, step } from '../../context.ts'
import { type FunctionSpec, fail } from '../../function.ts'
import { arrayOf, bit, elementKind, kinds, objectOf, only } from '../../kind.ts'
import { type ArrayValue, equals, isText, lossy, type Regex, typeName, type Value } from '../../value.ts'
import { identity } from './identity.ts'

export const counting: readonly FunctionSpec[] = [
  {
    name: 'includes',
    summary: 'True if the array has an item that is equal in kind and value.',
    params: [
      { name: 'value', kind: kinds.array },
      { name: 'item', kind: kinds.any }
    ],
    returns: kinds.boolean,
    prepare:
      ({ context }) =>
      (value: ArrayValue, item: Value) =>
        value.some(other => same(context, other, item)),
    examples: [
      { title: 'A text', source: 'includes(["a", "b"], "b")', result: 'true' },
      { title: 'Another kind', source: 'includes([1], 1.0)', result: 'false' }
    ]
  },
  {
    name: 'match_array',
    summary: 'True if the pattern is found in one of the texts of an array, or with `all` in every item.',
    params: [
      { name: 'value', kind: kinds.array },
      { name: 'pattern', kind: kinds.regex },
      { name: 'all', kind: kinds.boolean, default: false }
    ],
    returns: kinds.boolean,
    prepare:
      ({ context }) =>
      (value: ArrayValue, pattern: Regex, all: boolean) => {
        const matches = (item: Value) => {
          step(context)
          return isText(item) && pattern.test(lossy(item))
        }
        return all ? value.every(matches) : value.some(matches)
      },
    examples: [
      { title: 'One', source: 'match_array(["foo", "bar", 1], r\'^f\')', result: 'true' },
      { title: 'Not all', source: 'match_array(["foo", "bar"], r\'^f\', all: true)', result: 'false' }
    ]
  },
  {
    name: 'tally',
    summary: 'How often each text is in an array.',
    params: [{ name: 'value', kind: kinds.array }],
    returns: objectOf({}, kinds.integer),
    fallible: true,
    prepare:
      ({ context }) =>
      (value: ArrayValue) => {
        const counts = new Map<string, bigint>()
        for (const item of value) {
          step(context)
          if (!isText(item)) throw fail(`all values must be strings, found: ${typeName(item)}`)
          const text = lossy(item)
          counts.set(text, (counts.get(text) ?? 0n) + 1n)
        }
        return counts
      },
    examples: [
      { title: 'Three', source: 'tally!(["a", "b", "a"])', result: '{"a":2,"b":1}' },
      { title: 'No text', source: 'tally!(["a", 1])', raises: 'all values must be strings, found: integer' }
    ]
  },
  {
    name: 'tally_value',
    summary: 'How many items of an array are equal to a value in kind and value.',
    params: [
      { name: 'array', kind: kinds.array },
      { name: 'value', kind: kinds.any }
    ],
    returns: kinds.integer,
    prepare:
      ({ context }) =>
      (array: ArrayValue, value: Value) => {
        let count = 0n
        for (const item of array) if (same(context, item, value)) count++
        return count
      },
    examples: [{ title: 'Two', source: 'tally_value(["a", "b", "a", null], "a")', result: '2' }]
  },
  {
    name: 'unique',
    summary: 'The array without items that are equal to one before, in kind and value.',
    params: [{ name: 'value', kind: kinds.array }],
    returns: call => arrayOf(elementKind(only(call.kind('value'), bit.array))),
    prepare:
      ({ context }) =>
      (value: ArrayValue) => {
        const seen = new Set<unknown>()
        const quota = { left: context.limits.output }
        return value.filter(item => {
          step(context)
          const { size } = seen
          return seen.add(identity(item, quota)).size > size
        })
      },
    examples: [{ title: 'Kinds count', source: 'unique([1, "1", 1, [2], [2], 1.0])', result: '[1,"1",[2],1.0]' }]
  }
]

function same(context: Context, a: Value, b: Value): boolean {
  step(context)
  return equals(a, b)
}

// Functions on arrays.
import type { Segment } from '../ast.ts'
import { type Context, checkItems, step } from '../context.ts'
import { type FunctionSpec, fail } from '../function.ts'
import { arrayOf, bit, elementKind, isOnly, type Kind, kinds, make, only, union } from '../kind.ts'
import { exactLength } from '../kind-path.ts'
import { type ArrayValue, fromBytes, isArray, type Text, toBytes, typeName, type Value } from '../value.ts'

export const arrays: readonly FunctionSpec[] = [
  {
    name: 'push',
    summary: 'The array with one more item at its end.',
    params: [
      { name: 'value', kind: kinds.array },
      { name: 'item', kind: kinds.any }
    ],
    returns: call => pushed(only(call.kind('value'), bit.array), call.kind('item')),
    run: (value: ArrayValue, item: Value) => [...value, item],
    examples: [{ title: 'One more', source: 'push([1], 2)', result: '[1,2]' }]
  },
  {
    name: 'append',
    summary: 'The items of two arrays.',
    params: [
      { name: 'value', kind: kinds.array },
      { name: 'items', kind: kinds.array }
    ],
    returns: call =>
      arrayOf(
        union(elementKind(only(call.kind('value'), bit.array)), elementKind(only(call.kind('items'), bit.array)))
      ),
    prepare:
      ({ context }) =>
      (value: ArrayValue, items: ArrayValue) => {
        checkItems(context, value.length + items.length)
        return [...value, ...items]
      },
    examples: [{ title: 'Two', source: 'append([1], [2, 3])', result: '[1,2,3]' }]
  },
  {
    name: 'pop',
    summary: 'The array without its last item.',
    params: [{ name: 'value', kind: kinds.any }],
    returns: call => arrayOf(elementKind(only(call.kind('value'), bit.array))),
    fallible: call => !isOnly(call.kind('value'), bit.array),
    run: (value: Value) => {
      if (!Array.isArray(value)) throw fail('expected array')
      return (value as ArrayValue).slice(0, -1)
    },
    examples: [{ title: 'The last', source: 'pop([1, 2])', result: '[1]' }]
  },
  {
    name: 'chunks',
    summary: 'A text in pieces of so many bytes.',
    params: [
      { name: 'value', kind: kinds.string },
      { name: 'chunk_size', kind: kinds.integer }
    ],
    returns: arrayOf(kinds.string),
    fallible: call => call.constant('chunk_size') === undefined,
    prepare: call => {
      const known = call.constant('chunk_size')
      if (typeof known === 'bigint' && known < 1n)
        throw call.invalid('chunk_size', '"chunk_size" must be at least 1 byte')
      return (value: Text, size: bigint) => cut(call.context, value, size)
    },
    examples: [{ title: 'Pairs', source: 'chunks("abcde", 2)', result: '["ab","cd","e"]' }]
  },
  {
    name: 'zip',
    summary:
      'The first items of two arrays, or of all arrays in one, then the second ones, as long as there are items in all.',
    params: [
      { name: 'array_0', kind: kinds.array },
      { name: 'array_1', kind: kinds.array, optional: true }
    ],
    returns: arrayOf(kinds.array),
    prepare:
      ({ context }) =>
      (first: ArrayValue, second: ArrayValue | undefined) =>
        zip(context, second === undefined ? first : [first, second]),
    examples: [
      { title: 'Two', source: 'zip([1, 2], ["a", "b", "c"])', result: '[[1,"a"],[2,"b"]]' },
      { title: 'Any number', source: 'zip([[1, 2], [3, 4], [5, 6]])', result: '[[1,3,5],[2,4,6]]' }
    ]
  }
]

function pushed(kind: Kind, item: Kind): Kind {
  const { array } = kind
  const length = array === undefined ? undefined : exactLength(array)
  if (array === undefined || length === undefined) return arrayOf(union(elementKind(kind), item))
  return make(
    bit.array,
    { known: new Map<Segment, Kind>([...array.known, [length, item]]), unknown: array.unknown },
    undefined
  )
}

function cut(context: Context, value: Text, size: bigint): Value {
  if (size < 1n) throw fail('"chunk_size" must be at least 1 byte')
  const bytes = toBytes(value)
  const length = Number(size)
  checkItems(context, bytes.length / length)
  const pieces: Value[] = []
  for (let at = 0; at < bytes.length; at += length) {
    step(context)
    pieces.push(fromBytes(bytes.subarray(at, at + length)))
  }
  return pieces
}

function zip(context: Context, arrays: ArrayValue): Value {
  const columns = arrays.map(array => {
    if (isArray(array)) return array
    throw fail(`expected array, got ${typeName(array)}`)
  })
  const length = columns.reduce((min, { length }) => Math.min(min, length), columns[0]?.length ?? 0)
  checkItems(context, length * columns.length)
  return Array.from({ length }, (_, i) => {
    step(context)
    return columns.map(column => column[i]!)
  })
}

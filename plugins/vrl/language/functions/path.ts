// Functions on paths: paths in the program text, and paths computed at run time.
import type { Segment } from '../ast.ts'
import { type Context, checkItems, step } from '../context.ts'
import { type FunctionSpec, fail } from '../function.ts'
import { arrayOf, bit, bounded, isOnly, type Kind, kinds, make, optional, union, without } from '../kind.ts'
import { kindWith, kindWithout } from '../kind-path.ts'
import { getPath, removePath, setPath } from '../path.ts'
import { type ArrayValue, isArray, isObject, isText, lossy, typeName, type Value } from '../value.ts'

const container = union(kinds.object, kinds.array)
const dynamicPath = { name: 'path', kind: kinds.array }

export const paths: readonly FunctionSpec[] = [
  {
    name: 'del',
    summary: 'Removes what stands at a path and returns it; null where nothing does.',
    params: [
      { name: 'target', kind: kinds.any, path: true },
      { name: 'compact', kind: kinds.boolean, default: false }
    ],
    returns: call => call.path('target').kind,
    prepare: call => {
      const target = call.path('target')
      target.forget(call.constant('compact') !== false)
      return (_value: Value, compact: boolean) => target.remove(compact) ?? null
    },
    examples: [
      { title: 'A field', event: '{"a":1,"b":2}', source: 'del(.a)\n.', result: '{"b":2}' },
      { title: 'An empty parent', event: '{"a":{"b":1}}', source: 'del(.a.b, compact: true)\n.', result: '{}' }
    ]
  },
  {
    name: 'exists',
    summary: 'True if something stands at a path, be it null.',
    params: [{ name: 'field', kind: kinds.any, path: true }],
    returns: kinds.boolean,
    prepare: call => {
      const field = call.path('field')
      return () => field.get() !== undefined
    },
    examples: [
      { title: 'Null is there', event: '{"a":null}', source: '[exists(.a), exists(.b)]', result: '[true,false]' }
    ]
  },
  {
    name: 'unnest',
    summary: 'Turns an array at a path into copies of the whole, one an item.',
    params: [{ name: 'path', kind: kinds.any, path: true }],
    returns: call => {
      const { kind, rootKind, path } = call.path('path')
      return unnestedKind(kind, without(rootKind, bit.undefined), path)
    },
    fallible: call => !isOnly(call.path('path').kind, bit.array),
    prepare: call => {
      const target = call.path('path')
      return () => unnest(call.context, target.getRoot(), target.path)
    },
    examples: [
      {
        title: 'An event',
        event: '{"host":"a","items":[1,2]}',
        source: 'unnest!(.items)',
        result: '[{"host":"a","items":1},{"host":"a","items":2}]'
      }
    ]
  },
  {
    name: 'get',
    summary: 'What stands at a path that is an array of fields and indexes; null where nothing does.',
    params: [{ name: 'value', kind: container }, dynamicPath],
    returns: kinds.any,
    fallible: true,
    run: (value: Value, path: ArrayValue) => getPath(value, segments(path)) ?? null,
    examples: [{ title: 'A field', source: 'get!({"a": [1, 2]}, ["a", -1])', result: '2' }]
  },
  {
    name: 'set',
    summary: 'The container with data at a path that is an array of fields and indexes.',
    params: [{ name: 'value', kind: container }, dynamicPath, { name: 'data', kind: kinds.any }],
    returns: container,
    fallible: true,
    prepare: call => {
      const path = call.constant('path')
      const [first] = isArray(path) ? path : []
      const { watched, written } = call.context
      const noted = isText(first) && watched.has(lossy(first)) ? lossy(first) : undefined
      return (value: Value, path: ArrayValue, data: Value) => {
        if (noted !== undefined) written.add(noted)
        return setPath(value, segments(path), data)
      }
    },
    examples: [{ title: 'A field', source: 'set!({"a": 1}, ["b", "c"], 2)', result: '{"a":1,"b":{"c":2}}' }]
  },
  {
    name: 'remove',
    summary: 'The container without what stands at a path that is an array of fields and indexes.',
    params: [{ name: 'value', kind: container }, dynamicPath, { name: 'compact', kind: kinds.boolean, default: false }],
    returns: container,
    fallible: true,
    run: (value: Value, path: ArrayValue, compact: boolean) => removePath(value, segments(path), compact),
    examples: [{ title: 'A field', source: 'remove!({"a": 1, "b": 2}, ["a"])', result: '{"b":2}' }]
  }
]

/** Items of an array whose kinds are tracked one by one, because each adds to the kind of the result. */
const maxKnownItems = 256

/** Kinds of the copies of `root`, one per item of the array at `path`. */
function unnestedKind({ array }: Kind, root: Kind, path: readonly Segment[]): Kind {
  if (array === undefined) return arrayOf(kindWith(root, path, kinds.any))
  // Removing an item from an array moves those behind it.
  const rest = path.some(segment => typeof segment === 'number') ? kindWithout(root, path, true) : root
  const copy = (item: Kind): Kind => {
    if (item.bits === bit.undefined) return item
    const whole = kindWith(rest, path, without(item, bit.undefined))
    return item.bits & bit.undefined ? optional(whole) : whole
  }
  const { known, unknown } = array
  if (known.size <= maxKnownItems) {
    const items = new Map([...known].map(([index, item]) => [index, copy(item)] as const))
    const exact = make(bit.array, { known: items, unknown: copy(unknown) }, undefined)
    if (bounded(exact) === exact) return exact
  }
  return arrayOf(copy(union(...known.values(), unknown)))
}

function segments(path: ArrayValue): Segment[] {
  return path.map(segment => {
    if (typeof segment === 'bigint') return Number(segment)
    if (isText(segment)) return lossy(segment)
    throw fail(`path segment must be either string or integer, not ${typeName(segment)}`)
  })
}

function unnest(context: Context, root: Value, path: readonly Segment[]): Value {
  const items = getPath(root, path)
  if (!isArray(items)) throw fail(`expected array, got ${typeName(items ?? null)}`)
  const rest = removePath(root, path, true)
  checkItems(context, items.length * (isObject(rest) ? rest.size + 1 : 1))
  return items.map(item => {
    step(context)
    return setPath(rest, path, item)
  })
}

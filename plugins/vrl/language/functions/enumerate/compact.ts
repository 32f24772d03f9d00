// Removes empty values from arrays and objects.
import { type Context, step } from '../../context.ts'
import type { FunctionSpec } from '../../function.ts'
import { kinds, union } from '../../kind.ts'
import { isArray, isObject, isText, lossy, type Value } from '../../value.ts'
import { sameContainer } from './kind.ts'

/** The values that count as empty. */
interface Empty {
  readonly null: boolean
  readonly string: boolean
  readonly object: boolean
  readonly array: boolean
  readonly nullish: boolean
}

const flag = (name: string, byDefault: boolean) => ({ name, kind: kinds.boolean, default: byDefault })

export const compacting: readonly FunctionSpec[] = [
  {
    name: 'compact',
    summary:
      'The value without nulls and empty texts, arrays and objects, also deep inside. With `nullish`, blank texts and `-` are empty, too.',
    params: [
      { name: 'value', kind: union(kinds.object, kinds.array) },
      flag('recursive', true),
      flag('null', true),
      flag('string', true),
      flag('object', true),
      flag('array', true),
      flag('nullish', false)
    ],
    returns: call => sameContainer(call.kind('value')),
    prepare:
      ({ context }) =>
      (
        value: Value,
        recursive: boolean,
        noNull: boolean,
        noString: boolean,
        noObject: boolean,
        noArray: boolean,
        nullish: boolean
      ) =>
        compact(context, value, recursive, {
          null: noNull,
          string: noString,
          object: noObject,
          array: noArray,
          nullish
        }),
    examples: [
      { title: 'An object', source: 'compact({"a": null, "b": 1, "c": {"d": ""}})', result: '{"b":1}' },
      { title: 'Blanks', source: 'compact(["-", "  ", "x"], nullish: true)', result: '["x"]' },
      { title: 'Not inside', source: 'compact([{"a": null}, []], recursive: false)', result: '[{"a":null}]' }
    ]
  }
]

/** Containers that become empty are removed, too. */
function compact(context: Context, value: Value, recursive: boolean, empty: Empty): Value {
  step(context)
  const inner = (item: Value) => (recursive ? compact(context, item, true, empty) : item)
  if (isArray(value)) return value.map(inner).filter(item => !isEmpty(item, empty))
  if (!isObject(value)) return value
  const kept = new Map<string, Value>()
  for (const [key, item] of value) {
    const rest = inner(item)
    if (!isEmpty(rest, empty)) kept.set(key, rest)
  }
  return kept
}

function isEmpty(value: Value, empty: Empty): boolean {
  if (value === null) return empty.null || empty.nullish
  if (isText(value)) return isEmptyText(lossy(value), empty)
  if (isArray(value)) return empty.array && value.length === 0
  return isObject(value) && empty.object && value.size === 0
}

function isEmptyText(text: string, { string, nullish }: Empty): boolean {
  if (text === '') return string || nullish
  return nullish && (text === '-' || !/\P{White_Space}/u.test(text))
}

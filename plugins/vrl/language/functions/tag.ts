// Functions on kinds: tagging values with their kinds, testing whether a text is JSON.
import { type Context, step } from '../context.ts'
import { Failure } from '../failure.ts'
import type { FunctionSpec } from '../function.ts'
import { readJsonValue } from '../json.ts'
import { kinds, union } from '../kind.ts'
import { isArray, isObject, lossy, type Text, typeName, type Value } from '../value.ts'

export const tags: readonly FunctionSpec[] = [
  {
    name: 'is_json',
    summary: 'True if the text is one JSON document, of one kind if given.',
    params: [
      { name: 'value', kind: kinds.string },
      {
        name: 'variant',
        kind: kinds.string,
        optional: true,
        constant: true,
        oneOf: ['object', 'array', 'string', 'number', 'bool', 'null']
      }
    ],
    returns: kinds.boolean,
    run: (value: Text, variant: Text | undefined) => isJson(value, variant === undefined ? undefined : lossy(variant)),
    examples: [
      { title: 'A document', source: 'is_json("[1]")', result: 'true' },
      { title: 'Of another kind', source: 'is_json("[1]", variant: "object")', result: 'false' }
    ]
  },
  {
    name: 'tag_types_externally',
    summary: 'Wraps every scalar in an object whose key is its kind; null stays.',
    params: [{ name: 'value', kind: kinds.any }],
    returns: union(kinds.object, kinds.array, kinds.null),
    prepare:
      ({ context }) =>
      (value: Value) =>
        tag(context, value),
    examples: [
      {
        title: 'An object',
        source: 'tag_types_externally({"a": [1, 2.5], "b": null})',
        result: '{"a":[{"integer":1},{"float":2.5}],"b":null}'
      }
    ]
  }
]

/** First characters of the kinds of documents. */
const firsts: Readonly<Record<string, RegExp>> = {
  object: /^\s*\{/,
  array: /^\s*\[/,
  string: /^\s*"/,
  number: /^\s*[-\d]/,
  bool: /^\s*[tf]/,
  null: /^\s*n/
}

function isJson(value: Text, variant: string | undefined): boolean {
  if (typeof value !== 'string') return false
  if (variant !== undefined && firsts[variant]?.test(value) !== true) return false
  try {
    readJsonValue(value)
    return value.charCodeAt(0) !== 0xfeff
  } catch (error) {
    if (error instanceof Failure && error.final === undefined) return false
    throw error
  }
}

function tag(context: Context, value: Value): Value {
  step(context)
  if (value === null) return null
  if (isArray(value)) return value.map(item => tag(context, item))
  if (isObject(value)) return new Map([...value].map(([key, item]) => [key, tag(context, item)]))
  return new Map([[typeName(value), value]])
}

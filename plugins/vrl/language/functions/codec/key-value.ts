// Objects as lines of keys and values, logfmt among them.
import { compareUtf8 } from '../../../../../core/compute.ts'
import { type Context, checkOutput, step } from '../../context.ts'
import { type Call, type FunctionSpec, fail } from '../../function.ts'
import { kinds } from '../../kind.ts'
import { displayValue } from '../../text.ts'
import {
  type ArrayValue,
  isArray,
  isObject,
  isText,
  lossy,
  type ObjectValue,
  type Text,
  type Value
} from '../../value.ts'

const value = { name: 'value', kind: kinds.object }
const ordering = { name: 'fields_ordering', kind: kinds.array, default: [] }
const fallible = (call: Call) => call.given('fields_ordering')

interface Layout {
  readonly pair: string
  readonly field: string
  /** True is a key alone, and false is left out. */
  readonly flags: boolean
}

export const keyValueCodecs: readonly FunctionSpec[] = [
  {
    name: 'encode_key_value',
    summary: 'The fields of an object as keys and values; nested ones have names with dots.',
    params: [
      value,
      ordering,
      { name: 'key_value_delimiter', kind: kinds.string, default: '=' },
      { name: 'field_delimiter', kind: kinds.string, default: ' ' },
      { name: 'flatten_boolean', kind: kinds.boolean, default: false }
    ],
    returns: kinds.string,
    fallible,
    prepare:
      ({ context }) =>
      (object: ObjectValue, first: ArrayValue, pair: Text, field: Text, flags: boolean) =>
        writeFields(context, object, first, { pair: lossy(pair), field: lossy(field), flags }),
    examples: [
      {
        title: 'Nested',
        source: 'encode_key_value({"b": "two words", "a": {"x": 1, "y": [true]}})',
        result: '"a.x=1 a.y.0=true b=\\"two words\\""'
      },
      {
        title: 'In order',
        source: 'encode_key_value!({"a": 1, "b": 2}, ["b"], key_value_delimiter: ":", field_delimiter: ",")',
        result: '"b:2,a:1"'
      }
    ]
  },
  {
    name: 'encode_logfmt',
    summary: 'The fields of an object as logfmt: equals signs, blanks, true as a key alone.',
    params: [value, ordering],
    returns: kinds.string,
    fallible,
    prepare:
      ({ context }) =>
      (object: ObjectValue, first: ArrayValue) =>
        writeFields(context, object, first, { pair: '=', field: ' ', flags: true }),
    examples: [
      {
        title: 'A line',
        source: 'encode_logfmt({"level": "info", "msg": "it is up", "ready": true})',
        result: '"level=info msg=\\"it is up\\" ready"'
      }
    ]
  }
]

function writeFields(context: Context, object: ObjectValue, first: ArrayValue, layout: Layout): string {
  const fields = new Map<string, Value>()
  flatten(context, object, '', fields)
  const named = new Set<string>()
  for (const name of first) {
    if (!isText(name)) throw fail('all fields of "fields_ordering" must be strings')
    if (fields.has(lossy(name))) named.add(lossy(name))
  }
  const others = [...fields.keys()].filter(name => !named.has(name)).sort(compareUtf8)
  const parts: string[] = []
  let length = 0
  for (const name of [...named, ...others]) {
    step(context)
    const text = writeField(name, fields.get(name)!, layout)
    if (text === undefined) continue
    length += text.length + layout.field.length
    checkOutput(context, length)
    parts.push(text)
  }
  return parts.join(layout.field)
}

/** Collects the values that are no containers, under dotted paths. */
function flatten(context: Context, value: Value, prefix: string, fields: Map<string, Value>): void {
  step(context)
  if (!isArray(value) && !isObject(value)) {
    fields.set(prefix, value)
    return
  }
  checkOutput(context, fields.size * 16)
  const inner = prefix === '' ? '' : `${prefix}.`
  for (const [key, part] of value.entries()) flatten(context, part, `${inner}${key}`, fields)
}

function writeField(name: string, value: Value, { pair, flags }: Layout): string | undefined {
  if (flags && typeof value === 'boolean') return value ? quote(name) : undefined
  return quote(name) + pair + quote(displayValue(value))
}

function quote(text: string): string {
  const inner = text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\\\n')
  return /[\s"=]/.test(text) ? `"${inner}"` : inner
}

// Functions for authors of programs: assertions, messages, and what the checker knows.
import type { Segment } from '../ast.ts'
import { type FunctionSpec, fail } from '../function.ts'
import { bit, type Fields, type Kind, kinds } from '../kind.ts'
import { displayValue, writeValue } from '../text.ts'
import { equals, lossy, type Text, type Value } from '../value.ts'

const levels = ['trace', 'debug', 'info', 'warn', 'error'] as const

export const debugging: readonly FunctionSpec[] = [
  {
    name: 'assert',
    summary: 'Fails when the condition is false.',
    params: [
      { name: 'condition', kind: kinds.boolean },
      { name: 'message', kind: kinds.string, optional: true }
    ],
    returns: kinds.boolean,
    fallible: true,
    prepare: call => {
      const text = `assertion failed: ${call.text('condition')}`
      return (condition: boolean, message: Text | undefined) => {
        if (!condition) throw fail(message === undefined ? text : lossy(message))
        return true
      }
    },
    examples: [{ title: 'False', source: 'assert!(1 > 2, "no")', raises: 'no' }]
  },
  {
    name: 'assert_eq',
    summary: 'Fails when two values differ.',
    params: [
      { name: 'left', kind: kinds.any },
      { name: 'right', kind: kinds.any },
      { name: 'message', kind: kinds.string, optional: true }
    ],
    returns: kinds.boolean,
    fallible: true,
    run: (left: Value, right: Value, message: Text | undefined) => {
      if (equals(left, right)) return true
      throw fail(
        message === undefined ? `assertion failed: ${writeValue(left)} == ${writeValue(right)}` : lossy(message)
      )
    },
    examples: [{ title: 'Equal', source: 'assert_eq!(1 + 1, 2)', result: 'true' }]
  },
  {
    name: 'log',
    summary: 'Writes a message to the log of whoever runs the program.',
    params: [
      { name: 'value', kind: kinds.any },
      { name: 'level', kind: kinds.string, default: 'info', constant: true, oneOf: levels },
      { name: 'rate_limit_secs', kind: kinds.integer, default: 1n }
    ],
    returns: kinds.null,
    prepare: call => {
      const level = call.constant('level') as (typeof levels)[number]
      const { context } = call
      let quietUntil = 0
      return (value: Value, _level: Text, seconds: bigint) => {
        const time = performance.now()
        if (time < quietUntil) return null
        quietUntil = time + Number(seconds) * 1000
        context.log(level, typeof value === 'string' ? writeValue(value) : displayValue(value))
        return null
      }
    },
    examples: [{ title: 'A message', source: 'log("seen", level: "debug")', result: 'null' }]
  },
  {
    name: 'type_def',
    summary: 'What the compiler knows of a value, as an object.',
    params: [{ name: 'value', kind: kinds.any, unevaluated: true }],
    returns: kinds.any,
    prepare: call => {
      const description = describe(call.kind('value'))
      return () => description
    },
    examples: [
      { title: 'A sum', source: 'type_def(1 + 1)', result: '{"integer":true}' },
      {
        title: 'An item that may be there',
        event: '{"words":"a b"}',
        source: 'words = split!(.words, " ")\ntype_def(words[1])',
        result: '{"bytes":true,"undefined":true}'
      }
    ]
  }
]

const scalars = [
  ['bytes', bit.string],
  ['integer', bit.integer],
  ['float', bit.float],
  ['boolean', bit.boolean],
  ['timestamp', bit.timestamp],
  ['regex', bit.regex],
  ['null', bit.null]
] as const
const every = 1023

function describe(kind: Kind): Value {
  if ((kind.bits | bit.undefined) === every && kind === kinds.any) return new Map([['any', true]])
  if (kind.bits === every && isOpen(kind.object) && isOpen(kind.array)) return new Map([['any', true]])
  if (kind.bits === 0) return new Map([['never', true]])
  const tree = new Map<string, Value>()
  for (const [name, bits] of scalars) if (kind.bits & bits) tree.set(name, true)
  if (kind.bits & bit.undefined) tree.set('undefined', true)
  describeFields(tree, 'array', kind.array)
  describeFields(tree, 'object', kind.object)
  return tree
}

function isOpen(fields: Fields | undefined): boolean {
  return fields === kinds.any.object
}

function describeFields(tree: Map<string, Value>, name: string, fields: Fields | undefined): void {
  if (fields === undefined) return
  const known = [...fields.known].map(([key, kind]: [Segment, Kind]) => [String(key), describe(kind)] as const)
  tree.set(name, new Map(known))
  if (fields.unknown.bits === bit.undefined) return
  // A recursive kind would be infinite.
  const infinite = fields.unknown.object === fields || fields.unknown.array === fields
  tree.set(
    `${name}_unknown_infinite`,
    infinite && !isOpen(fields) ? new Map([['json', true]]) : describe(fields.unknown)
  )
}

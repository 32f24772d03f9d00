// JSON out of any value.
import type { FunctionSpec } from '../../function.ts'
import { kinds } from '../../kind.ts'
import { writePretty, writeValue } from '../../text.ts'
import type { Value } from '../../value.ts'

export const jsonCodecs: readonly FunctionSpec[] = [
  {
    name: 'encode_json',
    summary: 'The value as JSON, keys sorted.',
    params: [
      { name: 'value', kind: kinds.any },
      { name: 'pretty', kind: kinds.boolean, default: false }
    ],
    returns: kinds.string,
    prepare:
      ({ context }) =>
      (value: Value, pretty: boolean) =>
        pretty ? writePretty(value, context.limits.output) : writeValue(value, context.limits.output),
    examples: [
      { title: 'An object', source: 'encode_json({"b": 1.0, "a": null})', result: '"{\\"a\\":null,\\"b\\":1.0}"' }
    ]
  }
]

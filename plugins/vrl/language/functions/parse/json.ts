// Reading JSON.
import { type FunctionSpec, fail } from '../../function.ts'
import { readJsonValue } from '../../json.ts'
import { kinds } from '../../kind.ts'
import { isText, lossy, type Text } from '../../value.ts'

export const jsonParsers: readonly FunctionSpec[] = [
  {
    name: 'parse_json',
    summary: 'Reads one JSON document.',
    params: [
      { name: 'value', kind: kinds.string },
      { name: 'max_depth', kind: kinds.integer, optional: true },
      { name: 'lossy', kind: kinds.boolean, default: true }
    ],
    returns: kinds.json,
    fallible: true,
    prepare:
      ({ context }) =>
      (value: Text, depth: bigint | undefined, tolerant: boolean) => {
        if (depth !== undefined && (depth < 1n || depth > 128n))
          throw fail(`max_depth value should be greater than 0 and less than 128, got ${depth}`)
        if (!tolerant && isText(value) && typeof value !== 'string') throw fail('unable to parse json: invalid UTF-8')
        return readJsonValue(lossy(value), depth === undefined ? undefined : Number(depth), context.limits.output)
      },
    examples: [
      { title: 'An object', source: 'parse_json!(s\'{"a": [1, 2.0]}\')', result: '{"a":[1,2.0]}' },
      { title: 'Broken', source: 'parse_json!("{")', raises: 'unable to parse json' }
    ]
  }
]

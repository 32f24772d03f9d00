// Reading the user agents that clients of HTTP name.
import woothee from 'woothee'
import type { FunctionSpec } from '../../function.ts'
import { kinds, objectOf, union } from '../../kind.ts'
import { lossy, type Text, type Value } from '../../value.ts'

const nullable = union(kinds.string, kinds.null)

export const userAgentParser: FunctionSpec = {
  name: 'parse_user_agent',
  summary: 'Browser, system and kind of device of a user agent; what is not known is null.',
  params: [
    { name: 'value', kind: kinds.string },
    { name: 'mode', kind: kinds.string, default: 'fast', constant: true, oneOf: ['fast', 'reliable', 'enriched'] }
  ],
  returns: objectOf({
    browser: objectOf({ family: nullable, version: nullable }),
    os: objectOf({ family: nullable, version: nullable }),
    device: objectOf({ category: nullable })
  }),
  prepare: call => {
    if (call.constant('mode') === 'enriched')
      throw call.invalid(
        'mode',
        'the mode "enriched" needs a library this server does not have: use "fast" or "reliable"'
      )
    return (value: Text) => readAgent(lossy(value))
  },
  examples: [
    {
      title: 'A browser',
      source: 'parse_user_agent("Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0")',
      result:
        '{"browser":{"family":"Firefox","version":"128.0"},"device":{"category":"pc"},"os":{"family":"Linux","version":null}}'
    }
  ]
}

/** Longer ones are cut: no client is meant, and the library searches them many times. */
const maxLength = 2048

function readAgent(text: string): ReadonlyMap<string, Value> {
  const found = woothee.parse(text.slice(0, maxLength))
  const known = (part: string | undefined): Value =>
    part === undefined || part === '' || part === 'UNKNOWN' ? null : part
  return new Map<string, Value>([
    [
      'browser',
      new Map([
        ['family', known(found.name)],
        ['version', known(found.version)]
      ])
    ],
    [
      'os',
      new Map([
        ['family', known(found.os)],
        ['version', known(found.os_version)]
      ])
    ],
    ['device', new Map([['category', known(found.category)]])]
  ])
}

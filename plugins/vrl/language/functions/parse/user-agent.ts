// Parses the `User-Agent` header of HTTP clients.
import woothee from 'woothee'
import type { FunctionSpec } from '../../function.ts'
import { type Kind, kinds, objectOf, union } from '../../kind.ts'
import { lossy, type Text, type Value } from '../../value.ts'
import { agentRules } from './agent-rules.ts'

const nullable = union(kinds.string, kinds.null)

/** The members of each part of the result; all modes but `enriched` return fewer. */
const partNames = { browser: ['family', 'version'], os: ['family', 'version'], device: ['category'] } as const
const allPartNames = {
  browser: ['family', 'version', 'major', 'minor', 'patch'],
  os: ['family', 'version', 'major', 'minor', 'patch', 'patch_minor'],
  device: ['family', 'category', 'brand', 'model']
} as const

type Part = keyof typeof partNames
type PartNames = Readonly<Record<Part, readonly string[]>>
/** Undefined members are unknown. */
type Agent = Readonly<Record<Part, Readonly<Record<string, string | undefined>>>>

export const userAgentParser: FunctionSpec = {
  name: 'parse_user_agent',
  summary:
    'Browser, system and kind of device of a user agent; what is not known is null. The mode `fast` asks the rules of woothee, `reliable` those of uap, too, where these know no browser or system, `enriched` always both.',
  params: [
    { name: 'value', kind: kinds.string },
    { name: 'mode', kind: kinds.string, default: 'fast', constant: true, oneOf: ['fast', 'reliable', 'enriched'] }
  ],
  returns: call => kindOf(call.constant('mode') === 'enriched' ? allPartNames : partNames),
  prepare: call => {
    const mode = call.constant('mode')
    const names = mode === 'enriched' ? allPartNames : partNames
    return (value: Text) => {
      const text = lossy(value).slice(0, maxLength)
      const quick = readQuickly(text)
      const isEnough = mode === 'fast' || (mode === 'reliable' && quick.browser['family'] && quick.os['family'])
      return show(isEnough ? quick : either(agentRules()(text), quick), names)
    }
  },
  examples: [
    {
      title: 'A browser',
      source: 'parse_user_agent("Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0")',
      result:
        '{"browser":{"family":"Firefox","version":"128.0"},"device":{"category":"pc"},"os":{"family":"Linux","version":null}}'
    },
    {
      title: 'All that is known of a phone',
      source:
        'parse_user_agent("Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Mobile Safari/537.36", mode: "enriched")',
      result:
        '{"browser":{"family":"Chrome Mobile","major":"126","minor":"0","patch":"0","version":"126.0.0.0"},"device":{"brand":"Google","category":"smartphone","family":"Pixel 8","model":"Pixel 8"},"os":{"family":"Android","major":"14","minor":null,"patch":null,"patch_minor":null,"version":"14"}}'
    }
  ]
}

/** Maximum characters: longer texts are cut, because no real client sends them and both sets of rules search a text many times. */
const maxLength = 2048

function readQuickly(text: string): Agent {
  const found = woothee.parse(text)
  const known = (part: string | undefined) => (part === '' || part === 'UNKNOWN' ? undefined : part)
  return {
    browser: { family: known(found.name), version: known(found.version) },
    os: { family: known(found.os), version: known(found.os_version) },
    device: { category: known(found.category) }
  }
}

/** The result of the first set of rules, completed by that of the second. */
function either(first: Agent, second: Agent): Agent {
  return {
    browser: { ...second.browser, ...first.browser },
    os: { ...second.os, ...first.os },
    device: { ...second.device, ...first.device }
  }
}

function show(agent: Agent, names: PartNames): ReadonlyMap<string, Value> {
  const part = (name: Part) => new Map<string, Value>(names[name].map(key => [key, agent[name][key] ?? null]))
  return new Map<string, Value>([
    ['browser', part('browser')],
    ['os', part('os')],
    ['device', part('device')]
  ])
}

function kindOf(names: PartNames): Kind {
  const part = (name: Part) => objectOf(Object.fromEntries(names[name].map(key => [key, nullable])))
  return objectOf({ browser: part('browser'), os: part('os'), device: part('device') })
}

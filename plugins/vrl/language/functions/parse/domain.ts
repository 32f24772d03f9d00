// Reading domain names by the list of public suffixes.
import { parse } from 'tldts'
import { type FunctionSpec, fail } from '../../function.ts'
import { kinds, objectOf } from '../../kind.ts'
import { lossy, type Text, type Value } from '../../value.ts'

export const domainParser: FunctionSpec = {
  name: 'parse_etld',
  summary: 'The public suffix of a domain name, alone and with so many more labels.',
  params: [
    { name: 'value', kind: kinds.string },
    { name: 'plus_parts', kind: kinds.integer, default: 0n },
    { name: 'psl', kind: kinds.string, optional: true }
  ],
  returns: objectOf({ etld: kinds.string, etld_plus: kinds.string, known_suffix: kinds.boolean }),
  fallible: true,
  prepare: call => {
    if (call.given('psl'))
      throw call.invalid('psl', 'lists of public suffixes are not read from the disk of the server: leave "psl" out')
    return (value: Text, parts: bigint) => readDomain(lossy(value), Number(parts < 0n ? 0n : parts))
  },
  examples: [
    {
      title: 'The domain that can be registered',
      source: 'parse_etld!("sub.sussex.ac.uk", plus_parts: 1)',
      result: '{"etld":"ac.uk","etld_plus":"sussex.ac.uk","known_suffix":true}'
    },
    {
      title: 'An unknown suffix',
      source: 'parse_etld!("weir.acmecorp")',
      result: '{"etld":"acmecorp","etld_plus":"acmecorp","known_suffix":false}'
    }
  ]
}

/** Length of the longest name. */
const maxLength = 253

function readDomain(name: string, parts: number): ReadonlyMap<string, Value> {
  const found =
    name.length > maxLength
      ? undefined
      : parse(name, { allowPrivateDomains: true, extractHostname: false, validateHostname: false, detectIp: false })
  const suffix = found?.publicSuffix
  if (found === undefined || suffix === undefined || suffix === null || suffix === '')
    throw fail(`unable to determine eTLD for ${name.slice(0, maxLength)}`)
  const before = name
    .slice(0, name.length - suffix.length)
    .split('.')
    .filter(label => label !== '')
  const kept = parts === 0 ? [] : before.slice(-parts)
  return new Map<string, Value>([
    ['etld', suffix],
    ['etld_plus', [...kept, suffix].join('.')],
    ['known_suffix', found.isIcann === true || found.isPrivate === true]
  ])
}

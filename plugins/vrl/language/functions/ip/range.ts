// Ranges of IP addresses.
import type { Call, FunctionSpec } from '../../function.ts'
import { fail } from '../../function.ts'
import { kinds, union } from '../../kind.ts'
import { type ArrayValue, isArray, isText, lossy, type Text, typeName, type Value } from '../../value.ts'
import { applyMask, formatAddress, maskOf, parseAddress } from './address.ts'

/** Maximum parsed ranges a call caches. */
const maxRemembered = 1000

interface Range {
  readonly address: Uint8Array
  readonly mask: Uint8Array
}

export const ranges: readonly FunctionSpec[] = [
  {
    name: 'ip_cidr_contains',
    summary: 'True if an address is in a range, or in any of several.',
    params: [
      { name: 'cidr', kind: union(kinds.string, kinds.array) },
      { name: 'value', kind: kinds.string }
    ],
    returns: kinds.boolean,
    fallible: true,
    prepare: call => {
      const read = rememberRanges()
      checkConstant(call, read)
      return (cidr: Text | ArrayValue, value: Text) => {
        const address = addressOf(value)
        const all = isArray(cidr) ? cidr : [cidr]
        return all.some(text => contains(read(text), address))
      }
    },
    examples: [
      { title: 'One range', source: 'ip_cidr_contains!("10.1.0.0/16", "10.1.2.3")', result: 'true' },
      { title: 'Several', source: 'ip_cidr_contains!(["10.0.0.0/8", "fd00::/8"], "fe80::1")', result: 'false' },
      { title: 'No address', source: 'ip_cidr_contains!("10.0.0.0/8", "x")', raises: 'unable to parse IP address' }
    ]
  },
  {
    name: 'ip_subnet',
    summary: "The network's address of an address and a mask, or the length of a prefix with a slash before it.",
    params: [
      { name: 'value', kind: kinds.string },
      { name: 'subnet', kind: kinds.string }
    ],
    returns: kinds.string,
    fallible: true,
    run: (value: Text, subnet: Text) => {
      const address = addressOf(value)
      return formatAddress(applyMask(address, subnetMask(lossy(subnet), address.length)))
    },
    examples: [
      { title: 'A prefix', source: 'ip_subnet!("10.1.2.3", "/16")', result: '"10.1.0.0"' },
      { title: 'A mask', source: 'ip_subnet!("2001:db8:1::1", "ffff:ffff::")', result: '"2001:db8::"' }
    ]
  }
]

export function addressOf(text: Text): Uint8Array {
  const address = parseAddress(lossy(text))
  if (address === undefined) throw fail('unable to parse IP address: invalid IP address syntax')
  return address
}

function checkConstant(call: Call, read: (text: Value) => Range): void {
  const known = call.constant('cidr')
  if (known === undefined || known === null) return
  try {
    for (const text of isArray(known) ? known : [known]) read(text)
  } catch {
    throw call.invalid('cidr', 'it must be a range of addresses in CIDR notation')
  }
}

function rememberRanges(): (text: Value) => Range {
  const known = new Map<string, Range>()
  return text => {
    if (!isText(text)) throw fail(`"cidr" must hold strings, got ${typeName(text)}`)
    const key = lossy(text)
    const found = known.get(key)
    if (found !== undefined) return found
    const range = parseRange(key)
    if (known.size >= maxRemembered) known.clear()
    known.set(key, range)
    return range
  }
}

function parseRange(text: string): Range {
  const [, base = '', length] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const address = parseAddress(base)
  if (address === undefined) throw fail(`unable to parse CIDR: couldn't parse address in network: "${text}"`)
  const bits = length === undefined ? address.length * 8 : Number(length)
  if (bits > address.length * 8) throw fail(`unable to parse CIDR: the prefix of "${text}" is too long`)
  const mask = maskOf(address.length, bits)
  if (applyMask(address, mask).some((byte, i) => byte !== address[i]))
    throw fail(`unable to parse CIDR: host part of address was not zero: "${text}"`)
  return { address, mask }
}

function contains({ address, mask }: Range, value: Uint8Array): boolean {
  if (value.length !== address.length) return false
  return value.every((byte, i) => (byte & mask[i]!) === address[i])
}

function subnetMask(text: string, size: number): Uint8Array {
  const version = size === 4 ? 'ipv4' : 'ipv6'
  if (text.startsWith('/')) {
    const bits = /^\/\d{1,3}$/.test(text) ? Number(text.slice(1)) : Number.NaN
    if (!(bits <= size * 8)) throw fail(`"${text}" is not a valid subnet for ${version} addresses`)
    return maskOf(size, bits)
  }
  const mask = parseAddress(text)
  if (mask === undefined) throw fail(`"${text}" is not a valid subnet`)
  if (mask.length !== size)
    throw fail(`attempting to mask an ${version} address with an ${mask.length === 4 ? 'ipv4' : 'ipv6'} mask`)
  return mask
}

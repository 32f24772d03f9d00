// The Community ID of a network flow (version 1): one text for both directions, the same in all tools.
import { createHash } from 'node:crypto'
import { isIPv4, isIPv6 } from 'node:net'
import { type FunctionSpec, fail } from '../../function.ts'
import { kinds } from '../../kind.ts'
import { lossy, type Text } from '../../value.ts'

const protocols = { icmp: 1, tcp: 6, udp: 17, icmp6: 58, sctp: 132 } as const
const withPorts: ReadonlySet<number> = new Set(Object.values(protocols))

/** Types of messages of ICMP and of ICMPv6 that are request and answer. */
const answers: Readonly<Record<number, readonly (readonly [number, number])[]>> = {
  [protocols.icmp]: [
    [8, 0],
    [10, 9],
    [13, 14],
    [15, 16],
    [17, 18]
  ],
  [protocols.icmp6]: [
    [128, 129],
    [130, 131],
    [133, 134],
    [135, 136],
    [139, 140],
    [144, 145]
  ]
}

const port = (name: string) => ({ name, kind: kinds.integer, optional: true })

export const flows: readonly FunctionSpec[] = [
  {
    name: 'community_id',
    summary: 'The Community ID of a flow (version 1). For ICMP the ports are type and code.',
    params: [
      { name: 'source_ip', kind: kinds.string },
      { name: 'destination_ip', kind: kinds.string },
      { name: 'protocol', kind: kinds.integer },
      port('source_port'),
      port('destination_port'),
      { name: 'seed', kind: kinds.integer, default: 0n }
    ],
    returns: kinds.string,
    fallible: true,
    run: communityId,
    examples: [
      {
        title: 'TCP',
        source: 'community_id!("128.232.110.120", "66.35.250.204", 6, source_port: 34855, destination_port: 80)',
        result: '"1:LQU9qZlK+B5F3KDmev6m5PMibrg="'
      },
      {
        title: 'No ports',
        source: 'community_id!("1.2.3.4", "5.6.7.8", 6)',
        raises: 'source_port and destination_port are required for protocol 6'
      }
    ]
  }
]

function communityId(
  source: Text,
  destination: Text,
  protocol: bigint,
  sourcePort: bigint | undefined,
  destinationPort: bigint | undefined,
  seed: bigint
): string {
  const from = addressBytes(lossy(source), 'source_ip')
  const to = addressBytes(lossy(destination), 'destination_ip')
  if (from.length !== to.length) throw fail('source_ip and destination_ip must be of the same version')
  const number = inRange(protocol, 255, 'protocol')
  const ports = readPorts(number, sourcePort, destinationPort)
  const order = Buffer.compare(from, to) || (ports === undefined ? 0 : ports.source - ports.destination)
  const turned = order > 0 && ports?.oneWay !== true
  const hash = createHash('sha1')
    .update(twoBytes(inRange(seed, 65535, 'seed')))
    .update(turned ? to : from)
    .update(turned ? from : to)
    .update(Uint8Array.of(number, 0))
  if (ports !== undefined) {
    hash.update(twoBytes(turned ? ports.destination : ports.source))
    hash.update(twoBytes(turned ? ports.source : ports.destination))
  }
  return `1:${hash.digest('base64')}`
}

function readPorts(protocol: number, source: bigint | undefined, destination: bigint | undefined) {
  if (source === undefined || destination === undefined) {
    if (withPorts.has(protocol) || source !== destination)
      throw fail(`source_port and destination_port are required for protocol ${protocol}`)
    return undefined
  }
  const first = inRange(source, 65535, 'source_port')
  const second = inRange(destination, 65535, 'destination_port')
  const pairs = answers[protocol]
  if (pairs === undefined) return { source: first, destination: second, oneWay: false }
  const pair = pairs.find(types => types.includes(first))
  if (pair === undefined) return { source: first, destination: second, oneWay: true }
  return { source: first, destination: pair[0] === first ? pair[1] : pair[0], oneWay: false }
}

function inRange(value: bigint, max: number, name: string): number {
  if (value < 0n || value > BigInt(max)) throw fail(`${name} must be between 0 and ${max}`)
  return Number(value)
}

function twoBytes(value: number): Uint8Array {
  return Uint8Array.of(value >> 8, value & 255)
}

/** 4 or 16 bytes. */
function addressBytes(text: string, name: string): Uint8Array {
  if (isIPv4(text)) return Uint8Array.from(text.split('.'), Number)
  if (!isIPv6(text) || text.includes('%')) throw fail(`${name} is no IP address`)
  const [head = '', tail] = ipv4AsGroups(text).split('::')
  const front = groups(head)
  const back = groups(tail ?? '')
  const between = new Array<number>(8 - front.length - back.length).fill(0)
  return Uint8Array.from([...front, ...between, ...back].flatMap(group => [group >> 8, group & 255]))
}

function groups(text: string): number[] {
  return text === '' ? [] : text.split(':').map(group => Number.parseInt(group, 16))
}

/** The last 32 bits may be written as an IPv4 address. */
function ipv4AsGroups(text: string): string {
  const last = text.slice(text.lastIndexOf(':') + 1)
  if (!last.includes('.')) return text
  const [a, b, c, d] = last.split('.').map(Number) as [number, number, number, number]
  return `${text.slice(0, -last.length)}${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
}

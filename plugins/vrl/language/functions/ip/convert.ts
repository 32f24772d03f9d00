// IP addresses as numbers, bytes and addresses of the other version.
import { type FunctionSpec, fail } from '../../function.ts'
import { kinds } from '../../kind.ts'
import { fromBytes, lossy, type Text, toBytes } from '../../value.ts'
import { formatAddress, isMapped, parseV4, parseV6, toV6 } from './address.ts'
import { addressOf } from './range.ts'

const value = { name: 'value', kind: kinds.string }

export const addressConversions: readonly FunctionSpec[] = [
  {
    name: 'ip_aton',
    summary: 'An address of version 4 as an integer.',
    params: [value],
    returns: kinds.integer,
    fallible: true,
    run: (text: Text) => {
      const bytes = parseV4(lossy(text))
      if (bytes === undefined) throw fail('unable to parse IPv4 address: invalid IPv4 address syntax')
      return BigInt(Buffer.from(bytes).readUInt32BE())
    },
    examples: [
      { title: 'An address', source: 'ip_aton!("1.2.3.4")', result: '16909060' },
      { title: 'None', source: 'ip_aton!("1.2.3")', raises: 'unable to parse IPv4 address' }
    ]
  },
  {
    name: 'ip_ntoa',
    summary: 'The address of version 4 that an integer stands for.',
    params: [{ name: 'value', kind: kinds.integer }],
    returns: kinds.string,
    fallible: true,
    run: (number: bigint) => {
      if (number < 0n || number > 0xffff_ffffn) throw fail(`cannot convert ${number} to an IPv4 address: out of range`)
      const bytes = Buffer.alloc(4)
      bytes.writeUInt32BE(Number(number))
      return formatAddress(bytes)
    },
    examples: [{ title: 'An address', source: 'ip_ntoa!(16909060)', result: '"1.2.3.4"' }]
  },
  {
    name: 'ip_pton',
    summary: 'The 4 or 16 bytes of an address.',
    params: [value],
    returns: kinds.string,
    fallible: true,
    run: (text: Text) => fromBytes(addressOf(text)),
    examples: [{ title: 'Version 4', source: 'encode_base16(ip_pton!("192.168.0.1"))', result: '"c0a80001"' }]
  },
  {
    name: 'ip_ntop',
    summary: 'The address that 4 or 16 bytes stand for.',
    params: [value],
    returns: kinds.string,
    fallible: true,
    run: (text: Text) => {
      const bytes = toBytes(text)
      if (bytes.length !== 4 && bytes.length !== 16)
        throw fail(`an address has 4 or 16 bytes, the value has ${bytes.length}`)
      return formatAddress(bytes)
    },
    examples: [{ title: 'Version 4', source: 'ip_ntop!(decode_base16!("c0a80001"))', result: '"192.168.0.1"' }]
  },
  {
    name: 'ip_to_ipv6',
    summary: 'The address as one of version 6.',
    params: [value],
    returns: kinds.string,
    fallible: true,
    run: (text: Text) => formatAddress(toV6(addressOf(text))),
    examples: [{ title: 'From version 4', source: 'ip_to_ipv6!("192.168.0.1")', result: '"::ffff:192.168.0.1"' }]
  },
  {
    name: 'ipv6_to_ipv4',
    summary: 'The address of version 4 inside one of version 6; addresses of version 4 stay.',
    params: [value],
    returns: kinds.string,
    fallible: true,
    run: (text: Text) => {
      const bytes = addressOf(text)
      if (bytes.length === 4) return formatAddress(bytes)
      // Mapped, or compatible as it was once called: nothing before the last four bytes.
      if (!isMapped(bytes) && bytes.subarray(0, 12).some(byte => byte !== 0))
        throw fail(`IPV6 address ${formatAddress(bytes)} is not compatible with IPV4`)
      return formatAddress(bytes.subarray(12))
    },
    examples: [
      { title: 'Mapped', source: 'ipv6_to_ipv4!("::ffff:192.168.0.1")', result: '"192.168.0.1"' },
      {
        title: 'Another',
        source: 'ipv6_to_ipv4!("fe80::1")',
        raises: 'IPV6 address fe80::1 is not compatible with IPV4'
      }
    ]
  },
  {
    name: 'is_ipv4',
    summary: 'True for the text of an address of version 4.',
    params: [value],
    returns: kinds.boolean,
    run: (text: Text) => parseV4(lossy(text)) !== undefined,
    examples: [{ title: 'One', source: 'is_ipv4("10.0.0.1")', result: 'true' }]
  },
  {
    name: 'is_ipv6',
    summary: 'True for the text of an address of version 6.',
    params: [value],
    returns: kinds.boolean,
    run: (text: Text) => parseV6(lossy(text)) !== undefined,
    examples: [{ title: 'One', source: 'is_ipv6("fe80::1")', result: 'true' }]
  }
]

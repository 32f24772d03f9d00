// Encrypts IP addresses to IP addresses (ipcrypt: deterministic, and `pfx`, which preserves prefixes).
import { createCipheriv, createDecipheriv } from 'node:crypto'
import { type FunctionSpec, fail } from '../../function.ts'
import { kinds } from '../../kind.ts'
import { lossy, type Text, toBytes } from '../../value.ts'
import { formatAddress, isMapped, toV6 } from './address.ts'
import { addressOf } from './range.ts'

const params = [
  { name: 'ip', kind: kinds.string },
  { name: 'key', kind: kinds.string },
  { name: 'mode', kind: kinds.string }
]

export const addressCiphers: readonly FunctionSpec[] = [
  {
    name: 'encrypt_ip',
    summary:
      'The address encrypted as another, with a key of 16 bytes (aes128), or of 32 (pfx) so that equal prefixes stay equal.',
    params,
    returns: kinds.string,
    fallible: true,
    run: (ip: Text, key: Text, mode: Text) => translate(ip, key, mode, true),
    examples: [
      {
        title: 'One block',
        source: 'encrypt_ip!("10.1.2.3", "a key of 16 byte", "aes128") == "10.1.2.3"',
        result: 'false'
      },
      {
        title: 'Equal prefixes',
        source:
          'key = "a key that has thirty-two bytes!"\nips = map_values(["10.1.2.3", "10.1.2.9"]) -> |ip| { ip_subnet!(encrypt_ip!(ip, key, "pfx"), "/24") }\nips[0] == ips[1]',
        result: 'true'
      }
    ]
  },
  {
    name: 'decrypt_ip',
    summary: 'The address that was encrypted as another.',
    params,
    returns: kinds.string,
    fallible: true,
    run: (ip: Text, key: Text, mode: Text) => translate(ip, key, mode, false),
    examples: [
      {
        title: 'There and back',
        source: 'key = "a key of 16 byte"\ndecrypt_ip!(encrypt_ip!("10.1.2.3", key, "aes128"), key, "aes128")',
        result: '"10.1.2.3"'
      },
      {
        title: 'A short key',
        source: 'decrypt_ip!("::1", "short", "pfx")',
        raises: 'pfx mode requires a 32-byte key for IPv6'
      }
    ]
  }
]

function translate(ip: Text, keyText: Text, modeText: Text, encrypt: boolean): string {
  const address = addressOf(ip)
  const mode = lossy(modeText)
  if (mode !== 'aes128' && mode !== 'pfx') throw fail(`Invalid mode '${mode}'. Must be 'aes128' or 'pfx'`)
  const key = toBytes(keyText)
  const size = mode === 'aes128' ? 16 : 32
  if (key.length !== size)
    throw fail(`${mode} mode requires a ${size}-byte key for ${address.length === 4 ? 'IPv4' : 'IPv6'}`)
  const bytes = mode === 'aes128' ? block(toV6(address), key, encrypt) : preserve(toV6(address), key, encrypt)
  return formatAddress(isMapped(bytes) ? bytes.subarray(12) : bytes)
}

function block(bytes: Uint8Array, key: Uint8Array, encrypt: boolean): Uint8Array {
  const cipher = encrypt ? createCipheriv('aes-128-ecb', key, null) : createDecipheriv('aes-128-ecb', key, null)
  cipher.setAutoPadding(false)
  return cipher.update(bytes)
}

/**
 * Prefix-preserving encryption: each bit is combined by XOR with a bit that two ciphers make of the bits before it. The register holds a 1, which marks
 * the length, followed by these bits. IPv4-mapped addresses keep their first 96 bits.
 */
function preserve(bytes: Uint8Array, key: Uint8Array, encrypt: boolean): Uint8Array {
  const first = key.slice(0, 16)
  const second = key.slice(16)
  if (Buffer.compare(first, second) === 0) throw fail('the halves of the key must differ')
  const ciphers = [first, second].map(half => createCipheriv('aes-128-ecb', half, null).setAutoPadding(false))
  const out = Uint8Array.from(bytes)
  const start = isMapped(bytes) ? 96 : 0
  let register = start === 96 ? (1n << 96n) | 0xffffn : 1n
  for (let at = start; at < 128; at++) {
    const padded = Buffer.from(register.toString(16).padStart(32, '0'), 'hex')
    const [a, b] = ciphers.map(cipher => cipher.update(padded))
    const flip = (a![15]! ^ b![15]!) & 1
    const shift = 7 - (at & 7)
    const bit = (bytes[at >> 3]! >> shift) & 1
    if (flip === 1) out[at >> 3]! ^= 1 << shift
    register = BigInt.asUintN(128, (register << 1n) | BigInt(encrypt ? bit : bit ^ flip))
  }
  return out
}

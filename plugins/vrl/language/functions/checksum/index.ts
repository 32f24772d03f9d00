// The family of checksums and fast hashes.
import { step } from '../../context.ts'
import { type Call, type FunctionSpec, fail } from '../../function.ts'
import { kinds, union } from '../../kind.ts'
import { lossy, type Text, toBytes, type Value } from '../../value.ts'
import { type Crc, makeCrc } from './crc.ts'
import { seahash } from './seahash.ts'
import { xxh3, xxh3Wide } from './xxh3.ts'
import { xxh32, xxh64 } from './xxhash.ts'

const value = { name: 'value', kind: kinds.string }
const bytesOf = (text: Text) => {
  const bytes = toBytes(text)
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
const signed = (hash: bigint) => BigInt.asIntN(64, hash)

const variants: Readonly<Record<string, (bytes: Buffer, step: () => void) => bigint | string>> = {
  XXH32: xxh32,
  XXH64: (bytes, step) => signed(xxh64(bytes, step)),
  'XXH3-64': (bytes, step) => signed(xxh3(bytes, step)),
  'XXH3-128': (bytes, step) => String(xxh3Wide(bytes, step))
}

/** The constant argument in upper case; undefined where it is not known. */
function constantName(call: Call, name: string): string | undefined {
  const known = call.constant(name) as Text | undefined
  return known === undefined ? undefined : lossy(known).toUpperCase()
}

export const checksums: readonly FunctionSpec[] = [
  {
    name: 'crc',
    summary: 'The cyclic redundancy check of a text as a decimal number, by an algorithm of the public catalogue.',
    params: [value, { name: 'algorithm', kind: kinds.string, default: 'CRC_32_ISO_HDLC' }],
    returns: kinds.string,
    fallible: call => makeCrc(constantName(call, 'algorithm') ?? '') === undefined,
    prepare: call => {
      const known = new Map<string, Crc>()
      const count = () => step(call.context)
      return (text: Text, algorithm: Text) => {
        const name = lossy(algorithm).toUpperCase()
        const crc = known.get(name) ?? makeCrc(name)
        if (crc === undefined) throw fail(`Invalid CRC algorithm: ${lossy(algorithm)}`)
        known.set(name, crc)
        return String(crc(toBytes(text), count))
      }
    },
    examples: [
      { title: 'As in zip files', source: 'crc("weir")', result: '"2474937868"' },
      { title: 'Another', source: 'crc("weir", algorithm: "CRC_16_MODBUS")', result: '"64165"' },
      { title: 'None', source: 'crc!("weir", algorithm: "CRC_99")', raises: 'Invalid CRC algorithm: CRC_99' }
    ]
  },
  {
    name: 'seahash',
    summary: 'The SeaHash of a text as an integer.',
    params: [value],
    returns: kinds.integer,
    prepare:
      ({ context }) =>
      (text: Text) =>
        signed(seahash(bytesOf(text), () => step(context))),
    examples: [{ title: 'A text', source: 'seahash("weir")', result: '-564237650408602997' }]
  },
  {
    name: 'xxhash',
    summary: `The xxHash of a text: an integer, a decimal text for 128 bits. Variants are ${Object.keys(variants).join(', ')}.`,
    params: [value, { name: 'variant', kind: kinds.string, default: 'XXH32' }],
    returns: call => {
      const variant = constantName(call, 'variant')
      if (variant === undefined) return union(kinds.integer, kinds.string)
      return variant === 'XXH3-128' ? kinds.string : kinds.integer
    },
    fallible: call => !Object.hasOwn(variants, constantName(call, 'variant') ?? ''),
    prepare:
      ({ context }) =>
      (text: Text, variant: Text): Value => {
        const name = lossy(variant).toUpperCase()
        if (!Object.hasOwn(variants, name))
          throw fail(`Variant must be either 'XXH32', 'XXH64', 'XXH3-64', or 'XXH3-128', not '${lossy(variant)}'`)
        return variants[name]!(bytesOf(text), () => step(context))
      },
    examples: [
      { title: '32 bits', source: 'xxhash("weir")', result: '3956772140' },
      { title: '128 bits', source: 'xxhash("weir", "XXH3-128")', result: '"117476356388558967622855955977575403001"' }
    ]
  }
]

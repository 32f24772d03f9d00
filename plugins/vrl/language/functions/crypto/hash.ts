// Cryptographic hashes.
import { createHmac, hash } from 'node:crypto'
import { type Call, type FunctionSpec, fail } from '../../function.ts'
import { kinds } from '../../kind.ts'
import { fromBytes, lossy, type Text, toBytes } from '../../value.ts'

const value = { name: 'value', kind: kinds.string }

function plain(name: string, summary: string, example: string): FunctionSpec {
  return {
    name,
    summary,
    params: [value],
    returns: kinds.string,
    run: (text: Text) => hash(name, text),
    examples: [{ title: 'A text', source: `${name}("weir")`, result: `"${example}"` }]
  }
}

/** `variants` from the name in the language to the one of the runtime; the first is the default. */
function varied(
  name: string,
  summary: string,
  variants: Readonly<Record<string, string>>,
  example: string
): FunctionSpec {
  const names = Object.keys(variants)
  return {
    name,
    summary,
    params: [value, { name: 'variant', kind: kinds.string, default: names[0]!, constant: true, oneOf: names }],
    returns: kinds.string,
    prepare: call => {
      const algorithm = variants[call.constant('variant') as string]!
      return (text: Text) => hash(algorithm, text)
    },
    examples: [{ title: 'A variant', source: `${name}("weir", variant: "${names[1]}")`, result: `"${example}"` }]
  }
}

/** By family: from the name in the language to the one of the runtime; the first is the default. */
export const hashVariants = {
  sha2: {
    'SHA-512/256': 'sha512-256',
    'SHA-224': 'sha224',
    'SHA-256': 'sha256',
    'SHA-384': 'sha384',
    'SHA-512': 'sha512',
    'SHA-512/224': 'sha512-224'
  },
  sha3: { 'SHA3-512': 'sha3-512', 'SHA3-224': 'sha3-224', 'SHA3-256': 'sha3-256', 'SHA3-384': 'sha3-384' }
} as const

const hmacs: Readonly<Record<string, string>> = {
  SHA1: 'sha1',
  'SHA-224': 'sha224',
  'SHA-256': 'sha256',
  'SHA-384': 'sha384',
  'SHA-512': 'sha512'
}

export const hashes: readonly FunctionSpec[] = [
  plain('md5', 'The MD5 hash of a text in hexadecimal digits.', '57c6838eabf401f73f6dd50093408e33'),
  plain('sha1', 'The SHA-1 hash of a text in hexadecimal digits.', '73359e52b959cf85f75158a9bf78501ee2c9f529'),
  varied(
    'sha2',
    'A hash of the SHA-2 family of a text in hexadecimal digits.',
    hashVariants.sha2,
    '53d24f46f7e89becb4b88303bcc754472c4e2b62e6d7ba144fa7744d'
  ),
  varied(
    'sha3',
    'A hash of the SHA-3 family of a text in hexadecimal digits.',
    hashVariants.sha3,
    'c08e7feaaafc11fda39e92f8bae45755e563962a61f67ebe9a5e2239'
  ),
  {
    name: 'hmac',
    summary: `The bytes of an HMAC of a text with a key; the algorithm is ${Object.keys(hmacs).join(', ')}.`,
    params: [value, { name: 'key', kind: kinds.string }, { name: 'algorithm', kind: kinds.string, default: 'SHA-256' }],
    returns: kinds.string,
    fallible: (call: Call) => hmacName(call.constant('algorithm') as Text | undefined) === undefined,
    run: (text: Text, key: Text, algorithm: Text) => {
      const name = hmacName(algorithm)
      if (name === undefined) throw fail(`Invalid algorithm: ${lossy(algorithm)}`)
      return fromBytes(createHmac(name, toBytes(key)).update(toBytes(text)).digest())
    },
    examples: [
      {
        title: 'In hexadecimal digits',
        source: 'encode_base16(hmac("weir", "key", "SHA1"))',
        result: '"4d9479483fb2b204f105452fafab06b6028b74af"'
      }
    ]
  }
]

function hmacName(algorithm: Text | undefined): string | undefined {
  const name = algorithm === undefined ? '' : lossy(algorithm).toUpperCase()
  return Object.hasOwn(hmacs, name) ? hmacs[name] : undefined
}

// Percent-encoding of texts, as in URLs.
import { checkOutput } from '../../context.ts'
import type { FunctionSpec } from '../../function.ts'
import { kinds } from '../../kind.ts'
import { fromBytes, lossy, type Text, toBytes } from '../../value.ts'

/** Characters of ASCII that each set escapes beside the controls; a set has those of the ones it is made of. */
const query = ' "#<>'
const path = `${query}?\`{}`
const userinfo = `${path}/:;=@[\\]^|`
const component = `${userinfo}$%&+,`
const escaped: Readonly<Record<string, string>> = {
  CONTROLS: '',
  FRAGMENT: ' "<>`',
  QUERY: query,
  SPECIAL: `${query}'`,
  PATH: path,
  USERINFO: userinfo,
  COMPONENT: component,
  WWW_FORM_URLENCODED: `${component}!'()~`
}

export const percentCodecs: readonly FunctionSpec[] = [
  {
    name: 'encode_percent',
    summary: 'The text with the bytes of some characters as percent signs and hexadecimal digits.',
    params: [
      { name: 'value', kind: kinds.string },
      {
        name: 'ascii_set',
        kind: kinds.string,
        default: 'NON_ALPHANUMERIC',
        constant: true,
        oneOf: ['NON_ALPHANUMERIC', ...Object.keys(escaped)]
      }
    ],
    returns: kinds.string,
    prepare: call => {
      const isPlain = plainBytes(call.constant('ascii_set') as string)
      return (value: Text) => {
        const bytes = Buffer.from(lossy(value))
        let length = 0
        for (const byte of bytes) length += isPlain[byte] === 1 ? 1 : 3
        checkOutput(call.context, length)
        return length === bytes.length ? lossy(value) : encodePercent(bytes, isPlain, length)
      }
    },
    examples: [
      { title: 'All but letters and digits', source: 'encode_percent("a b/é")', result: '"a%20b%2F%C3%A9"' },
      { title: 'A path', source: 'encode_percent("a b/c?d", ascii_set: "PATH")', result: '"a%20b/c%3Fd"' }
    ]
  },
  {
    name: 'decode_percent',
    summary: 'The text with percent signs and hexadecimal digits turned into bytes; what is no such sequence stays.',
    params: [{ name: 'value', kind: kinds.string }],
    returns: kinds.string,
    run: (value: Text) => lossy(fromBytes(decodePercent(toBytes(value)))),
    examples: [{ title: 'A text', source: 'decode_percent("a%20b%2")', result: '"a b%2"' }]
  }
]

/** 1 for each byte that stays. */
function plainBytes(set: string): Uint8Array {
  const others = escaped[set]
  return Uint8Array.from({ length: 256 }, (_, byte) => {
    const char = String.fromCharCode(byte)
    const plain = others === undefined ? /[\da-zA-Z]/.test(char) : byte > 31 && byte < 127 && !others.includes(char)
    return plain ? 1 : 0
  })
}

const hexDigits = Buffer.from('0123456789ABCDEF')

function encodePercent(bytes: Uint8Array, isPlain: Uint8Array, length: number): string {
  const out = Buffer.allocUnsafe(length)
  let to = 0
  for (const byte of bytes) {
    if (isPlain[byte] === 1) {
      out[to++] = byte
      continue
    }
    out[to++] = percent
    out[to++] = hexDigits[byte >> 4]!
    out[to++] = hexDigits[byte & 15]!
  }
  return out.toString('latin1')
}

const percent = 37

function decodePercent(bytes: Uint8Array): Uint8Array {
  const out = new Uint8Array(bytes.length)
  let length = 0
  for (let at = 0; at < bytes.length; at++) {
    const high = bytes[at] === percent ? hexDigit(bytes[at + 1]) : -1
    const low = high < 0 ? -1 : hexDigit(bytes[at + 2])
    if (low >= 0) at += 2
    out[length++] = low < 0 ? bytes[at]! : high * 16 + low
  }
  return out.subarray(0, length)
}

/** −1 for any other character. */
export function hexDigit(byte = 0): number {
  if (byte >= 48 && byte <= 57) return byte - 48
  const letter = byte | 32
  return letter >= 97 && letter <= 102 ? letter - 87 : -1
}

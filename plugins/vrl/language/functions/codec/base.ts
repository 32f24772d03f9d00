// Bytes as text of digits: base 16 and base 64.
import { checkOutput } from '../../context.ts'
import { type FunctionSpec, fail } from '../../function.ts'
import { kinds } from '../../kind.ts'
import { fromBytes, lossy, type Text, toBytes } from '../../value.ts'

const value = { name: 'value', kind: kinds.string }
const charset = { name: 'charset', kind: kinds.string, default: 'standard' }

export const baseCodecs: readonly FunctionSpec[] = [
  {
    name: 'encode_base16',
    summary: 'The bytes of a text as pairs of hexadecimal digits.',
    params: [value],
    returns: kinds.string,
    prepare:
      ({ context }) =>
      (text: Text) => {
        const bytes = toBytes(text)
        checkOutput(context, bytes.length * 2)
        return Buffer.from(bytes).toString('hex')
      },
    examples: [{ title: 'A text', source: 'encode_base16("weir")', result: '"77656972"' }]
  },
  {
    name: 'decode_base16',
    summary: 'The text whose bytes are given as pairs of hexadecimal digits.',
    params: [value],
    returns: kinds.string,
    fallible: true,
    run: (text: Text) => {
      const digits = lossy(text)
      if (digits.length % 2 !== 0 || /[^\da-fA-F]/.test(digits)) throw fail('unable to decode value from base16')
      return fromBytes(Buffer.from(digits, 'hex'))
    },
    examples: [
      { title: 'A text', source: 'decode_base16!("77656972")', result: '"weir"' },
      { title: 'No digit', source: 'decode_base16!("7x")', raises: 'unable to decode value from base16' }
    ]
  },
  {
    name: 'encode_base64',
    summary: 'The bytes of a text in base 64; the alphabet is standard or url_safe.',
    params: [value, { name: 'padding', kind: kinds.boolean, default: true }, charset],
    returns: kinds.string,
    prepare:
      ({ context }) =>
      (text: Text, padding: boolean, name: Text) => {
        const bytes = toBytes(text)
        checkOutput(context, Math.ceil(bytes.length / 3) * 4)
        const encoded = Buffer.from(bytes).toString(isUrlSafe(name) ? 'base64url' : 'base64')
        if (!padding) return encoded.replace(/={1,2}$/, '')
        return encoded.padEnd(Math.ceil(encoded.length / 4) * 4, '=')
      },
    examples: [
      { title: 'Padded', source: 'encode_base64("weir")', result: '"d2Vpcg=="' },
      {
        title: 'For an URL',
        source: 'encode_base64("a?~>", padding: false, charset: "url_safe")',
        result: '"YT9-Pg"'
      }
    ]
  },
  {
    name: 'decode_base64',
    summary: 'The text whose bytes are given in base 64, padded or not; the alphabet is standard or url_safe.',
    params: [value, charset],
    returns: kinds.string,
    fallible: true,
    run: (text: Text, name: Text) => fromBytes(decodeBase64(lossy(text), isUrlSafe(name))),
    examples: [
      { title: 'A text', source: 'decode_base64!("d2Vpcg==")', result: '"weir"' },
      { title: 'No base 64', source: 'decode_base64!("d2!")', raises: 'unable to decode value from base64' }
    ]
  }
]

function isUrlSafe(name: Text): boolean {
  const text = lossy(name)
  if (text !== 'standard' && text !== 'url_safe') throw fail(`unknown charset "${text}", expected standard or url_safe`)
  return text === 'url_safe'
}

/** Padding may be there, missing or too long; everything else is strict, unused bits of the last digit included. */
export function decodeBase64(text: string, urlSafe: boolean): Uint8Array {
  let end = text.length
  while (end > 0 && text[end - 1] === '=') end--
  const digits = text.slice(0, end)
  const encoding = urlSafe ? 'base64url' : 'base64'
  const bytes = Buffer.from(digits, encoding)
  const again = bytes.toString(encoding)
  if (digits !== (urlSafe ? again : again.replace(/={1,2}$/, ''))) throw fail('unable to decode value from base64')
  return bytes
}

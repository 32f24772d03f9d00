// International domain names in ASCII, and back.
import { domainToASCII, domainToUnicode } from 'node:url'
import { type Context, step } from '../../context.ts'
import { type FunctionSpec, fail } from '../../function.ts'
import { kinds } from '../../kind.ts'
import { lossy, type Text } from '../../value.ts'
import { decodeLabel, encodeLabel } from './punycode-label.ts'

const params = [
  { name: 'value', kind: kinds.string },
  { name: 'validate', kind: kinds.boolean, default: true }
]
/** Far longer than a valid domain name. */
const maxName = 4096
const prefix = 'xn--'

export const punycodeCodecs: readonly FunctionSpec[] = [
  {
    name: 'encode_punycode',
    summary: 'The domain name in ASCII; without validation every label is encoded as it is.',
    params,
    returns: kinds.string,
    fallible: true,
    prepare:
      ({ context }) =>
      (value: Text, validate: boolean) => {
        const name = checkLength(lossy(value))
        return validate
          ? validated(name, 'unable to encode to punycode').ascii
          : mapLabels(name, part => encode(context, part))
      },
    examples: [
      { title: 'A name', source: 'encode_punycode!("Bücher.example")', result: '"xn--bcher-kva.example"' },
      { title: 'No name', source: 'encode_punycode!("xn--ü")', raises: 'unable to encode to punycode' }
    ]
  },
  {
    name: 'decode_punycode',
    summary: 'The domain name with the characters that its labels in ASCII stand for.',
    params,
    returns: kinds.string,
    fallible: true,
    prepare:
      ({ context }) =>
      (value: Text, validate: boolean) => {
        const name = checkLength(lossy(value))
        if (!validate) return mapLabels(name, part => decode(context, part))
        return validated(name, 'unable to decode punycode').unicode
      },
    examples: [{ title: 'A name', source: 'decode_punycode!("xn--bcher-kva.example")', result: '"bücher.example"' }]
  }
]

function checkLength(name: string): string {
  if (name.length > maxName) throw fail(`a domain name has at most ${maxName} characters`)
  return name
}

function mapLabels(name: string, map: (label: string) => string): string {
  return name.split('.').map(map).join('.')
}

/** The runtime treats names that end in a number as IPv4 addresses. */
function guard(name: string): string {
  return `${name}.a`
}

/** In ASCII and in Unicode. */
function validated(name: string, message: string): { readonly ascii: string; readonly unicode: string } {
  const ascii = domainToASCII(guard(name))
  const unicode = domainToUnicode(ascii)
  // Invalid labels are kept.
  if (ascii === '' || /(^|\.)xn--/.test(unicode)) throw fail(message)
  const end = -guard('').length
  return { ascii: ascii.slice(0, end), unicode: unicode.slice(0, end) }
}

function encode(context: Context, label: string): string {
  const lower = label.toLowerCase()
  // biome-ignore lint/suspicious/noControlCharactersInRegex: every character of ASCII
  if (/^[\x00-\x7f]*$/.test(label)) return lower
  return prefix + encodeLabel(lower, () => step(context))
}

function decode(context: Context, label: string): string {
  if (!label.startsWith(prefix)) return label
  return decodeLabel(label.slice(prefix.length), () => step(context)) ?? refuse()
}

function refuse(): never {
  throw fail('unable to decode punycode')
}

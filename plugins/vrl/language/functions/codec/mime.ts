// Encoded words of mail headers.
import { type Context, step } from '../../context.ts'
import { type FunctionSpec, fail } from '../../function.ts'
import { kinds } from '../../kind.ts'
import { lossy, type Text } from '../../value.ts'
import { decodeBase64 } from './base.ts'
import { hexDigit } from './percent.ts'

export const mimeCodecs: readonly FunctionSpec[] = [
  {
    name: 'decode_mime_q',
    summary: 'A mail header with its encoded words as text; also one such word without its delimiters.',
    params: [{ name: 'value', kind: kinds.string }],
    returns: kinds.string,
    fallible: true,
    prepare:
      ({ context }) =>
      (value: Text) =>
        decodeWords(context, lossy(value)),
    examples: [
      {
        title: 'Quoted',
        source: 'decode_mime_q!("To: =?utf-8?q?J=C3=BCrgen_K?= <j@k>")',
        result: '"To: Jürgen K <j@k>"'
      },
      { title: 'In base 64', source: 'decode_mime_q!("=?iso-8859-1?b?Y2Fm6Q==?=")', result: '"café"' },
      { title: 'Unknown', source: 'decode_mime_q!("=?utf-8?x?a?=")', raises: 'Invalid encoding: "x"' }
    ]
  }
]

interface Word {
  readonly charset: string
  readonly encoding: string
  readonly text: string
  /** Where its text ends. */
  readonly end: number
}

function decodeWords(context: Context, text: string): string {
  let decoded = ''
  let at = 0
  for (;;) {
    step(context)
    const start = text.indexOf('=?', at)
    const word = start < 0 ? undefined : readWord(text, start + 2)
    if (word === undefined || !text.startsWith('?=', word.end)) break
    decoded += text.slice(at, start) + decodeWord(word)
    at = word.end + 2
  }
  return at === 0 ? decodeBare(text) : decoded + text.slice(at)
}

/** The text may be a word without delimiters; otherwise it is returned unchanged. */
function decodeBare(text: string): string {
  const word = readWord(text, 0)
  if (word === undefined) return text
  try {
    return decodeWord(word) + text.slice(word.end)
  } catch {
    return text
  }
}

/** Reads an encoded word, `charset?encoding?text?=`; undefined if there is none. */
function readWord(text: string, start: number): Word | undefined {
  const first = text.indexOf('?', start)
  const second = first < 0 ? -1 : text.indexOf('?', first + 1)
  if (second < 0) return undefined
  const found = text.indexOf('?=', second + 1)
  const end = found < 0 ? text.length : found
  const charset = first === start ? 'utf-8' : text.slice(start, first)
  return { charset, encoding: text.slice(first + 1, second), text: text.slice(second + 1, end), end }
}

function decodeWord({ charset, encoding, text }: Word): string {
  const bytes = decodeText(encoding, text)
  return decoderFor(charset).decode(bytes)
}

function decodeText(encoding: string, text: string): Uint8Array {
  if (/^q$/i.test(encoding)) return decodeQuoted(Buffer.from(text.replaceAll('_', ' ')))
  if (/^b$/i.test(encoding)) return decodeBase64(text, false)
  throw fail(`Invalid encoding: "${encoding}"`)
}

function decoderFor(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset, { ignoreBOM: true })
  } catch {
    throw fail(`Unable to decode "${charset}" value`)
  }
}

const equals = 61

/** An equals sign without two hexadecimal digits behind it is kept. */
function decodeQuoted(bytes: Uint8Array): Uint8Array {
  const out: number[] = []
  for (let at = 0; at < bytes.length; at++) {
    const high = bytes[at] === equals ? hexDigit(bytes[at + 1]) : -1
    const low = high < 0 ? -1 : hexDigit(bytes[at + 2])
    out.push(low < 0 ? bytes[at]! : high * 16 + low)
    if (low >= 0) at += 2
  }
  return Uint8Array.from(out)
}

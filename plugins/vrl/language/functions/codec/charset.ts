// Texts in other character sets than UTF-8.
import { type Context, checkOutput, step } from '../../context.ts'
import { type FunctionSpec, fail } from '../../function.ts'
import { kinds } from '../../kind.ts'
import { fromBytes, lossy, type Text, toBytes } from '../../value.ts'
import { type Encode, makeEncoder } from './charset-table.ts'

const value = { name: 'value', kind: kinds.string }
/** Number of names cached per call, because programs may make up any number of them. */
const maxRemembered = 64

export const charsetCodecs: readonly FunctionSpec[] = [
  {
    name: 'decode_charset',
    summary: 'The text whose bytes are in a character set, named as in HTML; bytes that mean nothing become U+FFFD.',
    params: [value, { name: 'from_charset', kind: kinds.string }],
    returns: kinds.string,
    fallible: true,
    prepare: ({ context }) => {
      const decoders = remember(decoderFor)
      return (text: Text, name: Text) => {
        checkOutput(context, toBytes(text).length)
        return decoders(lossy(name)).decode(toBytes(text))
      }
    },
    examples: [
      { title: 'Latin', source: 'decode_charset!(decode_base64!("Y2Fm6Q=="), "iso-8859-1")', result: '"café"' },
      { title: 'No such set', source: 'decode_charset!("a", "klingon")', raises: 'Unknown charset: klingon' }
    ]
  },
  {
    name: 'encode_charset',
    summary: 'The bytes of a text in a character set, named as in HTML; what it lacks becomes a reference as in HTML.',
    params: [value, { name: 'to_charset', kind: kinds.string }],
    returns: kinds.string,
    fallible: true,
    prepare: ({ context }) => {
      // Cached by standard name: many names mean the same character set, and its table is large.
      const known = remember(makeEncoder)
      const encoders = remember(name => known(decoderFor(name).encoding))
      return (text: Text, name: Text) => encode(context, lossy(text), encoders(lossy(name)))
    },
    examples: [
      { title: 'Japanese', source: 'encode_base16(encode_charset!("水", "shift_jis"))', result: '"9085"' },
      { title: 'What it lacks', source: 'encode_charset!("水", "latin1")', result: '"&#27700;"' }
    ]
  }
]

/** A character becomes ten bytes at most: a reference. */
function encode(context: Context, text: string, encoder: Encode): Text {
  checkOutput(context, text.length)
  const bytes = encoder(text, length => {
    step(context)
    checkOutput(context, length)
  })
  return fromBytes(bytes)
}

function decoderFor(name: string): TextDecoder {
  try {
    return new TextDecoder(name)
  } catch {
    throw fail(`Unknown charset: ${name}`)
  }
}

/** A cache by name, emptied when it is full. */
function remember<T>(make: (name: string) => T): (name: string) => T {
  const known = new Map<string, T>()
  return name => {
    const found = known.get(name)
    if (found !== undefined) return found
    const made = make(name)
    if (known.size >= maxRemembered) known.clear()
    known.set(name, made)
    return made
  }
}

// The fast engine: JavaScript's own, for expressions on which it is linear, on ASCII text.
import { isAscii } from 'node:buffer'
import { oneUnambiguous } from './one-unambiguous.ts'
import { parseTree } from './parse.ts'
import { cutTree, spanWriter } from './piece.ts'
import { printNative } from './print.ts'
import type { RegexRoute } from './regex.ts'

const maxSource = 4000
/** JavaScript's engine stores a position per character of a loop; longer texts use the other engine before that memory is full. */
const maxText = 65_536

// biome-ignore lint/suspicious/noControlCharactersInRegex: every character of ASCII
const asciiOnly = /^[\x00-\x7f]*$/

/** Undefined if linear time is not certain; `other` handles texts that are not ASCII or too long. */
export function nativeRoute(source: string, other: RegexRoute): RegexRoute | undefined {
  const tree = source.length > maxSource ? undefined : parseTree(source)
  const way = tree && oneUnambiguous(tree)
  if (tree === undefined || way === undefined) return undefined
  const printed = printNative(tree)
  const plain = compile(printed, '')
  const global = compile(printed, 'g')
  const pieces = cutTree(tree)
  const cut = compile(pieces.source, '')
  if (plain === undefined || global === undefined || cut === undefined) return undefined
  const writeSpans = spanWriter(pieces)
  // The engines agree on consecutive matches, unless a match can be empty.
  const replaceAll = (text: string, by: string) =>
    fits(text) ? text.replace(global, by.replaceAll('$', '$$$$')) : undefined
  return {
    ...(way.takesSome && { replaceAll }),
    test: text => (fits(text) ? plain.test(text) : other.test(text)),
    search(text) {
      if (!fits(text)) return other.search(text)
      return from => {
        global.lastIndex = from
        const match = global.exec(text)
        return match === null
          ? undefined
          : { start: match.index, end: match.index + match[0].length, groups: [...match] }
      }
    },
    testBytes(bytes, start, end) {
      const text = asciiText(bytes, start, end)
      return text === undefined ? other.testBytes(bytes, start, end) : plain.test(text)
    },
    find(bytes, start, end, spans) {
      const text = asciiText(bytes, start, end)
      if (text === undefined) return other.find(bytes, start, end, spans)
      const match = cut.exec(text)
      if (match === null) return false
      writeSpans(match, start, spans)
      return true
    }
  }
}

function compile(source: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(source, flags)
  } catch {
    return undefined
  }
}

function fits(text: string): boolean {
  return text.length <= maxText && asciiOnly.test(text)
}

/** The range as a string, if it is ASCII and short enough. */
function asciiText(bytes: Uint8Array, start: number, end: number): string | undefined {
  if (end - start > maxText) return undefined
  const range = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start)
  return isAscii(range) ? range.toString('latin1') : undefined
}

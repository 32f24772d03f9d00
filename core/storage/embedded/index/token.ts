// The tokens of a text as 64-bit hashes, straight from its bytes: every run of ASCII letters and digits, and of other characters each one
// and each pair of neighbours. Wherever a term stands whole in a text, all tokens of the term are tokens of the text, whatever letters
// of the world's scripts stand around it: so no table of them is needed, and text without spaces between its words is found as well.
import { foldText } from './fold.ts'

/** Receives the hashes. */
export interface TokenSink {
  add(low: number, high: number): void
}

const firstHash = 0x811c9dc5 | 0

/** By byte: itself for ASCII letters and digits, which tokens are made of, 0 for others. */
const word = Uint8Array.from({ length: 256 }, (_, byte) => (/[0-9A-Za-z]/.test(String.fromCharCode(byte)) ? byte : 0))

/** The same in lower case. */
const foldedWord = word.map(byte => (byte >= 65 && byte <= 90 ? byte + 32 : byte))

/** Adds all tokens of UTF-8 text, of bytes `from` to `to`; any other ASCII byte parts them, line breaks between texts as well. */
export function addTokens(text: Uint8Array, sink: TokenSink, from = 0, to = text.length): void {
  addEach(text, from, to, word, sink, true)
}

/** Adds all tokens of UTF-8 text in lower case, of bytes `from` to `to`. */
export function addFoldedTokens(text: Uint8Array, sink: TokenSink, from = 0, to = text.length): void {
  let at = from
  while (at < to && text[at]! < 0x80) at++
  if (at < to) addTokens(foldText(text.subarray(from, to)), sink)
  else addEach(text, from, to, foldedWord, sink, true)
}

/** Adds the tokens that every text with this term has: pairs of neighbours say more than each character. */
export function addTermTokens(term: Uint8Array, sink: TokenSink): void {
  addEach(term, 0, term.length, word, sink, false)
}

function addEach(text: Uint8Array, from: number, to: number, bytes: Uint8Array, sink: TokenSink, each: boolean): void {
  for (let at = from; at < to; ) {
    let byte = bytes[text[at]!]!
    if (byte === 0) {
      at = text[at]! < 0x80 ? at + 1 : addCharacters(text, at, to, sink, each)
      continue
    }
    let hash = firstHash
    do {
      hash = Math.imul(hash ^ byte, 0x01000193)
      byte = ++at < to ? bytes[text[at]!]! : 0
    } while (byte !== 0)
    // 32 bits are enough to tell the tokens of a row group apart; both halves come from them.
    sink.add(mix(hash), mix(hash ^ 0x2c1b3c6d))
  }
}

/** The characters outside of ASCII from here on; `each`: also one by one where they have neighbours. */
function addCharacters(text: Uint8Array, start: number, end: number, sink: TokenSink, each: boolean): number {
  let before = -1
  let at = start
  while (at < end && text[at]! >= 0x80) {
    let character = text[at++]!
    while (at < end && (text[at]! & 0xc0) === 0x80) character = Math.imul(character, 67) + text[at++]!
    const isAlone = before < 0 && !(at < end && text[at]! >= 0x80)
    if (each || isAlone) sink.add(mix(character), mix(character ^ 0x5bd1e995))
    if (before >= 0) sink.add(mix(Math.imul(before, 31) + character), mix(Math.imul(character, 37) ^ before))
    before = character & 0x7fffffff
  }
  return at
}

/** 32 bits of which each depends on all. */
export function mix(value: number): number {
  let mixed = value ^ (value >>> 16)
  mixed = Math.imul(mixed, 0x85ebca6b)
  mixed ^= mixed >>> 13
  mixed = Math.imul(mixed, 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) >>> 0
}

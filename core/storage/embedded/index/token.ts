// The tokens of a text as 64-bit hashes, straight from its bytes: every run of ASCII letters and digits, and of other characters each one
// and each pair of neighbours. Wherever a term stands whole in a text, all tokens of the term are tokens of the text, whatever letters
// of the world's scripts stand around it: so no table of them is needed, and text without spaces between its words is found as well.

/** What takes the hashes. */
export interface TokenSink {
  add(low: number, high: number): void
}

const firstHash = 0x811c9dc5 | 0

/** 1 for ASCII letters and digits. */
const word = Uint8Array.from({ length: 256 }, (_, byte) => (/[0-9A-Za-z]/.test(String.fromCharCode(byte)) ? 1 : 0))

/** Adds all tokens of UTF-8 text; any other ASCII byte parts them, line breaks between texts as well. */
export function addTokens(text: Uint8Array, sink: TokenSink): void {
  const end = text.length
  let at = 0
  while (at < end) {
    const byte = text[at]!
    if (byte >= 0x80) at = addCharacters(text, at, sink, true)
    else if (word[byte] === 1) at = addRun(text, at, sink)
    else at++
  }
}

/** Adds the tokens that every text with this term has: pairs of neighbours say more than each character. */
export function addTermTokens(term: Uint8Array, sink: TokenSink): void {
  let at = 0
  while (at < term.length) {
    const byte = term[at]!
    if (byte >= 0x80) at = addCharacters(term, at, sink, false)
    else if (word[byte] === 1) at = addRun(term, at, sink)
    else at++
  }
}

function addRun(text: Uint8Array, start: number, sink: TokenSink): number {
  const end = text.length
  let hash = firstHash
  let at = start
  for (let byte = text[at]!; word[byte] === 1; byte = at < end ? text[at]! : 0) {
    hash = Math.imul(hash ^ byte, 0x01000193)
    at++
  }
  // 32 bits are enough to tell the tokens of a row group apart; both halves come from them.
  sink.add(mix(hash), mix(hash ^ 0x2c1b3c6d))
  return at
}

/** The characters outside of ASCII from here on; `each`: also one by one where they have neighbours. */
function addCharacters(text: Uint8Array, start: number, sink: TokenSink, each: boolean): number {
  let before = -1
  let at = start
  while (at < text.length && text[at]! >= 0x80) {
    let character = text[at++]!
    while (at < text.length && (text[at]! & 0xc0) === 0x80) character = Math.imul(character, 67) + text[at++]!
    const isAlone = before < 0 && !(at < text.length && text[at]! >= 0x80)
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

// Lower case as DuckDB makes it, for the characters of which that is beyond doubt.

/** Latin, Greek and Cyrillic letters with one letter as their lower case. */
const plainCase = /^[\u00c0-\u012f\u0132-\u017e\u0386-\u03ff\u0400-\u052f]$/

/** The term in lower case; undefined when versions of Unicode may differ about the lower case of one of its letters. */
export function foldTerm(term: string): string | undefined {
  let folded = ''
  for (const char of term) {
    const lower = char.toLowerCase()
    const isSure = char < '\x80' || (lower === char && char.toUpperCase() === char) || plainCase.test(char)
    if (!isSure || [...lower].length !== 1) return undefined
    folded += lower
  }
  return folded
}

/** UTF-8 text in lower case, character by character; where DuckDB's Unicode is another, no term is sure. */
export function foldText(text: Uint8Array): Uint8Array {
  const folded = new Uint8Array(text.length)
  for (let i = 0; i < text.length; i++) {
    const byte = text[i]!
    if (byte >= 0x80) return foldCharacters(text)
    folded[i] = byte >= 65 && byte <= 90 ? byte + 32 : byte
  }
  return folded
}

function foldCharacters({ buffer, byteOffset, length }: Uint8Array): Uint8Array {
  let folded = ''
  for (const char of Buffer.from(buffer as ArrayBuffer, byteOffset, length).toString()) {
    // The one that JavaScript gives two characters.
    folded += char === '\u0130' ? 'i' : char.toLowerCase()
  }
  return Buffer.from(folded)
}

// LIKE without backtracking into parts that have been found: `%` is any text, `_` one character.

/** Tells which texts a pattern takes all of. A text of n characters takes at most n² steps, whatever the length of the pattern. */
export function likePattern(pattern: string): (text: string) => boolean {
  const parts = pattern.split('%').map(part => [...part])
  const shortest = parts.reduce((sum, part) => sum + part.length, 0)
  const [first, last] = [parts[0]!, parts.at(-1)!]
  const between = parts.slice(1, -1).filter(part => part.length > 0)
  return text => {
    const characters = [...text]
    if (characters.length < shortest) return false
    if (parts.length === 1) return characters.length === shortest && fits(characters, 0, first)
    const end = characters.length - last.length
    if (!fits(characters, 0, first) || !fits(characters, end, last)) return false
    // The first place of each part leaves the most room for those behind it.
    let at = first.length
    for (const part of between) {
      const found = find(characters, at, end - part.length, part)
      if (found < 0) return false
      at = found + part.length
    }
    return true
  }
}

/** The first place from `start` to `last` where a part stands; −1 for none. */
function find(characters: readonly string[], start: number, last: number, part: readonly string[]): number {
  for (let at = start; at <= last; at++) if (fits(characters, at, part)) return at
  return -1
}

function fits(characters: readonly string[], at: number, part: readonly string[]): boolean {
  for (let i = 0; i < part.length; i++) if (part[i] !== '_' && part[i] !== characters[at + i]) return false
  return true
}

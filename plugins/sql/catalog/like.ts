// LIKE without backtracking into parts that have been found: `%` is any text, `_` one character.

/**
 * Tells which texts a pattern takes all of. A text of n characters takes at most n² steps, whatever the length of the pattern, which is
 * taken apart only for texts that are long enough for it.
 */
export function likePattern(pattern: string): (text: string) => boolean {
  const shortest = countOthers(pattern)
  let parts: Parts | undefined
  return text => {
    const characters = [...text]
    if (characters.length < shortest) return false
    parts ??= partsOf(pattern)
    const { first, between, last } = parts
    if (last === undefined) return characters.length === shortest && fits(characters, 0, first)
    const end = characters.length - last.length
    if (!fits(characters, 0, first) || !fits(characters, end, last)) return false
    // The first occurrence of each part leaves the most text for those behind it.
    let at = first.length
    for (const part of between) {
      const found = find(characters, at, end - part.length, part)
      if (found < 0) return false
      at = found + part.length
    }
    return true
  }
}

type Part = readonly string[]

interface Parts {
  readonly first: Part
  readonly between: readonly Part[]
  /** None without a `%`. */
  readonly last: Part | undefined
}

/** Characters of a pattern that stand for one. */
function countOthers(pattern: string): number {
  let count = 0
  for (const character of pattern) if (character !== '%') count++
  return count
}

function partsOf(pattern: string): Parts {
  const [first, ...others] = pattern.split(/%+/).map(part => [...part])
  const last = others.pop()
  return { first: first!, between: others, last }
}

/** Index of the first occurrence of a part from `start` to `last`; −1 for none. */
function find(characters: readonly string[], start: number, last: number, part: Part): number {
  for (let at = start; at <= last; at++) if (fits(characters, at, part)) return at
  return -1
}

function fits(characters: readonly string[], at: number, part: Part): boolean {
  for (let i = 0; i < part.length; i++) if (part[i] !== '_' && part[i] !== characters[at + i]) return false
  return true
}

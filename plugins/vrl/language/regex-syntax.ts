// Features of the language's patterns beyond RE2: verbose mode, and classes that know all of Unicode.

const classes: Readonly<Record<string, { readonly inside: string; readonly negated: string }>> = {
  d: { inside: '\\p{Nd}', negated: '\\P{Nd}' },
  w: { inside: '\\p{L}\\p{M}\\p{Nd}\\p{Pc}', negated: '[^\\p{L}\\p{M}\\p{Nd}\\p{Pc}]' },
  s: { inside: '\\s\\p{Z}\\x{85}\\x{b}', negated: '[^\\s\\p{Z}\\x{85}\\x{b}]' }
}

/** The pattern with `\d`, `\w` and `\s` spelt out; negated ones inside a class, but for `\D`, stay as they are. */
export function unicodeClasses(pattern: string): string {
  let out = ''
  let depth = 0
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at]!
    if (character === '\\') {
      out += widen(pattern.slice(at, at + 2), depth > 0)
      at++
      continue
    }
    if (character === '[') depth++
    if (character === ']' && depth > 0) depth--
    out += character
  }
  return out
}

function widen(sequence: string, inClass: boolean): string {
  const letter = sequence[1] ?? ''
  const found = classes[letter.toLowerCase()]
  if (found === undefined) return sequence
  if (letter === letter.toLowerCase()) return inClass ? found.inside : `[${found.inside}]`
  return inClass && letter !== 'D' ? sequence : found.negated
}

/** The pattern without the flag `x` and without the blanks and comments it allows; only the flag at the very beginning counts. */
export function stripVerbose(pattern: string): string {
  const flags = /^\(\?([a-zA-Z]*x[a-zA-Z]*)\)/.exec(pattern)
  if (flags === null) return pattern
  const others = flags[1]!.replaceAll('x', '')
  return (others === '' ? '' : `(?${others})`) + withoutBlanks(pattern.slice(flags[0].length))
}

function withoutBlanks(pattern: string): string {
  let out = ''
  let depth = 0
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at]!
    if (character === '\\') {
      out += pattern.slice(at, at + 2)
      at++
    } else if (depth === 0 && /\s/.test(character)) {
    } else if (depth === 0 && character === '#') {
      const end = pattern.indexOf('\n', at)
      if (end < 0) return out
      at = end
    } else {
      if (character === '[') depth++
      if (character === ']' && depth > 0) depth--
      out += character
    }
  }
  return out
}

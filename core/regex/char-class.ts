// Parses character classes (`\d`, `[a-z]`, `[[:alpha:]]`) into sets of ASCII characters.
import { bothCases, type CharSet, charRange, everyChar } from './tree.ts'

/** A set, and where it ends. */
interface ReadSet {
  readonly chars: CharSet
  readonly end: number
}

const digits = charRange(48, 57)
const letters = charRange(65, 90) | charRange(97, 122)
const word = letters | digits | (1n << 95n)
const space = charRange(9, 10) | charRange(12, 13) | (1n << 32n)

const escapedSets: Readonly<Record<string, CharSet>> = {
  d: digits,
  D: everyChar & ~digits,
  w: word,
  W: everyChar & ~word,
  s: space,
  S: everyChar & ~space
}

const namedSets: Readonly<Record<string, CharSet>> = {
  alnum: letters | digits,
  alpha: letters,
  ascii: everyChar,
  blank: (1n << 9n) | (1n << 32n),
  cntrl: charRange(0, 31) | (1n << 127n),
  digit: digits,
  graph: charRange(33, 126),
  lower: charRange(97, 122),
  print: charRange(32, 126),
  punct: charRange(33, 126) & ~(letters | digits),
  space: space | (1n << 11n),
  upper: charRange(65, 90),
  word,
  xdigit: digits | charRange(65, 70) | charRange(97, 102)
}

const controls: Readonly<Record<string, number>> = { a: 7, f: 12, t: 9, n: 10, r: 13, v: 11 }

/** The set of `\d` and the like; undefined for other escapes. */
export function escapedSet(letter: string): CharSet | undefined {
  return Object.hasOwn(escapedSets, letter) ? escapedSets[letter] : undefined
}

/** Code point and end of the escape at `at`; undefined if it is not a simple one. */
export function readEscape(source: string, at: number): { readonly code: number; readonly end: number } | undefined {
  const letter = source[at + 1]
  if (letter === undefined) return undefined
  if (Object.hasOwn(controls, letter)) return { code: controls[letter]!, end: at + 2 }
  if (letter === 'x') {
    const match = /^(?:([0-9a-f]{2})|\{([0-9a-f]{1,6})\})/i.exec(source.slice(at + 2, at + 10))
    if (match === null) return undefined
    return { code: Number.parseInt(match[1] ?? match[2]!, 16), end: at + 2 + match[0].length }
  }
  return /^[ -/:-@[-`{-~]$/.test(letter) ? { code: letter.charCodeAt(0), end: at + 2 } : undefined
}

/** The set of a code point or range. With `fold` both cases, including the two non-ASCII letters whose other case is ASCII. */
export function foldedRange(from: number, to: number, fold: boolean): CharSet {
  const chars = charRange(from, to)
  if (!fold) return chars
  const longS = from <= 0x17f && to >= 0x17f ? 1n << 115n : 0n
  const kelvin = from <= 0x212a && to >= 0x212a ? 1n << 107n : 0n
  return bothCases(chars | longS | kelvin)
}

/** Parses the class that opens at `at`; undefined if it has unsupported parts. */
export function readClass(source: string, at: number, fold: boolean): ReadSet | undefined {
  const negated = source[at + 1] === '^'
  const first = at + (negated ? 2 : 1)
  let chars: CharSet = 0n
  let i = first
  while (i < source.length && (source[i] !== ']' || i === first)) {
    const part = readNamed(source, i, fold) ?? readEscapedSet(source, i) ?? readRange(source, i, fold)
    if (part === undefined) return undefined
    chars |= part.chars
    i = part.end
  }
  if (i >= source.length) return undefined
  return { chars: negated ? everyChar & ~chars : chars, end: i + 1 }
}

function readNamed(source: string, at: number, fold: boolean): ReadSet | undefined {
  const match = /^\[:(\^?)([a-z]+):\]/.exec(source.slice(at, at + 12))
  if (match === null || !Object.hasOwn(namedSets, match[2]!)) return undefined
  const named = namedSets[match[2]!]!
  const chars = fold ? bothCases(named) : named
  return { chars: match[1] === '^' ? everyChar & ~chars : chars, end: at + match[0].length }
}

function readEscapedSet(source: string, at: number): ReadSet | undefined {
  const chars = source[at] === '\\' ? escapedSet(source[at + 1] ?? '') : undefined
  return chars === undefined ? undefined : { chars, end: at + 2 }
}

function readRange(source: string, at: number, fold: boolean): ReadSet | undefined {
  const from = readCode(source, at)
  if (from === undefined) return undefined
  const ranges = source[from.end] === '-' && source[from.end + 1] !== ']'
  const to = ranges ? readCode(source, from.end + 1) : from
  return to && { chars: foldedRange(from.code, to.code, fold), end: to.end }
}

function readCode(source: string, at: number) {
  if (source[at] === '\\') return readEscape(source, at)
  const code = source.codePointAt(at)
  return code === undefined ? undefined : { code, end: at + (code > 0xffff ? 2 : 1) }
}

// String literals in double quotes: escapes and template segments.
import { CompileError, type Span } from './diagnostic.ts'

/** A stretch of text, or the variable of a template segment. */
export type StringPart = string | { readonly name: string; readonly span: Span }

const simple: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  '0': '\0',
  '"': '"',
  "'": "'",
  '\\': '\\',
  '{': '{',
  '}': '}'
}
const template = /\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}/y
const unicode = /u\{([0-9A-Fa-f]{1,6})\}/y

/** Reads the literal that starts at `start`; `parts` alternates freely and may be empty. */
export function readString(source: string, start: number): { readonly end: number; readonly parts: StringPart[] } {
  const parts: StringPart[] = []
  let text = ''
  let at = start + 1
  for (;;) {
    const character = source[at]
    if (character === undefined)
      throw new CompileError(
        207,
        'invalid string literal',
        { start, end: start + 1 },
        'the string has no closing quote'
      )
    if (character === '"') break
    if (character === '\\') {
      const sequence = readEscape(source, at)
      text += sequence.text
      at = sequence.end
      continue
    }
    template.lastIndex = at
    const segment = character === '{' ? template.exec(source) : null
    if (segment === null) {
      text += character
      at++
      continue
    }
    if (text !== '') parts.push(text)
    text = ''
    parts.push({ name: segment[1]!, span: { start: at, end: at + segment[0].length } })
    at += segment[0].length
  }
  if (text !== '') parts.push(text)
  return { end: at + 1, parts }
}

function readEscape(source: string, at: number): { readonly text: string; readonly end: number } {
  const next = source[at + 1]
  const span = { start: at, end: at + 2 }
  if (next === undefined) throw new CompileError(207, 'invalid string literal', span, 'the string has no closing quote')
  const text = simple[next]
  if (text !== undefined) return { text, end: at + 2 }
  if (next === '\n') {
    const end = at + 2 + /^\s*/.exec(source.slice(at + 2))![0].length
    return { text: '', end }
  }
  if (next !== 'u')
    throw new CompileError(209, `invalid escape character: \\${next}`, span, `\\${next} is not an escape sequence`)
  unicode.lastIndex = at + 1
  const found = unicode.exec(source)
  const code = found === null ? -1 : Number.parseInt(found[1]!, 16)
  if (code < 0 || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
    throw new CompileError(211, 'invalid unicode escape sequence', span, 'expected \\u{HEX} of a Unicode character')
  return { text: String.fromCodePoint(code), end: at + 1 + found![0].length }
}

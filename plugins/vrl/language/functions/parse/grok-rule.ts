// Parses grok rules: regular expressions with references to matchers, fields and filters.
import { readQuoted } from './quoted.ts'

/** A matcher or filter: a name, optionally with arguments in parentheses. */
export interface RuleCall {
  readonly name: string
  readonly args: readonly RuleArgument[] | undefined
}

export type RuleArgument = string | number | boolean | null | RuleCall

/** `%{matcher:field.path:filter}`. */
export interface Reference {
  readonly matcher: RuleCall
  /** Undefined when no field is named; empty when the result goes into the root. */
  readonly field: readonly string[] | undefined
  readonly filters: readonly RuleCall[]
}

interface Reader {
  readonly text: string
  at: number
}

/** Literal texts and references, in order. Throws an Error with position and cause. */
export function readRule(text: string): readonly (string | Reference)[] {
  const parts: (string | Reference)[] = []
  const reader: Reader = { text, at: 0 }
  for (;;) {
    const start = text.indexOf('%{', reader.at)
    parts.push(text.slice(reader.at, start < 0 ? undefined : start))
    if (start < 0) return parts
    reader.at = start + 2
    parts.push(readReference(reader))
  }
}

function broken({ at, text }: Reader, expected: string): Error {
  const found = at < text.length ? `"${text.slice(at, at + 10)}"` : 'its end'
  return new Error(
    `the rule "${text.slice(0, 200)}" is malformed at position ${at}: expected ${expected}, found ${found}`
  )
}

function skip(reader: Reader, token: string): boolean {
  if (!reader.text.startsWith(token, reader.at)) return false
  reader.at += token.length
  return true
}

function readReference(reader: Reader): Reference {
  const matcher = readCall(reader)
  const field = skip(reader, ':') ? readPath(reader) : undefined
  const filters: RuleCall[] = []
  while (skip(reader, ':')) filters.push(readCall(reader))
  if (!skip(reader, '}')) throw broken(reader, '"}"')
  return { matcher, field, filters }
}

function match(reader: Reader, pattern: RegExp): string | undefined {
  pattern.lastIndex = reader.at
  const found = pattern.exec(reader.text)
  if (found === null) return undefined
  reader.at = pattern.lastIndex
  return found[0]
}

function readCall(reader: Reader): RuleCall {
  const name = match(reader, /[A-Za-z_@][\w@.-]*/y)
  if (name === undefined) throw broken(reader, 'a name')
  return { name, args: skip(reader, '(') ? readArguments(reader) : undefined }
}

function readPath(reader: Reader): string[] {
  const path: string[] = []
  for (;;) {
    const segment = readText(reader) ?? match(reader, /[^\s.:}"'()]+/y)
    if (segment !== undefined) path.push(segment)
    else if (path.length > 0) throw broken(reader, 'a field')
    if (!skip(reader, '.')) return path
  }
}

function readArguments(reader: Reader): RuleArgument[] {
  const args: RuleArgument[] = []
  for (;;) {
    match(reader, /\s+/y)
    if (skip(reader, ')')) return args
    if (args.length > 0 && !skip(reader, ',')) throw broken(reader, '"," or ")"')
    match(reader, /\s+/y)
    args.push(readArgument(reader))
  }
}

const words: Readonly<Record<string, boolean | null>> = { true: true, false: false, null: null }

function readArgument(reader: Reader): RuleArgument {
  const quoted = readText(reader)
  if (quoted !== undefined) return quoted
  const number = match(reader, /[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y)
  if (number !== undefined) return Number(number)
  const call = readCall(reader)
  const word = words[call.name]
  return word === undefined || call.args !== undefined ? call : word
}

/** A quoted text: escaped quotes and backslashes are resolved, other escapes are left to the regular expression. */
function readText(reader: Reader): string | undefined {
  return readQuoted(reader, broken)?.inner.replace(/\\(["'\\])/g, '$1')
}

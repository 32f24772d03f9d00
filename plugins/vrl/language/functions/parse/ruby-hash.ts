// Reading hashes as Ruby prints them.
import { maxDepth } from '../../bounds.ts'
import { type Context, step } from '../../context.ts'
import { type FunctionSpec, fail } from '../../function.ts'
import { bit, kinds, only } from '../../kind.ts'
import { lossy, type Text, type Value } from '../../value.ts'
import { readQuoted } from './quoted.ts'

export const rubyHashParser: FunctionSpec = {
  name: 'parse_ruby_hash',
  summary: 'Reads a hash as Ruby prints it.',
  params: [{ name: 'value', kind: kinds.string }],
  returns: only(kinds.json, bit.object),
  fallible: true,
  prepare:
    ({ context }) =>
    (value: Text) =>
      readRubyHash(context, lossy(value)),
  examples: [
    {
      title: 'A hash',
      source: 'parse_ruby_hash!(s\'{ "a" => 0.5, :b => [1, nil], c: { "d" => true } }\')',
      result: '{"a":0.5,"b":[1,null],"c":{"d":true}}'
    },
    { title: 'Broken', source: 'parse_ruby_hash!("{ a => }")', raises: 'unable to parse ruby hash' }
  ]
}

interface Reader {
  readonly context: Context
  readonly text: string
  at: number
}

export function readRubyHash(context: Context, text: string): Value {
  const reader: Reader = { context, text, at: 0 }
  skipBlanks(reader)
  const value = readHash(reader, 0)
  skipBlanks(reader)
  if (reader.at < text.length) throw broken(reader, 'the end')
  return value
}

function broken({ at, text }: Reader, expected: string) {
  const found = at < text.length ? `"${text.slice(at, at + 20)}"` : 'the end'
  return fail(`unable to parse ruby hash: expected ${expected} at position ${at}, found ${found}`)
}

function skipBlanks(reader: Reader): void {
  const { text } = reader
  while (reader.at < text.length && ' \t\r\n'.includes(text[reader.at]!)) reader.at++
}

function skip(reader: Reader, token: string): boolean {
  skipBlanks(reader)
  if (!reader.text.startsWith(token, reader.at)) return false
  reader.at += token.length
  skipBlanks(reader)
  return true
}

function readHash(reader: Reader, depth: number): Value {
  if (!skip(reader, '{')) throw broken(reader, '"{"')
  const object = new Map<string, Value>()
  while (!skip(reader, '}')) {
    step(reader.context)
    if (object.size > 0 && !skip(reader, ',')) throw broken(reader, '"," or "}"')
    if (object.size > 0 && skip(reader, '}')) return object
    const { name, symbol } = readKey(reader)
    if (!symbol && !skip(reader, '=>') && !skip(reader, ':')) throw broken(reader, '"=>"')
    object.set(name, readValue(reader, depth + 1))
  }
  return object
}

/** `symbol` is true for a key that a colon has ended already. */
function readKey(reader: Reader): { readonly name: string; readonly symbol: boolean } {
  const quoted = readText(reader)
  if (quoted !== undefined) return { name: quoted, symbol: false }
  const word = match(reader, /:?[A-Za-z_][\w]*[?!]?|-?\d+/y)
  if (word === undefined) throw broken(reader, 'a key')
  if (word.startsWith(':')) return { name: word.slice(1), symbol: false }
  return { name: word, symbol: !reader.text.startsWith('=>', reader.at) && skip(reader, ':') }
}

function match(reader: Reader, pattern: RegExp): string | undefined {
  pattern.lastIndex = reader.at
  const found = pattern.exec(reader.text)
  if (found === null) return undefined
  reader.at = pattern.lastIndex
  return found[0]
}

const words: Readonly<Record<string, Value>> = { nil: null, true: true, false: false }

function readValue(reader: Reader, depth: number): Value {
  if (depth > maxDepth) throw broken(reader, `fewer than ${maxDepth} levels`)
  skipBlanks(reader)
  const first = reader.text[reader.at]
  if (first === '{') return readHash(reader, depth)
  if (first === '[') return readArray(reader, depth)
  const quoted = readText(reader)
  if (quoted !== undefined) return quoted
  const number = match(reader, /[+-]?\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?/y)
  if (number !== undefined) return numberOf(number.replaceAll('_', ''))
  const word = match(reader, /:?[A-Za-z_]\w*[?!]?/y)
  if (word?.startsWith(':')) return word.slice(1)
  const value = word === undefined ? undefined : words[word]
  if (value === undefined) throw broken(reader, 'a value')
  return value
}

function numberOf(digits: string): Value {
  if (!/^[+-]?\d+$/.test(digits)) return Number(digits)
  const value = digits.length > 30 ? undefined : BigInt(digits.replace('+', ''))
  return value !== undefined && value === BigInt.asIntN(64, value) ? value : Number(digits)
}

function readArray(reader: Reader, depth: number): Value {
  skip(reader, '[')
  const items: Value[] = []
  while (!skip(reader, ']')) {
    step(reader.context)
    if (items.length > 0 && !skip(reader, ',')) throw broken(reader, '"," or "]"')
    if (items.length > 0 && skip(reader, ']')) return items
    items.push(readValue(reader, depth + 1))
  }
  return items
}

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '0': '\0', e: '\u001b' }

/** A text in double or single quotes; undefined where none begins. */
function readText(reader: Reader): string | undefined {
  const quoted = readQuoted(reader, broken)
  if (quoted === undefined) return undefined
  const { quote, inner } = quoted
  if (quote === "'") return inner.replace(/\\([\\'])/g, '$1')
  return inner.replace(/\\(.)/gs, (_, letter: string) => escapes[letter] ?? letter)
}

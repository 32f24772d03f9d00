// Reading lines of keys and values, as loggers write them.
import { type Context, step } from '../../context.ts'
import { type FunctionSpec, fail } from '../../function.ts'
import { arrayOf, kinds, objectOf, union } from '../../kind.ts'
import { lossy, type Text, type Value } from '../../value.ts'

const one = union(kinds.string, kinds.boolean)
const fields = objectOf({}, union(one, arrayOf(one)))

export const keyValueParsers: readonly FunctionSpec[] = [
  {
    name: 'parse_key_value',
    summary: 'Reads keys and values with a delimiter between them, and another one between pairs.',
    params: [
      { name: 'value', kind: kinds.string },
      { name: 'key_value_delimiter', kind: kinds.string, default: '=' },
      { name: 'field_delimiter', kind: kinds.string, default: ' ' },
      { name: 'whitespace', kind: kinds.string, default: 'lenient', constant: true, oneOf: ['lenient', 'strict'] },
      { name: 'accept_standalone_key', kind: kinds.boolean, default: true }
    ],
    returns: fields,
    fallible: true,
    prepare: call => {
      const lenient = call.constant('whitespace') !== 'strict'
      return (value: Text, pair: Text, field: Text, _: unknown, standalone: boolean) =>
        readPairs(call.context, lossy(value), { pair: lossy(pair), field: lossy(field), lenient, standalone })
    },
    examples: [
      {
        title: 'Plain',
        source: 'parse_key_value!("a=1 b=\\"two words\\" c")',
        result: '{"a":"1","b":"two words","c":true}'
      },
      {
        title: 'Other delimiters',
        source: 'parse_key_value!("path:\\"/cart\\", id:7, id:8", field_delimiter: ",", key_value_delimiter: ":")',
        result: '{"id":["7","8"],"path":"/cart"}'
      },
      {
        title: 'A key without a value',
        source: 'parse_key_value!("a=1 b", accept_standalone_key: false)',
        raises: 'could not parse line successfully'
      }
    ]
  },
  {
    name: 'parse_logfmt',
    summary: 'Reads logfmt: keys and values around equals signs, blanks between them.',
    params: [{ name: 'value', kind: kinds.string }],
    returns: fields,
    fallible: true,
    prepare:
      ({ context }) =>
      (value: Text) =>
        readPairs(context, lossy(value), { pair: '=', field: ' ', lenient: true, standalone: true }),
    examples: [
      {
        title: 'A line',
        source: 'parse_logfmt!("level=info msg=\\"it is up\\" ready")',
        result: '{"level":"info","msg":"it is up","ready":true}'
      }
    ]
  }
]

interface PairSyntax {
  readonly pair: string
  readonly field: string
  /** Whether blanks around a pair's delimiter are ignored. */
  readonly lenient: boolean
  /** Whether a key alone is valid and means true. */
  readonly standalone: boolean
}

interface Reader extends PairSyntax {
  readonly text: string
  at: number
  /** Position of the next pair delimiter; cached, because it would be searched once per key. */
  nextPair: number
  /** Quotes known to have no closing quote. */
  open: string
}

/** The pairs of a line. Values of a repeated key become an array. */
function readPairs(context: Context, text: string, syntax: PairSyntax): ReadonlyMap<string, Value> {
  if (syntax.pair === '' || syntax.field === '') throw fail('delimiters must not be empty')
  const found = new Map<string, Value>()
  const lists = new Map<string, Value[]>()
  const reader: Reader = { ...syntax, text, at: 0, nextPair: -1, open: '' }
  skipBlanks(reader)
  do {
    step(context)
    const key = readKey(reader)
    const value = readValueOf(reader)
    if (value === undefined && (key === '' || !syntax.standalone)) throw fail('could not parse line successfully')
    put(found, lists, key, value ?? true)
  } while (skipDelimiter(reader))
  if (reader.at < text.length) throw fail('could not parse line successfully')
  for (const [key, list] of lists) found.set(key, list)
  return found
}

function put(found: Map<string, Value>, lists: Map<string, Value[]>, key: string, value: Value): void {
  const before = found.get(key)
  if (before === undefined || before === true) {
    found.set(key, value)
    return
  }
  if (value === true) return
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [before, value])
  else list.push(value)
}

/** False at the end of the text; a delimiter with nothing behind it ends the text too. */
function skipDelimiter(reader: Reader): boolean {
  const { text, field } = reader
  if (field === ' ') {
    const start = reader.at
    skipBlanks(reader)
    return reader.at > start && reader.at < text.length
  }
  skipBlanks(reader)
  if (!text.startsWith(field, reader.at)) return false
  reader.at += field.length
  skipBlanks(reader)
  return reader.at < text.length
}

function skipBlanks(reader: Reader): void {
  const { text, field } = reader
  for (;;) {
    const code = text.charCodeAt(reader.at)
    if (code !== 0x20 && code !== 0x09 && code !== 0x0a && code !== 0x0d) return
    if (field !== ' ' && text.startsWith(field, reader.at)) return
    reader.at++
  }
}

function readKey(reader: Reader): string {
  const { text, pair } = reader
  const quoted = readQuoted(reader, end => text.startsWith(pair, end) || isFieldEnd(reader, end) || text[end] === ' ')
  if (quoted !== undefined) return quoted
  if (reader.nextPair < reader.at) {
    const next = text.indexOf(pair, reader.at)
    reader.nextPair = next < 0 ? text.length : next
  }
  const end = Math.min(reader.nextPair, fieldEnd(reader))
  const key = text.slice(reader.at, end).trim()
  reader.at = end
  return key
}

/** The value behind the delimiter; undefined, and nothing read, when there is no delimiter. */
function readValueOf(reader: Reader): string | undefined {
  const { text, pair, lenient } = reader
  const start = reader.at
  if (lenient) skipBlanks(reader)
  if (!text.startsWith(pair, reader.at)) {
    reader.at = start
    return undefined
  }
  reader.at += pair.length
  if (lenient) skipBlanks(reader)
  const quoted = readQuoted(reader, end => isFieldEnd(reader, end))
  if (quoted !== undefined) return quoted
  const end = fieldEnd(reader)
  const value = text.slice(reader.at, end).trim()
  reader.at = end
  return value
}

function fieldEnd({ text, field, at }: Reader): number {
  const end = text.indexOf(field, at)
  return end < 0 ? text.length : end
}

/** Whether the text ends here, or a field delimiter follows, with or without blanks before it. */
function isFieldEnd({ text, field }: Reader, at: number): boolean {
  let end = at
  while (text[end] === ' ' && field !== ' ') end++
  return end >= text.length || text.startsWith(field, end)
}

/** Reads a quoted text if `allowed` accepts the position behind it; otherwise returns undefined and reads nothing. */
function readQuoted(reader: Reader, allowed: (end: number) => boolean): string | undefined {
  const { text, at } = reader
  const quote = text[at]
  if ((quote !== '"' && quote !== "'") || reader.open.includes(quote)) return undefined
  let end = at + 1
  while (end < text.length && text[end] !== quote) end += text[end] === '\\' ? 2 : 1
  if (end >= text.length) {
    reader.open += quote
    return undefined
  }
  if (!allowed(end + 1)) return undefined
  reader.at = end + 1
  return unescapeQuoted(text.slice(at + 1, end))
}

/** Escaped backslashes, quotes and line ends; every other backslash stays. */
function unescapeQuoted(text: string): string {
  if (!text.includes('\\')) return text
  return text.replace(/\\([\\"n])/g, (_, letter: string) => (letter === 'n' ? '\n' : letter))
}

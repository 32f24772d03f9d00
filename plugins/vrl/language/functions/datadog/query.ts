// Parses queries in Datadog's log search syntax: terms, attributes, tags, wildcards, ranges, AND, OR, NOT.
import { maxQueryDepth } from '../../bounds.ts'

/** A word of a query. In a pattern an unescaped `*` matches any text and `?` one character. */
export type Word =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'pattern'; readonly parts: readonly (string | typeof anyText | typeof anyCharacter)[] }

export const anyText = Symbol('*')
const anyCharacter = Symbol('?')

export interface Bound {
  /** Undefined: unbounded. */
  readonly value: string | undefined
  readonly inclusive: boolean
}

export type Query =
  | { readonly kind: 'everything' }
  | { readonly kind: 'not'; readonly query: Query }
  | { readonly kind: 'and' | 'or'; readonly queries: readonly Query[] }
  /** `field` is undefined for free words. */
  | { readonly kind: 'word'; readonly field: string | undefined; readonly word: Word }
  | { readonly kind: 'exists'; readonly field: string }
  | { readonly kind: 'range'; readonly field: string | undefined; readonly low: Bound; readonly high: Bound }

interface Reader {
  readonly text: string
  at: number
  depth: number
}

/** Parses a query. Throws an Error with the reason if it is invalid. */
export function parseQuery(text: string): Query {
  const reader: Reader = { text, at: 0, depth: 0 }
  skipBlanks(reader)
  if (reader.at === text.length) return { kind: 'everything' }
  const query = readOr(reader, undefined)
  if (reader.at < text.length) throw new Error(`unexpected "${text[reader.at]}" at character ${reader.at + 1}`)
  return query
}

function readOr(reader: Reader, field: string | undefined): Query {
  const queries = [readAnd(reader, field)]
  while (take(reader, '||') || takeWord(reader, 'OR')) queries.push(readAnd(reader, field))
  return queries.length === 1 ? queries[0]! : { kind: 'or', queries }
}

function readAnd(reader: Reader, field: string | undefined): Query {
  const queries = [readClause(reader, field)]
  for (;;) {
    const joined = take(reader, '&&') || takeWord(reader, 'AND')
    if (!joined && endsHere(reader)) break
    queries.push(readClause(reader, field))
  }
  return queries.length === 1 ? queries[0]! : { kind: 'and', queries }
}

function endsHere({ text, at }: Reader): boolean {
  return (
    at >= text.length || text[at] === ')' || text.startsWith('||', at) || /^OR(?=[\s(]|$)/.test(text.slice(at, at + 3))
  )
}

function readClause(reader: Reader, field: string | undefined): Query {
  let negative = false
  for (;;) {
    if (take(reader, '-') || take(reader, '!') || takeWord(reader, 'NOT')) negative = !negative
    else if (!take(reader, '+')) break
  }
  const query = readTerm(reader, field)
  return negative ? { kind: 'not', query } : query
}

function readTerm(reader: Reader, field: string | undefined): Query {
  const { text } = reader
  if (text[reader.at] === '(') return readGroup(reader, field)
  if (field !== undefined || text[reader.at] === '"') return readValue(reader, field)
  const word = readWord(reader)
  if (text[reader.at] !== ':') return wordQuery(reader, undefined, word)
  reader.at++
  if (word.kind === 'pattern') return everything(reader, word)
  if (word.text === '_exists_') return { kind: 'exists', field: fieldName(reader) }
  if (word.text === '_missing_') return { kind: 'not', query: { kind: 'exists', field: fieldName(reader) } }
  return readValue(reader, word.text)
}

function readGroup(reader: Reader, field: string | undefined): Query {
  if (++reader.depth > maxQueryDepth) throw new Error(`parentheses are nested more than ${maxQueryDepth} levels`)
  take(reader, '(')
  const query = readOr(reader, field)
  if (!take(reader, ')')) throw new Error('a closing parenthesis is missing')
  reader.depth--
  return query
}

/** `*:*` matches everything, `*:word` is a free word. */
function everything(reader: Reader, { parts }: { readonly parts: readonly unknown[] }): Query {
  if (parts.length !== 1 || parts[0] !== anyText) throw new Error('a field cannot be a pattern')
  const value = readValue(reader, undefined)
  const word = value.kind === 'word' ? value.word : undefined
  return word?.kind === 'pattern' && word.parts.length === 1 && word.parts[0] === anyText
    ? { kind: 'everything' }
    : value
}

function fieldName(reader: Reader): string {
  const word = readWord(reader)
  skipBlanks(reader)
  if (word.kind === 'text') return word.text
  throw new Error('a field cannot be a pattern')
}

function readValue(reader: Reader, field: string | undefined): Query {
  const { text, at } = reader
  if (text[at] === '(') return readGroup(reader, field)
  if (text[at] === '[' || text[at] === '{') return readRange(reader, field)
  if (text[at] === '>' || text[at] === '<') return readComparison(reader, field)
  return wordQuery(reader, field, text[at] === '"' ? readPhrase(reader) : readWord(reader))
}

function wordQuery(reader: Reader, field: string | undefined, word: Word): Query {
  skipBlanks(reader)
  if (word.kind === 'pattern' && word.parts.every(part => part === anyText))
    return field === undefined ? { kind: 'everything' } : { kind: 'exists', field }
  return { kind: 'word', field, word }
}

function readComparison(reader: Reader, field: string | undefined): Query {
  const above = reader.text[reader.at++] === '>'
  const inclusive = reader.text[reader.at] === '='
  if (inclusive) reader.at++
  const bound = { value: boundText(reader), inclusive }
  skipBlanks(reader)
  const none = { value: undefined, inclusive: true }
  return { kind: 'range', field, low: above ? bound : none, high: above ? none : bound }
}

function readRange(reader: Reader, field: string | undefined): Query {
  const low = { inclusive: reader.text[reader.at++] === '[', value: undefined as string | undefined }
  skipBlanks(reader)
  low.value = boundText(reader)
  skipBlanks(reader)
  if (!takeWord(reader, 'TO')) throw new Error('a range must be [low TO high] or {low TO high}')
  const value = boundText(reader)
  skipBlanks(reader)
  const inclusive = take(reader, ']')
  if (!inclusive && !take(reader, '}')) throw new Error('a range must end with ] or }')
  return { kind: 'range', field, low, high: { value, inclusive } }
}

/** Undefined for `*`. */
function boundText(reader: Reader): string | undefined {
  const word = reader.text[reader.at] === '"' ? readPhrase(reader) : readWord(reader)
  if (word.kind === 'text') return word.text
  if (word.parts.length === 1 && word.parts[0] === anyText) return undefined
  throw new Error('a bound cannot be a pattern')
}

function readPhrase(reader: Reader): Word {
  let text = ''
  for (reader.at++; reader.at < reader.text.length; reader.at++) {
    const character = reader.text[reader.at]!
    if (character === '"') {
      reader.at++
      return { kind: 'text', text }
    }
    if (character === '\\') reader.at++
    text += reader.text[reader.at] ?? ''
  }
  throw new Error('a closing quote is missing')
}

const ends = /[\s()[\]{}":]/

function readWord(reader: Reader): Word {
  const parts: (string | typeof anyText | typeof anyCharacter)[] = []
  let text = ''
  const { at: start } = reader
  for (; reader.at < reader.text.length && !ends.test(reader.text[reader.at]!); reader.at++) {
    const character = reader.text[reader.at]!
    if (character === '*' || character === '?') {
      if (text !== '') parts.push(text)
      text = ''
      parts.push(character === '*' ? anyText : anyCharacter)
      continue
    }
    if (character === '\\' && ++reader.at >= reader.text.length)
      throw new Error('nothing stands behind the last backslash')
    text += reader.text[reader.at]
  }
  if (reader.at === start) throw new Error(`a word is missing at character ${start + 1}`)
  if (text !== '') parts.push(text)
  return parts.some(part => typeof part !== 'string')
    ? { kind: 'pattern', parts }
    : { kind: 'text', text: parts.join('') }
}

function take(reader: Reader, token: string): boolean {
  if (!reader.text.startsWith(token, reader.at)) return false
  reader.at += token.length
  skipBlanks(reader)
  return true
}

/** A keyword in capitals, followed by a character that cannot continue it. */
function takeWord(reader: Reader, word: string): boolean {
  const behind = reader.text[reader.at + word.length]
  if (behind !== undefined && !/[\s(]/.test(behind)) return false
  return take(reader, word)
}

function skipBlanks(reader: Reader): void {
  while (/\s/.test(reader.text[reader.at] ?? '')) reader.at++
}

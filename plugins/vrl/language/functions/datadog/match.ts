// Compiles queries in Datadog's log search syntax to predicates on events.
import { getPath } from '../../path.ts'
import {
  compareTexts,
  floatText,
  isArray,
  isObject,
  isText,
  lossy,
  type ObjectValue,
  Regex,
  Timestamp,
  timeText,
  type Value
} from '../../value.ts'
import { anyText, type Bound, type Query, type Word } from './query.ts'

type Matches = (event: ObjectValue) => boolean

/** Fields in which free words are searched. */
const defaultFields = ['message', 'custom.error.message', 'custom.error.stack', 'custom.title', '_default_']
const reserved = new Set(['host', 'source', 'status', 'service', 'trace_id', 'message', 'timestamp', 'tags'])

/** Throws an Error for an invalid name. */
export function compileQuery(query: Query): Matches {
  switch (query.kind) {
    case 'everything':
      return () => true
    case 'not': {
      const matches = compileQuery(query.query)
      return event => !matches(event)
    }
    case 'and': {
      const all = query.queries.map(compileQuery)
      return event => all.every(matches => matches(event))
    }
    case 'or': {
      const any = query.queries.map(compileQuery)
      return event => any.some(matches => matches(event))
    }
    case 'exists':
      return exists(query.field)
    case 'word':
      return query.field === undefined ? anywhere(query.word) : inField(query.field, wordTest(query.word))
    case 'range':
      return range(query.field, query.low, query.high)
  }
}

/** Whole words of the texts of a message. */
function anywhere(word: Word): Matches {
  const regex = new Regex(`\\b${wordPattern(word)}\\b`)
  const readers = defaultFields.map(readPath)
  return event => readers.some(read => read(event).some(value => isText(value) && regex.test(lossy(value))))
}

function wordPattern(word: Word): string {
  if (word.kind === 'text') return escapePattern(word.text)
  return word.parts
    .map(part => (typeof part === 'string' ? escapePattern(part) : part === anyText ? '.*' : '.'))
    .join('')
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}

type Test = (text: string, value: Value) => boolean

function wordTest(word: Word): Test {
  if (word.kind === 'text') return text => text === word.text
  const regex = new Regex(`(?s)^${wordPattern(word)}$`)
  return text => regex.test(text)
}

function inField(field: string, test: Test): Matches {
  const read = readField(field)
  return event => read(event).some(value => test(textOf(value), value))
}

function range(field: string | undefined, low: Bound, high: Bound): Matches {
  if (low.value === undefined && high.value === undefined) return field === undefined ? () => true : exists(field)
  const test: Test = (text, value) => isAbove(text, value, low) && isBelow(text, value, high)
  if (field !== undefined) return inField(field, test)
  const readers = defaultFields.map(readPath)
  return event => readers.some(read => read(event).some(value => test(textOf(value), value)))
}

function isAbove(text: string, value: Value, { value: bound, inclusive }: Bound): boolean {
  if (bound === undefined) return true
  const order = compare(text, value, bound)
  return inclusive ? order >= 0 : order > 0
}

function isBelow(text: string, value: Value, { value: bound, inclusive }: Bound): boolean {
  if (bound === undefined) return true
  const order = compare(text, value, bound)
  return inclusive ? order <= 0 : order < 0
}

const decimal = /^[+-]?(\d+(?:\.\d*)?|\.\d+)$/

/** Compares as numbers if both are numbers, otherwise as texts. */
function compare(text: string, value: Value, bound: string): number {
  const isNumber = typeof value === 'bigint' || typeof value === 'number' || decimal.test(text)
  if (isNumber && decimal.test(bound)) return Number(text) - Number(bound)
  return compareTexts(text, bound)
}

function exists(field: string): Matches {
  if (isTag(field)) {
    const prefix = `${field}:`
    return event => tagsOf(event).some(tag => tag === field || tag.startsWith(prefix))
  }
  const read = readPath(field.startsWith('@') ? field.slice(1) : field)
  return event => read(event).length > 0
}

function isTag(field: string): boolean {
  return !field.startsWith('@') && !reserved.has(field)
}

/** The values of a field in an event; for tags, what follows the name. */
function readField(field: string): (event: ObjectValue) => readonly Value[] {
  if (!isTag(field)) return readPath(field.startsWith('@') ? field.slice(1) : field)
  const prefix = `${field}:`
  return event => tagsOf(event).flatMap(tag => (tag.startsWith(prefix) ? [tag.slice(prefix.length)] : []))
}

function tagsOf(event: ObjectValue): string[] {
  const tags = event.get('tags')
  return isArray(tags) ? tags.filter(isText).map(lossy) : []
}

/** An array counts as each of its items. */
function readPath(path: string): (event: ObjectValue) => readonly Value[] {
  const segments = path.split('.')
  const wrong = segments.find(segment => !/^[\p{L}\p{N}_@-]+$/u.test(segment))
  if (wrong !== undefined) throw new Error(`"${path}" is not a path`)
  return event => {
    const value = getPath(event, segments)
    if (value === undefined) return []
    return isArray(value) ? value : [value]
  }
}

function textOf(value: Value): string {
  if (isText(value)) return lossy(value)
  if (typeof value === 'number') return floatText(value)
  if (value instanceof Timestamp) return timeText(value)
  return isArray(value) || isObject(value) || value instanceof Regex ? '' : String(value)
}

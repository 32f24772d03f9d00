// The transform section of a document: entries to typed columns.
import { type ColumnType, DbError, isTimestamp, type Semantic, timestampType } from '../../../core/compute.ts'
import { readDecimal, readInteger } from '../cell/number.ts'
import { integerRange } from '../column/integer.ts'
import type { Transform, TransformColumn } from '../pipeline.ts'
import { type Document, type Entry, shortText } from './document.ts'
import { parseFields } from './field.ts'
import { parseIndex } from './index-option.ts'
import { parseResolution } from './resolution.ts'

type Refuse = (message: string) => DbError

export function compileTransforms(entries: readonly Entry[], { version, line }: Document): Transform {
  const columns = entries.flatMap(compileEntry)
  const names = new Set<string>()
  for (const { to, where } of columns) {
    if (names.has(to)) throw new DbError('InvalidArguments', `${where}: column ${to} is defined twice`)
    names.add(to)
  }
  const times = columns.filter(({ semantic }) => semantic === 'timestamp')
  if (times.length > 1 || (version === 2 && times.length === 0)) {
    const expected = version === 2 ? 'exactly one' : 'at most one'
    throw new DbError(
      'InvalidArguments',
      `Illegal number of time indexes in transform: expected ${expected} with 'index: timestamp', found ${times.length}${times.length > 1 ? `, the second is ${times[1]!.where}` : line('version')}`
    )
  }
  return { kind: version === 1 ? 'listed' : 'extended', columns }
}

function compileEntry({ value, where }: Entry): TransformColumn[] {
  const refuse: Refuse = message => new DbError('InvalidArguments', `${where}: ${message}`)
  if (!(value instanceof Map)) throw refuse('a transform must be a map')
  const options = value as ReadonlyMap<string, unknown>
  const fields = parseFields(options, refuse)
  if (fields.length === 0) throw refuse('field or fields is required')
  const type = parseType(options.get('type'), refuse)
  const index = parseIndex(options.get('index'), type, refuse)
  if (index.timeIndex && fields.length > 1) throw refuse('a time index has exactly one field')
  if (index.timeIndex && !isTimestamp(type)) throw refuse(`a time index must have type timestamp, not ${type}`)
  const tagged = options.get('tag') ?? false
  if (typeof tagged !== 'boolean') throw refuse('tag must be true or false')
  const semantic: Semantic = index.timeIndex ? 'timestamp' : tagged || index.tag ? 'tag' : 'field'
  const fallback = parseDefault(options.get('default'), type, refuse)
  return fields.map(({ from, to }) => ({
    from,
    to,
    type,
    semantic,
    where,
    onFailure: fallback === undefined ? parseOnFailure(options.get('on_failure'), refuse) : 'default',
    ...(index.column && { index: index.column }),
    ...(fallback !== undefined && { fallback })
  }))
}

const types: Readonly<Record<string, ColumnType>> = {
  int8: 'Int8',
  int16: 'Int16',
  int32: 'Int32',
  int64: 'Int64',
  uint8: 'UInt8',
  uint16: 'UInt16',
  uint32: 'UInt32',
  uint64: 'UInt64',
  float32: 'Float32',
  float64: 'Float64',
  boolean: 'Boolean',
  string: 'String',
  json: 'Json'
}

function parseType(value: unknown, refuse: Refuse): ColumnType {
  if (typeof value !== 'string') throw refuse('type is required and must be a string')
  const [word = '', resolution] = value.split(',').map(text => text.trim().toLowerCase())
  if (word === 'time' || word === 'epoch' || word === 'timestamp') {
    const unit = resolution === undefined ? 'ns' : parseResolution(resolution)
    if (unit === undefined) throw refuse(`Failed to parse type: ${value}: unknown resolution, expected s, ms, us or ns`)
    return timestampType(unit)
  }
  const type = Object.hasOwn(types, word) ? types[word] : undefined
  if (type === undefined || resolution !== undefined) {
    throw refuse(`Failed to parse type: ${value}, expected one of ${Object.keys(types).join(', ')}, timestamp[, unit]`)
  }
  return type
}

function parseOnFailure(value: unknown, refuse: Refuse): TransformColumn['onFailure'] {
  if (value === undefined || value === null) return 'error'
  if (value === 'ignore' || value === 'default') return value
  throw refuse(`on_failure must be ignore or default, not ${shortText(value)}`)
}

function parseDefault(value: unknown, type: ColumnType, refuse: Refuse): bigint | number | string | undefined {
  if (value === undefined || value === null || typeof value === 'object') return undefined
  if (type === 'Json' || isTimestamp(type)) throw refuse(`default is not possible for type ${type}`)
  const text = String(value)
  if (type === 'String') return text
  const bytes = new TextEncoder().encode(text)
  const bad = refuse(`default ${text} does not fit type ${type}`)
  if (type === 'Boolean') {
    if (text !== 'true' && text !== 'false') throw bad
    return text === 'true' ? 1 : 0
  }
  const range = integerRange(type)
  const number = range === undefined ? readDecimal(bytes, 0, bytes.length) : readInteger(bytes, 0, bytes.length)
  if (number === undefined || (range !== undefined && (number < range.least || number > range.greatest))) throw bad
  return range === undefined || range.wide ? number : Number(number)
}

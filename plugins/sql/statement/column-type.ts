// Words for column types.
import { type ColumnType, type TimeUnit, timestampType } from '../../../core/index.ts'
import { invalid, unsupported } from '../error.ts'
import { isToken, locationOf } from '../text/token.ts'
import { type Cursor, peek, readList, readName, take, unexpected } from './cursor.ts'

/** Words for each type. */
const words = {
  Int8: 'tinyint',
  Int16: 'smallint int2 int16',
  Int32: 'int integer int4 int32',
  Int64: 'bigint int8 int64',
  UInt8: 'uint8',
  UInt16: 'uint16',
  UInt32: 'uint32',
  UInt64: 'uint64',
  Float32: 'float float4 float32 real',
  Float64: 'double float8 float64',
  String: 'string text tinytext mediumtext longtext varchar char',
  Binary: 'binary varbinary blob bytea',
  Boolean: 'boolean bool',
  Json: 'json jsonb',
  Date: 'date',
  TimestampSecond: 'timestamp_s',
  TimestampMillisecond: 'timestamp timestamp_ms',
  TimestampMicrosecond: 'datetime timestamp_us timestamptz',
  TimestampNanosecond: 'timestamp_ns'
} satisfies Record<Exclude<ColumnType, `Decimal${string}`>, string>

const types = new Map(
  Object.entries(words).flatMap(([type, list]) => list.split(' ').map(word => [word, type as ColumnType] as const))
)

const unsigned: Partial<Record<ColumnType, ColumnType>> = {
  Int8: 'UInt8',
  Int16: 'UInt16',
  Int32: 'UInt32',
  Int64: 'UInt64'
}
const precisions: Readonly<Record<string, TimeUnit>> = { 0: 's', 3: 'ms', 6: 'us', 9: 'ns' }
const sized = ['varchar', 'char', 'binary', 'varbinary', 'string', 'text', 'blob']

/** Reads a type with its arguments. Throws ParseError or `Unsupported` naming the word. */
export function readType(cursor: Cursor): ColumnType {
  const token = peek(cursor)
  if (token?.kind !== 'word') throw unexpected(cursor, 'a data type')
  const word = readName(cursor).text
  if (word === 'decimal' || word === 'numeric') return decimal(cursor)
  const type = types.get(word)
  if (type === undefined) {
    const instead = word === 'vector' ? ', keep vectors as JSON or BINARY' : ''
    throw unsupported(`data type ${token.value.toUpperCase()} is not supported${instead}`)
  }
  if (word === 'timestamp' || word === 'datetime') return timestamp(cursor, type)
  if (word === 'double') take(cursor, 'precision')
  if (sized.includes(word) && peek(cursor)?.value === '(') readNumbers(cursor)
  if (!take(cursor, 'unsigned')) return type
  const positive = unsigned[type]
  if (positive === undefined) throw unsupported(`${token.value.toUpperCase()} UNSIGNED is not supported`)
  return positive
}

/** The type of a column. Throws `Unsupported` for lists, which only queries have. */
export function readColumnType(cursor: Cursor): ColumnType {
  const type = readType(cursor)
  const next = peek(cursor)
  if (!isToken(next, '[') && !isToken(next, 'array')) return type
  const location = locationOf(cursor.sql, next!.start)
  throw unsupported(`a column holds no list${location}: keep lists as JSON, and read them as x::INT[]`)
}

function timestamp(cursor: Cursor, type: ColumnType): ColumnType {
  if (peek(cursor)?.value !== '(') return type
  const [precision] = readNumbers(cursor)
  const unit = precisions[String(precision)]
  if (unit === undefined) {
    throw invalid(`a timestamp has precision 0, 3, 6 or 9, not ${precision}`)
  }
  return timestampType(unit)
}

function decimal(cursor: Cursor): ColumnType {
  const [precision = 38, scale = 0] = peek(cursor)?.value === '(' ? readNumbers(cursor) : [38, 10]
  if (precision < 1 || precision > 38 || scale > precision) {
    throw invalid(`DECIMAL(${precision}, ${scale}): precision is 1 to 38, scale at most that`)
  }
  return `Decimal(${precision}, ${scale})`
}

function readNumbers(cursor: Cursor): number[] {
  return readList(cursor, () => {
    const token = peek(cursor)
    if (token?.kind !== 'number' || !/^\d+$/.test(token.value)) throw unexpected(cursor, 'a number')
    cursor.at++
    return Number(token.value)
  })
}

// Words for column types.
import { type ColumnType, DbError, type TimeUnit, timestampType } from '../../../core/index.ts'
import { type Cursor, peek, readList, readName, take, unexpected } from './cursor.ts'

const types: Readonly<Record<string, ColumnType>> = {
  tinyint: 'Int8',
  smallint: 'Int16',
  int2: 'Int16',
  int16: 'Int16',
  int: 'Int32',
  integer: 'Int32',
  int4: 'Int32',
  int32: 'Int32',
  bigint: 'Int64',
  int64: 'Int64',
  int8: 'Int64',
  uint8: 'UInt8',
  uint16: 'UInt16',
  uint32: 'UInt32',
  uint64: 'UInt64',
  float: 'Float32',
  float4: 'Float32',
  float32: 'Float32',
  real: 'Float32',
  double: 'Float64',
  float8: 'Float64',
  float64: 'Float64',
  string: 'String',
  text: 'String',
  tinytext: 'String',
  mediumtext: 'String',
  longtext: 'String',
  varchar: 'String',
  char: 'String',
  binary: 'Binary',
  varbinary: 'Binary',
  blob: 'Binary',
  bytea: 'Binary',
  boolean: 'Boolean',
  bool: 'Boolean',
  json: 'Json',
  jsonb: 'Json',
  date: 'Date',
  datetime: 'TimestampMicrosecond',
  timestamp: 'TimestampMillisecond',
  timestamp_s: 'TimestampSecond',
  timestamp_ms: 'TimestampMillisecond',
  timestamp_us: 'TimestampMicrosecond',
  timestamp_ns: 'TimestampNanosecond'
}

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
  const type = Object.hasOwn(types, word) ? types[word]! : undefined
  if (type === undefined) {
    const instead = word === 'vector' ? ', keep vectors as JSON or BINARY' : ''
    throw new DbError('Unsupported', `data type ${token.value.toUpperCase()} is not supported${instead}`)
  }
  if (word === 'timestamp' || word === 'datetime') return timestamp(cursor, type)
  if (word === 'double') take(cursor, 'precision')
  if (sized.includes(word) && peek(cursor)?.value === '(') readNumbers(cursor)
  if (!take(cursor, 'unsigned')) return type
  const positive = unsigned[type]
  if (positive === undefined) throw new DbError('Unsupported', `${token.value.toUpperCase()} UNSIGNED is not supported`)
  return positive
}

function timestamp(cursor: Cursor, type: ColumnType): ColumnType {
  if (peek(cursor)?.value !== '(') return type
  const [precision] = readNumbers(cursor)
  const unit = precisions[String(precision)]
  if (unit === undefined) {
    throw new DbError('InvalidArguments', `a timestamp has precision 0, 3, 6 or 9, not ${precision}`)
  }
  return timestampType(unit)
}

function decimal(cursor: Cursor): ColumnType {
  const [precision = 38, scale = 0] = peek(cursor)?.value === '(' ? readNumbers(cursor) : [38, 10]
  if (precision < 1 || precision > 38 || scale > precision) {
    throw new DbError('InvalidArguments', `DECIMAL(${precision}, ${scale}): precision is 1 to 38, scale at most that`)
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

// The storage engine's words for types, and those of CREATE TABLE for these.
import { type ColumnType, isTimestamp, sqlTypeName, type TimeUnit, timeUnit } from '../../../core/index.ts'

/** Of times without a zone. */
export const timeTypes: Readonly<Record<TimeUnit, string>> = {
  s: 'TIMESTAMP_S',
  ms: 'TIMESTAMP_MS',
  us: 'TIMESTAMP',
  ns: 'TIMESTAMP_NS'
}

const unsigned: Partial<Record<ColumnType, string>> = {
  UInt8: 'UTINYINT',
  UInt16: 'USMALLINT',
  UInt32: 'UINTEGER',
  UInt64: 'UBIGINT'
}

export function engineType(type: ColumnType): string {
  return isTimestamp(type) ? timeTypes[timeUnit(type)] : (unsigned[type] ?? sqlTypeName(type))
}

const units = new Map(Object.entries(timeTypes).map(([unit, type]) => [type, unit as TimeUnit]))

/** Undefined for a word that is not a time without a zone. */
export function engineTimeUnit(type: string): TimeUnit | undefined {
  return units.get(type)
}

const columnTypes = [
  ...(['Boolean', 'Int8', 'Int16', 'Int32', 'Int64', 'UInt8', 'UInt16', 'UInt32', 'UInt64'] as const),
  ...(['TimestampSecond', 'TimestampMillisecond', 'TimestampMicrosecond', 'TimestampNanosecond'] as const)
]
const shown = new Map<string, string>([
  ...columnTypes.flatMap(type =>
    [type.toUpperCase(), engineType(type)].map(word => [word, sqlTypeName(type)] as const)
  ),
  ['BOOL', 'BOOLEAN'],
  ['INT128', 'HUGEINT'],
  ['UINT128', 'UHUGEINT'],
  ['INTEGER', 'INT'],
  ['INTEGER_LITERAL', 'INT'],
  ['VARCHAR', 'STRING'],
  ['STRING_LITERAL', 'STRING']
])

/** The engine's words for types in a text, as CREATE TABLE has them. */
export function inOurTypes(text: string): string {
  return text.replace(/\bTIMESTAMP WITH TIME ZONE\b|\b[A-Z][A-Z_0-9]+\b/g, word => shown.get(word) ?? word)
}

// The storage engine's words for types, and those of CREATE TABLE for these.
import { duckdbTimeTypes, duckdbType, sqlTypeName, type TimeUnit } from '../../../core/index.ts'

const units = new Map<string, TimeUnit>(Object.entries(duckdbTimeTypes).map(([unit, type]) => [type, unit as TimeUnit]))

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
    [type.toUpperCase(), duckdbType(type)].map(word => [word, sqlTypeName(type)] as const)
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

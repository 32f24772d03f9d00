// Data types of columns: their names in results, in DDL and in memory.

/** The unit of a timestamp. */
export type TimeUnit = 's' | 'ms' | 'us' | 'ns'

/** The timestamp types, one per unit. */
export type TimestampType = 'TimestampSecond' | 'TimestampMillisecond' | 'TimestampMicrosecond' | 'TimestampNanosecond'

/** Types of table columns. Results, DESC and CSV show these names. */
export type ColumnType =
  | 'Boolean'
  | 'Int8'
  | 'Int16'
  | 'Int32'
  | 'Int64'
  | 'UInt8'
  | 'UInt16'
  | 'UInt32'
  | 'UInt64'
  | 'Float32'
  | 'Float64'
  | 'String'
  | 'Binary'
  | 'Json'
  | 'Date'
  | TimestampType
  | `Decimal(${number}, ${number})`

/** Types without parameters. A `Record<NamedType, …>` must list each of them. */
export type NamedType = Exclude<ColumnType, `Decimal(${number}, ${number})`>

/** Types of result columns: all column types, and those of expressions (`List<…>`, `IntervalMonthDayNano`, `Null` …). */
export type ResultType = ColumnType | (string & {})

/** Units per second. */
export const unitsPerSecond: Readonly<Record<TimeUnit, bigint>> = {
  s: 1n,
  ms: 1_000n,
  us: 1_000_000n,
  ns: 1_000_000_000n
}

const timestamps: Readonly<Record<TimeUnit, TimestampType>> = {
  s: 'TimestampSecond',
  ms: 'TimestampMillisecond',
  us: 'TimestampMicrosecond',
  ns: 'TimestampNanosecond'
}

const units: Readonly<Record<TimestampType, TimeUnit>> = {
  TimestampSecond: 's',
  TimestampMillisecond: 'ms',
  TimestampMicrosecond: 'us',
  TimestampNanosecond: 'ns'
}

/** The timestamp type of a unit. */
export function timestampType(unit: TimeUnit): TimestampType {
  return timestamps[unit]
}

/** Whether a type is a timestamp. */
export function isTimestamp(type: ResultType): type is TimestampType {
  return type in units
}

/** The unit of a timestamp type. */
export function timeUnit(type: TimestampType): TimeUnit {
  return units[type]
}

/** Elements of the typed array per row: 2 for decimals above 18 digits (the low word first), else 1. */
export function elementsPerRow(type: ColumnType): 1 | 2 {
  return type.startsWith('Decimal') && decimalDigits(type) > 18 ? 2 : 1
}

/** The precision: first number of `Decimal(p, s)`. */
function decimalDigits(type: ColumnType): number {
  return Number(/\d+/.exec(type)?.[0] ?? 0)
}

/** The canonical type name in DDL, for example `BIGINT UNSIGNED` or `TIMESTAMP(3)`. */
export function sqlTypeName(type: ColumnType): string {
  if (type.startsWith('Decimal')) return type.toUpperCase()
  return sqlNames[type as NamedType]
}

const sqlNames: Readonly<Record<NamedType, string>> = {
  Boolean: 'BOOLEAN',
  Int8: 'TINYINT',
  Int16: 'SMALLINT',
  Int32: 'INT',
  Int64: 'BIGINT',
  UInt8: 'TINYINT UNSIGNED',
  UInt16: 'SMALLINT UNSIGNED',
  UInt32: 'INT UNSIGNED',
  UInt64: 'BIGINT UNSIGNED',
  Float32: 'FLOAT',
  Float64: 'DOUBLE',
  String: 'STRING',
  Binary: 'VARBINARY',
  Json: 'JSON',
  Date: 'DATE',
  TimestampSecond: 'TIMESTAMP(0)',
  TimestampMillisecond: 'TIMESTAMP(3)',
  TimestampMicrosecond: 'TIMESTAMP(6)',
  TimestampNanosecond: 'TIMESTAMP(9)'
}

/** The class of typed array that holds a type's values. */
export function fixedArray(type: ColumnType) {
  switch (type) {
    case 'Boolean':
    case 'UInt8':
      return Uint8Array
    case 'Int8':
      return Int8Array
    case 'Int16':
      return Int16Array
    case 'UInt16':
      return Uint16Array
    case 'Int32':
    case 'Date':
      return Int32Array
    case 'UInt32':
      return Uint32Array
    case 'UInt64':
      return BigUint64Array
    case 'Float32':
      return Float32Array
    case 'Float64':
      return Float64Array
    default:
      return BigInt64Array
  }
}

/** A decimal from its unscaled integer. */
export function decimalText(unscaled: bigint, scale: number): string {
  if (scale === 0) return String(unscaled)
  const digits = (unscaled < 0n ? -unscaled : unscaled).toString().padStart(scale + 1, '0')
  return `${unscaled < 0n ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`
}

/** Bits of an integer type, and whether it has negative values; undefined for other types. */
export function integerSize(type: ColumnType): { readonly bits: number; readonly signed: boolean } | undefined {
  const found = /^(U?)Int(\d+)$/.exec(type)
  return found === null ? undefined : { bits: Number(found[2]), signed: found[1] === '' }
}

/** Whether values of a type are byte sequences of any length. */
export function isBytesType(type: ColumnType): boolean {
  return type === 'String' || type === 'Json' || type === 'Binary'
}

/** Whether a text is the name of a column type. */
export function isColumnType(type: unknown): type is ColumnType {
  if (typeof type !== 'string') return false
  const [, digits, scale] = /^Decimal\((\d{1,2}), (\d{1,2})\)$/.exec(type) ?? []
  if (digits === undefined) return Object.hasOwn(sqlNames, type)
  return Number(digits) >= 1 && Number(digits) <= 38 && Number(scale) <= Number(digits)
}

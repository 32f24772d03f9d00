// Names and types in ClickHouse's SQL.
import { createHash } from 'node:crypto'
import type { Semantic } from '../../model/table.ts'
import { type ColumnType, isTimestamp, timeUnit } from '../../model/types.ts'

/** A quoted identifier. */
export function quoteName(name: string): string {
  return `\`${name.replaceAll('\\', '\\\\').replaceAll('`', '\\`')}\``
}

/** A string literal. */
export function quoteText(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\0', '\\0')}'`
}

/** Matches string literals and quoted names. */
export const quotedPattern = /'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*"|`(?:[^`\\]|\\.|``)*`/gs

/** Maximum bytes of a name in the cluster's file names, where all characters but letters, digits and `_` take three. */
const maxFileBytes = { database: 80, table: 100 }

/**
 * The cluster's name for a user's database or table: the same unless it is too long for a file name, or could be one of the driver's, which
 * begin with or contain two underscores.
 */
export function storedName(what: 'database' | 'table', name: string): string {
  const bytes = Buffer.from(name)
  const fileBytes = bytes.reduce((sum, byte) => sum + (/\w/.test(String.fromCharCode(byte)) ? 1 : 3), 0)
  if (fileBytes <= maxFileBytes[what] && !name.includes('__')) return name
  const readable = name.replace(/[^A-Za-z0-9]+/g, '_').slice(0, 20)
  return `${readable}__${createHash('sha256').update(name).digest('hex').slice(0, 16)}`
}

/** A database without tables. Statements of users run there, so a name without a database never refers to an existing table. */
export function emptyDatabase(prefix: string): string {
  return `${prefix}__empty`
}

/** The cluster's name for a user's column; the driver's own begin with two underscores. */
export function storedColumn(name: string): string {
  return name.startsWith('__') ? `_${name}` : name
}

/** Fraction digits of a timestamp type. */
function timeDigits(type: ColumnType): 0 | 3 | 6 | 9 {
  return isTimestamp(type) ? ({ s: 0, ms: 3, us: 6, ns: 9 } as const)[timeUnit(type)] : 0
}

/** The type of a column; only the time index is not nullable. */
export function storedType(type: ColumnType, semantic: Semantic): string {
  const bare = bareType(type)
  if (semantic === 'timestamp') return bare
  if (semantic === 'tag' && type === 'String') return 'LowCardinality(Nullable(String))'
  return `Nullable(${bare})`
}

/** Like `storedType`, not nullable. */
export function bareType(type: ColumnType): string {
  if (isTimestamp(type)) return `DateTime64(${timeDigits(type)}, 'UTC')`
  if (type === 'Boolean') return 'Bool'
  if (type === 'Date') return 'Date32'
  if (type === 'Json' || type === 'Binary') return 'String'
  return type
}

/** A time in its column's unit, as a literal of the column's type; the text form would end in 2299. */
export function timeLiteral(type: ColumnType, value: bigint): string {
  return `reinterpret(toInt64(${value}), ${quoteText(bareType(type))})`
}

/** An integer expression for a time, in its column's unit. */
export function timeInteger(type: ColumnType, expression: string): string {
  const unit = { 0: 'Second', 3: 'Milli', 6: 'Micro', 9: 'Nano' }[timeDigits(type)]
  return `toUnixTimestamp64${unit}(${expression})`
}

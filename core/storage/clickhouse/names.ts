// Names and types in ClickHouse's SQL.
import { createHash } from 'node:crypto'
import type { Semantic } from '../../model/table.ts'
import { type ColumnType, isTimestamp, timeUnit } from '../../model/types.ts'

/** An identifier, whatever is in it. */
export function quoteName(name: string): string {
  return `\`${name.replaceAll('\\', '\\\\').replaceAll('`', '\\`')}\``
}

/** A literal of a text. */
export function quoteText(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\0', '\\0')}'`
}

/** Texts and quoted names. */
export const quotedPattern = /'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*"|`(?:[^`\\]|\\.|``)*`/gs

/** Bytes a name may take in names of the cluster's own files, where all but letters, digits and `_` take three. */
const maxFileBytes = { database: 80, table: 100 }

/**
 * A name for a database or table of a user: his own unless it is too long for a file of the cluster or looks like one of the driver's,
 * whose names begin with or contain two underscores.
 */
export function storedName(what: 'database' | 'table', name: string): string {
  const bytes = Buffer.from(name)
  const fileBytes = bytes.reduce((sum, byte) => sum + (/\w/.test(String.fromCharCode(byte)) ? 1 : 3), 0)
  if (fileBytes <= maxFileBytes[what] && !name.includes('__')) return name
  const readable = name.replace(/[^A-Za-z0-9]+/g, '_').slice(0, 20)
  return `${readable}__${createHash('sha256').update(name).digest('hex').slice(0, 16)}`
}

/** A database that never has a table: statements of users run there, so that a name without a database is never somebody's table. */
export function emptyDatabase(prefix: string): string {
  return `${prefix}__empty`
}

/** A name for a column of a user: the driver's own begin with two underscores. */
export function storedColumn(name: string): string {
  return name.startsWith('__') ? `_${name}` : name
}

/** Digits of a second that a time keeps. */
export function timeDigits(type: ColumnType): 0 | 3 | 6 | 9 {
  return isTimestamp(type) ? ({ s: 0, ms: 3, us: 6, ns: 9 } as const)[timeUnit(type)] : 0
}

/** The type of a column: only the time index takes no nulls. */
export function storedType(type: ColumnType, semantic: Semantic): string {
  const bare = bareType(type)
  if (semantic === 'timestamp') return bare
  if (semantic === 'tag' && type === 'String') return 'LowCardinality(Nullable(String))'
  return `Nullable(${bare})`
}

/** The same without nulls. */
export function bareType(type: ColumnType): string {
  if (isTimestamp(type)) return `DateTime64(${timeDigits(type)}, 'UTC')`
  if (type === 'Boolean') return 'Bool'
  if (type === 'Date') return 'Date32'
  if (type === 'Json' || type === 'Binary') return 'String'
  return type
}

/** A time in its column's own unit, as a value of the column's type; text of a time would end in 2299. */
export function timeLiteral(type: ColumnType, value: bigint): string {
  return `reinterpret(toInt64(${value}), ${quoteText(bareType(type))})`
}

/** A time of a column in its own unit, as an integer. */
export function timeInteger(type: ColumnType, expression: string): string {
  const unit = { 0: 'Second', 3: 'Milli', 6: 'Micro', 9: 'Nano' }[timeDigits(type)]
  return `toUnixTimestamp64${unit}(${expression})`
}

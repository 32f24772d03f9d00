// The differences between the SQL of storage engines; plugins write the rest in the way both understand.
import type { ColumnType, TimestampType } from '../../model/types.ts'
import type { Steps } from '../../pace.ts'

/**
 * One dialect. Arguments called `sql` and the like are expressions, results are expressions; nulls stay nulls where nothing else is said.
 */
export interface Dialect {
  readonly name: 'duckdb' | 'clickhouse'
  /** Whether a backslash in a text of users' statements escapes the next character. */
  readonly backslashEscapes: boolean

  /** A name, whatever is in it. */
  quoteName(name: string): string
  /** A text as a constant. */
  quoteText(text: string): string
  /** Bytes as a constant, of hexadecimal digits. */
  quoteBytes(digits: string): string

  /** Fails for values that do not fit. */
  cast(sql: string, type: ColumnType): string
  /** Null for values that do not fit. */
  tryCast(sql: string, type: ColumnType): string
  /** Anything as text. */
  text(sql: string): string
  /** A computed value as a column of the result, of exactly this type. */
  result(sql: string, type: ColumnType): string
  /** A whole number of any length, written in a text, to be compared with whole numbers. */
  wideInteger(sql: string): string

  /** A constant time of a column's type, of its own unit; a time out of range becomes the first or last one. */
  time(type: TimestampType, ticks: bigint, constant: (value: bigint) => string): string
  /** A time as a whole number of its own unit. */
  ticks(type: TimestampType, time: string): string
  /** A time of any type as milliseconds or nanoseconds, whole numbers. */
  milliseconds(time: string): string
  nanoseconds(time: string): string
  /** So much later, an interval of the dialect. */
  later(time: string, interval: string): string
  /** Days since 1970 as a date. */
  date(days: string): string
  /** A time of the same type: the beginning of the second, minute … year (a text, Monday begins a week) it lies in, in UTC. */
  truncate(type: TimestampType, unit: string, time: string): string
  /** A time of the same type: the beginning of its bucket of so many microseconds, counted from 1970. */
  bucket(type: TimestampType, microseconds: string, time: string): string
  /** Whole seconds since 1970. */
  seconds(type: TimestampType, time: string): string

  lower(text: string): string
  upper(text: string): string
  /** Characters. */
  length(text: string): string
  reverse(text: string): string
  /** Of both ends, the left one or the right one. */
  trim(text: string, end?: 'left' | 'right'): string
  md5(text: string): string
  /** Of a negative number all but so many from the other end. */
  left(text: string, count: string): string
  right(text: string, count: string): string
  /** Counted from 1, from the end where negative. */
  substring(text: string, from: string, length?: string): string
  /** The part of that number, from 1; empty where there is none. */
  splitPart(text: string, by: string, part: string): string
  /** From 1; 0 where it is not in the text. */
  position(text: string, part: string): string
  /** Nulls are left out. */
  concat(texts: readonly string[]): string
  contains(text: string, part: string): string
  startsWith(text: string, part: string): string
  endsWith(text: string, part: string): string

  /** A regular expression in RE2's syntax, as a constant of the functions below means it. */
  pattern(regex: string): string
  /** Whether it is found somewhere. */
  matches(text: string, pattern: string): string
  /** The text of the group in the first match; null where nothing is found. */
  extract(text: string, pattern: string, group: string): string
  /** Every match is replaced by a plain text. */
  replaceAll(text: string, pattern: string, by: string): string
  /** A text as a part of a regular expression that finds it. */
  escapeRegex(text: string): string

  /**
   * What lies at a path in JSON, as text: that of a text, anything else as JSON; null where there is nothing, or no JSON. `constant` puts a
   * text into the statement.
   */
  jsonText(json: string, path: JsonPath, constant: (text: string) => string): string
  /** Whether one of the elements of a list has this text at the path. */
  jsonListHas(json: string, path: JsonPath, text: string, constant: (text: string) => string): string
  base64(bytes: string): string

  isTrue(sql: string): string
  isFalse(sql: string): string
  /** A calculation whose result is null where it leaves 64 bits, or divides by zero. */
  calculate(left: string, op: '+' | '-' | '*' | '/' | '%', right: string, whole: boolean): string
  round(value: string, digits: string): string

  /** Of rows that meet a condition. */
  countIf(condition: string): string
  anyTrue(sql: string): string
  /** Of values that differ, about. */
  countDistinctAbout(value: string): string
  /** The value in the row where the other is least or greatest. */
  argMin(value: string, by: string): string
  argMax(value: string, by: string): string
  /** Null of no rows, of which the least and the greatest of a time index have no null. */
  min(value: string): string
  max(value: string): string
  standardDeviation(value: string, of: 'sample' | 'population'): string
  variance(value: string): string
  median(value: string): string
  /** About; `fraction` is a constant from 0 to 1. */
  quantile(value: string, fraction: string): string

  /**
   * Rows of constants, to stand where a table does: columns with their types in DuckDB's words and, column by column, texts of the cells.
   */
  rows(
    columns: readonly (readonly [name: string, type: string])[],
    cells: readonly (readonly (string | null)[])[]
  ): Steps<string>
}

/** Names of members, and indexes of elements from 0. */
export type JsonPath = readonly (string | number)[]

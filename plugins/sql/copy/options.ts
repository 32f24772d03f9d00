// Options of COPY … WITH (…), checked.
import { DbError } from '../../../core/index.ts'
import type { Texts } from '../statement/statement.ts'

export interface CopyOptions {
  readonly format: 'parquet' | 'csv' | 'json'
  readonly compression: string
  /** CSV: a line with the names of the columns. */
  readonly header: boolean
  /** CSV: one character. */
  readonly delimiter: string
  /** Rows from this time on, and before that one, as written. */
  readonly start_time?: string
  readonly end_time?: string
  /** At most so many rows. */
  readonly limit?: number
}

const compressions = {
  parquet: ['zstd', 'snappy', 'gzip', 'none'],
  csv: ['none', 'gzip', 'zstd'],
  json: ['none', 'gzip', 'zstd']
}

const names: Readonly<Record<string, keyof CopyOptions>> = {
  format: 'format',
  compression: 'compression',
  compression_type: 'compression',
  header: 'header',
  headers: 'header',
  delimiter: 'delimiter',
  start_time: 'start_time',
  end_time: 'end_time',
  limit: 'limit'
}

/** Throws `InvalidArguments` naming the option and what it takes. Without a format the ending of the file decides. */
export function copyOptions(path: string, texts: Texts): CopyOptions {
  const given: Partial<Record<keyof CopyOptions, string>> = {}
  for (const [key, text] of Object.entries(texts)) {
    const name = Object.hasOwn(names, key.toLowerCase()) ? names[key.toLowerCase()] : undefined
    if (name === undefined) throw invalid(`unknown option ${key}, expected one of ${Object.keys(names).join(', ')}`)
    given[name] = text
  }
  const format = oneOf('format', given.format ?? byEnding(path), ['parquet', 'csv', 'json'])
  if (format !== 'csv' && (given.header ?? given.delimiter) !== undefined) {
    throw invalid(`header and delimiter are options of the format csv, not ${format}`)
  }
  const compression = given.compression ?? (format === 'parquet' ? 'zstd' : packed(path))
  return {
    format,
    compression: oneOf(
      `compression of ${format}`,
      compression === 'uncompressed' ? 'none' : compression,
      compressions[format]
    ),
    header: oneOf('header', given.header ?? 'true', ['true', 'false']) === 'true',
    delimiter: readDelimiter(given.delimiter ?? ','),
    ...(given.start_time !== undefined && { start_time: given.start_time }),
    ...(given.end_time !== undefined && { end_time: given.end_time }),
    ...(given.limit !== undefined && { limit: readLimit(given.limit) })
  }
}

function byEnding(path: string): CopyOptions['format'] {
  if (/\.csv(\.\w+)?$/i.test(path)) return 'csv'
  return /\.(nd)?json(l)?(\.\w+)?$/i.test(path) ? 'json' : 'parquet'
}

function packed(path: string): string {
  if (/\.gz$/i.test(path)) return 'gzip'
  return /\.zst$/i.test(path) ? 'zstd' : 'none'
}

function oneOf<T extends string>(name: string, text: string, allowed: readonly T[]): T {
  const found = allowed.find(word => word === text.toLowerCase())
  if (found !== undefined) return found
  throw invalid(`${name} must be one of ${allowed.join(', ')}, got ${text}`)
}

function readDelimiter(text: string): string {
  const sign = text === '\\t' ? '\t' : text
  if (/^[\x20-\x7e\t]$/.test(sign) && sign !== '"') return sign
  throw invalid(`delimiter must be one character, got ${JSON.stringify(text)}`)
}

function readLimit(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw invalid(`limit must be an integer from 0, got ${text}`)
}

function invalid(message: string): DbError {
  return new DbError('InvalidArguments', `COPY: ${message}`)
}

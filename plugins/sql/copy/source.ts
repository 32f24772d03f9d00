// Files as the engine reads them: a table function, and how each of its columns becomes a value of a table's column.
import { duckdbType, isTimestamp, type TableColumn } from '../../../core/index.ts'
import { quoteName, quoteText } from '../text/token.ts'
import type { CopyOptions } from './options.ts'

/** Values of CSV and JSON come as text: what type they have is the table's to say. */
export function fileRows(path: string, { format, compression, header, delimiter }: CopyOptions): string {
  const file = quoteText(path)
  if (format === 'parquet') return `read_parquet(${file})`
  const packing = `compression = ${quoteText(compression === 'none' ? 'uncompressed' : compression)}`
  if (format === 'csv') {
    const text = `all_varchar = true, allow_quoted_nulls = false, comment = '', skip = 0, quote = '"', escape = '"', sample_size = -1`
    return `read_csv(${file}, header = ${header}, delim = ${quoteText(delimiter)}, ${text}, ${packing})`
  }
  return `read_json(${file}, format = 'auto', sample_size = -1, ${packing})`
}

/** The engine converts numbers; times, bytes and the rest are read with our own rules. */
export function cellOf(format: CopyOptions['format'], from: string, { type }: TableColumn): string {
  const name = quoteName(from)
  if (format === 'parquet') return name
  const number = /^(U?Int\d+|Float\d+)$/.test(type)
  if (number) return `CAST(${name} AS ${duckdbType(type)})`
  if (type === 'Binary') return `CAST(${name} AS BLOB)`
  if (format === 'csv') return name
  // Numbers stay numbers for timestamps: they are in the column's unit.
  if (isTimestamp(type)) return `CAST(${name} AS VARCHAR)`
  return type === 'Json' ? `CAST(to_json(${name}) AS JSON)` : `CAST(${name} AS VARCHAR)`
}

// Files of the spool in SQL.

import type { FileColumn } from '../datafile/stored-column.ts'
import { duckdbType, quoteName, quoteText } from '../duckdb/index.ts'
import type { SpoolFile } from './spool.ts'

/** A table expression for the rows of files with these columns, in the columns' types. */
export function readSpooled(files: readonly SpoolFile[], columns: readonly FileColumn[]): string {
  const read = `read_parquet([${files.map(({ path }) => quoteText(path)).join(', ')}])`
  // Parquet knows no seconds, and DuckDB reads milliseconds as microseconds.
  const replaced = columns
    .filter(({ type }) => type === 'TimestampSecond' || type === 'TimestampMillisecond')
    .map(({ name, type }) => `${quoteName(name)}::${duckdbType(type)} AS ${quoteName(name)}`)
  return replaced.length === 0 ? read : `(SELECT * REPLACE (${replaced.join(', ')}) FROM ${read})`
}

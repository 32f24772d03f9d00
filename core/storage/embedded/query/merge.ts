// Versions of a row: how the newest is found, in SQL over rows that carry the hidden columns.
import type { Table, TableColumn } from '../../../model/table.ts'
import { hasSeries, storedColumns } from '../catalog/logical.ts'
import { quoteName } from '../duckdb/index.ts'

interface MergeOptions {
  /** Keeps rows that hide others, because the hidden ones may be in other files. */
  readonly keepDeletes: boolean
  /** Columns of the rows besides the hidden ones; default all of the table. */
  readonly columns?: readonly TableColumn[]
}

/** `SELECT …` of the hidden and all columns with one version of each row; append tables keep every row. */
export function mergeVersions(table: Table, rows: string, options: MergeOptions): string {
  if (table.options.append_mode) return rows
  return table.options.merge_mode === 'last_non_null'
    ? lastNonNull(table, rows, options)
    : lastRow(table, rows, options)
}

/** Two rows are versions of one if they have the same series and time. */
function rowKey(table: Table): string {
  return [...(hasSeries(table) ? ['__tsid'] : []), quoteName(table.timeIndex.physical)].join(', ')
}

function lastRow(table: Table, rows: string, { keepDeletes }: MergeOptions): string {
  const rank = `row_number() OVER (PARTITION BY ${rowKey(table)} ORDER BY __seq DESC)`
  const ranked = `SELECT *, ${rank} AS __rank FROM (${rows})`
  return `SELECT * EXCLUDE (__rank) FROM (${ranked}) WHERE __rank = 1${keepDeletes ? '' : ' AND __op = 0'}`
}

/** Field by field over the versions since the last delete; the delete itself stays as a row of its own where it is kept. */
function lastNonNull(
  table: Table,
  rows: string,
  { keepDeletes, columns: all = storedColumns(table) }: MergeOptions
): string {
  const deleted = `max(__seq) FILTER (__op = 1) OVER (PARTITION BY ${rowKey(table)})`
  const marked = `SELECT *, ${deleted} AS __deleted FROM (${rows})`
  const columns = all.map(column => {
    const name = quoteName(column.physical)
    if (column.semantic === 'timestamp') return name
    // By a number with a sign every bit of a float stays: by any other, arg_max goes by sort keys.
    return column.semantic === 'tag' ? `any_value(${name}) AS ${name}` : `arg_max(${name}, __seq::BIGINT) AS ${name}`
  })
  const hidden = [...(hasSeries(table) ? ['__tsid'] : []), 'max(__seq) AS __seq', '0::UTINYINT AS __op']
  const live = `SELECT ${[...hidden, ...columns].join(', ')} FROM (${marked})
    WHERE __op = 0 AND (__deleted IS NULL OR __seq > __deleted) GROUP BY ${rowKey(table)}`
  if (!keepDeletes) return live
  return `${live} UNION ALL SELECT * EXCLUDE (__deleted) FROM (${marked}) WHERE __op = 1 AND __seq = __deleted`
}

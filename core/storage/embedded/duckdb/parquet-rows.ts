// Files as a table in SQL.

/**
 * Stands where a table can. DuckDB plans a statement that reads files when it is prepared and again when it is run, which takes 1 to 2 ms each time.
 * With a `parameter` in it, numbered behind those the statement has values for, it plans only when it is run.
 */
export function parquetRows(paths: readonly string[], parameter: number | undefined): string {
  const deferred = parameter === undefined ? '' : `, hive_partitioning = $${parameter}`
  return `read_parquet([${paths.join(', ')}]${deferred})`
}

/** The value of that parameter: names of folders say nothing about rows. */
export const deferredValue = false

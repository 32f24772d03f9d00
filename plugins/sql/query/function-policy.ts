// Which functions a query may call: few where tables stand, all but those that look outside where values stand.

/** Table functions that only make rows from their arguments. */
const tableFunctions: ReadonlySet<string> = new Set([
  'generate_series',
  'generate_subscripts',
  'json_each',
  'json_tree',
  'range',
  'repeat',
  'repeat_row',
  'unnest'
])

/** Functions that tell of the process, its settings, files and internal tables, that run text as SQL, or that have effects. */
const refused: ReadonlySet<string> = new Set([
  'checkpoint',
  'copy_database',
  'current_query',
  'current_query_id',
  'current_setting',
  'currval',
  'enable_logging',
  'force_checkpoint',
  'from_substrait',
  'from_substrait_json',
  'get_substrait',
  'get_block_size',
  'getenv',
  'getvariable',
  'glob',
  'in_search_path',
  'json_deserialize_sql',
  'json_execute_serialized_sql',
  'json_serialize_plan',
  'nextval',
  'parse_duckdb_log_message',
  'parquet_bloom_probe',
  'parquet_file_metadata',
  'parquet_kv_metadata',
  'parquet_metadata',
  'parquet_schema',
  'query',
  'query_table',
  'seq_scan',
  'set_config',
  'sleep_ms',
  'sniff_csv',
  'sql_auto_complete',
  'stats',
  'summary',
  'test_all_types',
  'which_secret',
  'write_log'
])

const refusedPrefixes = [
  '__',
  'duckdb_',
  'pragma_',
  'sqlite_',
  'read_',
  'parquet_',
  'pg_',
  'arrow_scan',
  'pandas_',
  'python_',
  'storage_',
  'has_'
]

export function isTableFunction(name: string): boolean {
  return tableFunctions.has(name.toLowerCase())
}

export function isRefusedFunction(name: string): boolean {
  const folded = name.toLowerCase()
  return refused.has(folded) || refusedPrefixes.some(prefix => folded.startsWith(prefix)) || folded.endsWith('_scan')
}

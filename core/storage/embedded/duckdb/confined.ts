// An in-memory DuckDB instance that can only read some folders, and whose settings are locked.
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { everyInstance, inKiB } from './settings.ts'
import { quoteText } from './words.ts'

export interface ConfinedOptions {
  /** Absolute folders its SQL may access. */
  readonly folders: readonly string[]
  readonly spill: string
  /** Bytes. */
  readonly memoryLimit: number
  /** 0: one per core. */
  readonly threads: number
  /** Settings that stay changeable, besides those every statement may change. */
  readonly open?: readonly string[]
}

const usuallyOpen = ['TimeZone', 'streaming_buffer_size']

/** Returns the connection that made the settings, too. */
export async function openConfined(options: ConfinedOptions): Promise<[DuckDBInstance, DuckDBConnection]> {
  const instance = await DuckDBInstance.create(':memory:', {
    memory_limit: inKiB(options.memoryLimit),
    temp_directory: options.spill,
    ...everyInstance,
    ...(options.threads > 0 && { threads: String(options.threads) })
  })
  const main = await instance.connect()
  // DuckDB would cache file contents up to the memory limit, even of deleted files; the operating system caches them anyway.
  await main.run(
    `SET GLOBAL parquet_metadata_cache=false;
     SET GLOBAL enable_external_file_cache=false;
     SET GLOBAL allowed_directories=[${options.folders.map(quoteText).join(', ')}];
     SET GLOBAL TimeZone='UTC';
     SET GLOBAL errors_as_json=true;
     SET GLOBAL storage_compatibility_version='latest';
     SET GLOBAL allowed_configs=[${[...usuallyOpen, ...(options.open ?? [])].map(quoteText).join(', ')}];
     SET GLOBAL enable_external_access=false;
     SET GLOBAL lock_configuration=true`
  )
  return [instance, main]
}

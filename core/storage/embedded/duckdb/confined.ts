// An instance of DuckDB in memory that reads some folders and nothing else, and whose settings nobody changes any more.
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { everyInstance, inKiB } from './settings.ts'
import { quoteText } from './words.ts'

export interface ConfinedOptions {
  /** Folders its SQL may touch, absolute. */
  readonly folders: readonly string[]
  readonly spill: string
  /** Bytes. */
  readonly memoryLimit: number
  /** 0: as many as the machine has. */
  readonly threads: number
  /** Settings that stay open, besides those that every statement may have. */
  readonly open?: readonly string[]
}

const usuallyOpen = ['TimeZone', 'streaming_buffer_size']

/** With the connection that made the settings. */
export async function openConfined(options: ConfinedOptions): Promise<[DuckDBInstance, DuckDBConnection]> {
  const instance = await DuckDBInstance.create(':memory:', {
    memory_limit: inKiB(options.memoryLimit),
    temp_directory: options.spill,
    ...everyInstance,
    ...(options.threads > 0 && { threads: String(options.threads) })
  })
  const main = await instance.connect()
  // What DuckDB keeps of a file outlives the file, up to the memory limit: files come and go here, and the system caches them anyway.
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

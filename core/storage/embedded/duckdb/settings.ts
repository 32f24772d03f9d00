// Settings of all DuckDB instances.

export const everyInstance = {
  autoinstall_known_extensions: 'false',
  autoload_known_extensions: 'false',
  preserve_insertion_order: 'false',
  // This optimiser deduplicates by a sort key that does not distinguish -0 from 0, or one NaN from another.
  disabled_optimizers: 'top_n_window_elimination'
} as const

/** A memory limit in DuckDB's syntax. */
export function inKiB(bytes: number): string {
  return `${Math.floor(bytes / 1024)}KiB`
}

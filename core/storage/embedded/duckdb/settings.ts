// Settings all instances of DuckDB share.

export const everyInstance = {
  autoinstall_known_extensions: 'false',
  autoload_known_extensions: 'false',
  preserve_insertion_order: 'false',
  // It makes the newest version of a row by way of a sort key, which tells neither -0 from 0 nor one NaN from another.
  disabled_optimizers: 'top_n_window_elimination'
} as const

/** A memory limit as DuckDB reads it. */
export function inKiB(bytes: number): string {
  return `${Math.floor(bytes / 1024)}KiB`
}

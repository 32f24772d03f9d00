// Settings all instances of DuckDB share.

export const everyInstance = {
  autoinstall_known_extensions: 'false',
  autoload_known_extensions: 'false',
  preserve_insertion_order: 'false'
} as const

/** A memory limit as DuckDB reads it. */
export function inKiB(bytes: number): string {
  return `${Math.floor(bytes / 1024)}KiB`
}

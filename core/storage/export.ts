// The one folder whose files statements may write and read by name.
import { join, resolve } from 'node:path'

/** `export` below `storage.data_home`, absolute. Made when something is written to it. */
export function exportFolder(dataHome: string): string {
  return resolve(join(dataHome, 'export'))
}

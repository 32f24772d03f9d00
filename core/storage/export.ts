// The only folder whose files statements may read and write by name.
import { join, resolve } from 'node:path'

/** The absolute path of `export` below `storage.data_home`; created at the first write. */
export function exportFolder(dataHome: string): string {
  return resolve(join(dataHome, 'export'))
}

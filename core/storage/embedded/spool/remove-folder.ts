// Clearing up after a spool, from whichever process is left.
import { rmdirSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'

/** With the one it lies in, where that is empty then. */
export function removeFolder(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true })
    rmdirSync(dirname(folder))
  } catch {
    // The next start does it.
  }
}

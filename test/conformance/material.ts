// Finds test material that is not part of the project: in WEIR_CONFORMANCE_DIR, by default the folder `shared` beside the repository.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const home = process.env.WEIR_CONFORMANCE_DIR ?? fileURLToPath(new URL('../../../shared', import.meta.url))

/** The path of a piece of material, or why the test that wants it is skipped. */
export function material(path: string): { readonly path: string; readonly skip: false | string } {
  const found = join(home, path)
  return { path: found, skip: existsSync(found) ? false : `needs ${path} below WEIR_CONFORMANCE_DIR` }
}

// What is checked of the data files when the engine opens.
import { readdir, rm, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { DbError } from '../../errors.ts'
import type { Logger } from '../../log/log.ts'
import type { DataFile } from './catalog-rows.ts'

/** Every file of the catalog must be there in full; files it does not know are left-overs of a crash and go. */
export async function checkFiles(dataDir: string, files: readonly DataFile[], log: Logger): Promise<void> {
  const known = new Set(files.map(file => file.path))
  for (const entry of await readdir(dataDir, { recursive: true, withFileTypes: true })) {
    const path = relative(dataDir, join(entry.parentPath, entry.name))
    if (!entry.isFile() || known.has(path) || !/\.parquet(\.tmp)?$/.test(path)) continue
    log.info({ file: path }, 'removed a file the catalog does not know')
    await rm(join(dataDir, path))
  }
  for (const file of files) {
    const path = join(dataDir, file.path)
    const size = await stat(path).then(
      found => found.size,
      () => undefined
    )
    if (size === file.bytes) continue
    const found = size === undefined ? 'is missing' : `has ${size} bytes`
    throw new DbError(
      'StorageUnavailable',
      `data file ${path} ${found}, the catalog says ${file.bytes} bytes: restore it from a backup`
    )
  }
}

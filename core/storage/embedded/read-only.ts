// Handles a data folder that cannot be written, for example on a disk that was remounted read-only after a failure.
import { existsSync } from 'node:fs'
import { access, constants, copyFile, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DbError, withMessage } from '../../errors.ts'
import { requireFree } from './catalog/catalog-file.ts'

/** Milliseconds between attempts to write again; also the `Retry-After` of refused writes. */
export const retryWriting = 1_000

/** Creates missing folders. The reason why one of them cannot be written; undefined if all can. */
export async function whyUnwritable(dirs: readonly string[]): Promise<string | undefined> {
  for (const dir of dirs) {
    try {
      await mkdir(dir, { recursive: true })
      await access(dir, constants.W_OK)
    } catch (error) {
      return `cannot write to the folder ${dir}: ${error instanceof Error ? error.message : String(error)}`
    }
  }
  return undefined
}

/** Whether a folder has a catalog; without one there is nothing to read. */
export function catalogThere(home: string): boolean {
  return existsSync(join(home, 'catalog.db'))
}

/** The error for everything that would change data. */
export function notWritable(reason: string): DbError {
  const message = `${reason}; reads go on, and writes will when it can be written again`
  return new DbError('StorageUnavailable', message, { retryAfter: Math.ceil(retryWriting / 1_000) })
}

interface CatalogToRead {
  /** An empty folder for spilled queries. */
  readonly spill: string
  /** Opens the copy of the catalog; errors name the original. */
  opening<T>(open: (path: string) => T): T
  remove(): Promise<void>
}

/** SQLite cannot recover a catalog it may not write, so a copy outside of the folder is used. */
export async function copyToRead(home: string): Promise<CatalogToRead> {
  const original = join(home, 'catalog.db')
  requireFree(original)
  const folder = await mkdtemp(join(tmpdir(), 'weir-'))
  const copy = join(folder, 'catalog.db')
  const spill = join(folder, 'tmp')
  await mkdir(spill)
  const names = (await readdir(home)).filter(name => name === 'catalog.db' || name === 'catalog.db-wal')
  for (const name of names) await copyFile(join(home, name), join(folder, name))
  return {
    spill,
    opening(open) {
      try {
        return open(copy)
      } catch (error) {
        if (!(error instanceof DbError)) throw error
        throw withMessage(error, error.message.replaceAll(copy, original))
      }
    },
    remove: () => rm(folder, { recursive: true, force: true })
  }
}

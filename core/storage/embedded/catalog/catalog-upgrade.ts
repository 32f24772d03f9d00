// The format of a catalog: a newer one is refused, an older one is kept beside before this version changes it.
import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { DbError } from '../../../errors.ts'
import { catalogFormat } from './catalog-rows.ts'
import { tableNames } from './row-sums.ts'

/** Throws `StorageUnavailable` when a later version wrote the file. */
export function requireKnownFormat(sqlite: DatabaseSync, path: string): void {
  const found = formatOf(sqlite)
  if (found === undefined || found <= catalogFormat) return
  throw new DbError(
    'StorageUnavailable',
    `${path} was written by a newer version of the server: it has format ${found}, this version knows up to ${catalogFormat}. Nothing was changed: start the newer version, or restore a backup made with this one`
  )
}

/** Keeps a catalog of an older format as `catalog.db.format-N`; returns where, undefined when there is nothing to keep. */
export function keepOlderFormat(sqlite: DatabaseSync, path: string): string | undefined {
  const found = formatOf(sqlite)
  if (found === undefined || found >= catalogFormat) return undefined
  const kept = `${path}.format-${found}`
  const unfinished = `${kept}.part`
  rmSync(unfinished, { force: true })
  sqlite.prepare('VACUUM INTO ?').run(unfinished)
  const file = openSync(unfinished, 'r+')
  fsyncSync(file)
  closeSync(file)
  renameSync(unfinished, kept)
  return kept
}

/** Undefined of a catalog that nothing is in yet. */
function formatOf(sqlite: DatabaseSync): number | undefined {
  if (!tableNames(sqlite).includes('meta')) return undefined
  const row = sqlite.prepare(`SELECT value FROM meta WHERE key = 'format'`).get()
  return row === undefined ? undefined : Number(row['value'])
}

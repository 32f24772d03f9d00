// Checks of the data folder when the engine opens.
import { existsSync } from 'node:fs'
import { readdir, rm, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { DbError } from '../../errors.ts'
import type { Logger } from '../../log/log.ts'
import { markPath } from './catalog/catalog-mark.ts'
import type { DataFile } from './catalog/catalog-rows.ts'
import { sparePaths } from './catalog/catalog-spare.ts'
import { sidecarsOf } from './index/sidecar.ts'
import { type LogEnd, segmentName } from './log/segment.ts'

/** Numbers of the log segments that must exist; undefined before there was a log. */
export interface LogBounds {
  readonly first: number | undefined
  readonly last: number | undefined
  /** How much of the log is known to be on disk. */
  readonly end?: LogEnd | undefined
}

/** Parses the values that the catalog stores under these names. */
export function readLogBounds(read: (key: string) => string | undefined): LogBounds {
  const [first, last] = ['first_segment', 'last_segment'].map(key => read(key))
  const end = read('log_end')
  return {
    first: first === undefined ? undefined : Number(first),
    last: last === undefined ? undefined : Number(last),
    end: end === undefined ? undefined : (JSON.parse(end) as LogEnd)
  }
}

interface DataFolders {
  readonly catalog: string
  readonly data: string
  readonly wal: string
}

/**
 * Checks that a folder with data has its catalog, because without one all files would count as leftovers: a new catalog is only made for an
 * empty folder. SQLite must not open an empty file, because it would remove the log beside it.
 */
export async function checkCatalogThere({ catalog, data, wal }: DataFolders): Promise<void> {
  const size = await sizeOf(catalog)
  if (size !== undefined && size > 0) return
  const [file] = await dataFiles(data)
  const [segment] = await segmentFiles(wal)
  const spare = Object.values(sparePaths(catalog))
  const rest = [`${catalog}-wal`, markPath(wal), ...spare].filter(path => existsSync(path))
  const [found] = [...(file ? [join(data, file)] : []), ...(segment ? [join(wal, segment)] : []), ...rest]
  if (found === undefined) return
  throw new DbError(
    'StorageUnavailable',
    `the catalog ${catalog} is ${size === 0 ? 'empty' : 'missing'}, but there is ${found}: bring catalog.db and catalog.db-wal back, see what weir storage repair would do, restore a backup, or start on an empty folder`
  )
}

/** Checks that the segments exist that the catalog knows to be needed. */
export async function checkSegments(dir: string, { first, last }: LogBounds): Promise<void> {
  const names = await segmentFiles(dir)
  for (const number of [first, last]) {
    if (number === undefined || names.includes(segmentName(number))) continue
    throw new DbError(
      'StorageUnavailable',
      `log segment ${join(dir, segmentName(number))} is missing: bring it back, or see what weir storage repair would do`
    )
  }
}

/** Names of segments that are no longer needed; a crash prevented their removal. */
export async function oldSegments(dir: string, { first }: LogBounds): Promise<string[]> {
  return (await segmentFiles(dir)).filter(name => first !== undefined && name < segmentName(first))
}

/** Names of the segments in a folder, oldest first; empty if there is no folder. */
export async function segmentFiles(dir: string): Promise<string[]> {
  const names = await readdir(dir).catch(() => [])
  return names.filter(name => name.endsWith('.wal')).sort()
}

/** Data files below a folder, complete or not. */
export function dataFiles(dir: string): Promise<string[]> {
  return filesBelow(dir, /\.parquet(\.tmp)?$/)
}

/** Files of indexes and counts below a folder, complete or not. */
export function sidecars(dir: string): Promise<string[]> {
  return filesBelow(dir, /\.(?:idx|counts)(\.tmp)?$/)
}

/** Index files without a data file among these. */
export async function unknownSidecars(dir: string, files: readonly DataFile[]): Promise<string[]> {
  const known = new Set(files.flatMap(file => sidecarsOf(file.path)))
  return (await sidecars(dir)).filter(path => !known.has(path))
}

async function filesBelow(dir: string, pattern: RegExp): Promise<string[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true }).catch(() => [])
  return entries
    .filter(entry => entry.isFile() && pattern.test(entry.name))
    .map(entry => relative(dir, join(entry.parentPath, entry.name)))
}

/** Paths of data files that the catalog does not know, including incomplete ones. */
export async function unknownFiles(dataDir: string, files: readonly DataFile[]): Promise<string[]> {
  const known = new Set(files.map(file => file.path))
  return (await dataFiles(dataDir)).filter(path => !known.has(path))
}

/** Removes files that can be rebuilt or were never completed. */
export async function removeFiles(dataDir: string, paths: readonly string[], log: Logger): Promise<void> {
  for (const path of paths) {
    log.info({ file: path }, 'removed an unfinished file or indexes of no data file')
    await rm(join(dataDir, path))
  }
}

export async function removeContents(dir: string): Promise<void> {
  for (const name of await readdir(dir)) await rm(join(dir, name), { recursive: true, force: true })
}

/** Bytes of a file; undefined if it does not exist. */
export function sizeOf(path: string): Promise<number | undefined> {
  return stat(path).then(
    found => found.size,
    () => undefined
  )
}

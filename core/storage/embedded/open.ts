// What is checked of the data folder when the engine opens.
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

/** Numbers of the log segments that must be there; undefined before there was a log. */
export interface LogBounds {
  readonly first: number | undefined
  readonly last: number | undefined
  /** How far it was on the disk at least. */
  readonly end?: LogEnd | undefined
}

/** From what the catalog keeps under these names. */
export function readLogBounds(read: (key: string) => string | undefined): LogBounds {
  const [first, last] = ['first_segment', 'last_segment'].map(key => read(key))
  const end = read('log_end')
  return {
    first: first === undefined ? undefined : Number(first),
    last: last === undefined ? undefined : Number(last),
    end: end === undefined ? undefined : (JSON.parse(end) as LogEnd)
  }
}

export interface DataFolders {
  readonly catalog: string
  readonly data: string
  readonly wal: string
}

/**
 * Without its catalog the files of a folder would be taken for left-overs: a new one is made only where there is nothing. SQLite must not even
 * open an empty one: it would remove its own log beside it.
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

/** Segments the catalog knows to be needed must be there. */
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

/** Names of segments before those that are needed: a crash came before they were removed. */
export async function oldSegments(dir: string, { first }: LogBounds): Promise<string[]> {
  return (await segmentFiles(dir)).filter(name => first !== undefined && name < segmentName(first))
}

/** Names of the segments in a folder, oldest first; none where there is no folder. */
export async function segmentFiles(dir: string): Promise<string[]> {
  const names = await readdir(dir).catch(() => [])
  return names.filter(name => name.endsWith('.wal')).sort()
}

/** Data files, whole or not, below a folder. */
export function dataFiles(dir: string): Promise<string[]> {
  return filesBelow(dir, /\.parquet(\.tmp)?$/)
}

/** Index files and files of counts, whole or not, below a folder. */
export function sidecars(dir: string): Promise<string[]> {
  return filesBelow(dir, /\.(?:idx|counts)(\.tmp)?$/)
}

/** Index files whose data file is none of these. */
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

/** Paths of data files the catalog does not know, unfinished ones too. */
export async function unknownFiles(dataDir: string, files: readonly DataFile[]): Promise<string[]> {
  const known = new Set(files.map(file => file.path))
  return (await dataFiles(dataDir)).filter(path => !known.has(path))
}

/** Removes what can be made again or was never finished. */
export async function removeFiles(dataDir: string, paths: readonly string[], log: Logger): Promise<void> {
  for (const path of paths) {
    log.info({ file: path }, 'removed an unfinished file or indexes of no data file')
    await rm(join(dataDir, path))
  }
}

export async function removeContents(dir: string): Promise<void> {
  for (const name of await readdir(dir)) await rm(join(dir, name), { recursive: true, force: true })
}

/** Bytes of a file, undefined where there is none. */
export function sizeOf(path: string): Promise<number | undefined> {
  return stat(path).then(
    found => found.size,
    () => undefined
  )
}

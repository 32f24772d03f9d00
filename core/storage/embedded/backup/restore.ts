// Restores a backup to a new data folder, offline.
import { createReadStream, existsSync } from 'node:fs'
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { crc32 } from 'node:zlib'
import { DbError } from '../../../errors.ts'
import type { Manifest } from '../../backup-manifest.ts'
import type { BackupFile } from '../../engine.ts'
import { type CatalogCopy, createCatalog } from '../catalog/catalog-copy.ts'
import { syncFolder } from '../log/wal.ts'
import { readSeriesFile } from '../series/series-file.ts'

/**
 * Copies the backup in `from` to `home`, which must be empty or missing, checking every file. The catalog is written last. `progress` is
 * called after each file. If it fails, throws DbError and leaves `home` empty.
 */
export async function restoreBackup(
  manifest: Manifest,
  from: string,
  home: string,
  progress: (file: BackupFile) => void = () => {}
): Promise<void> {
  if (manifest.engine !== 'embedded') {
    throw new DbError('InvalidArguments', `the backup comes from the storage engine ${manifest.engine}, not embedded`)
  }
  await mkdir(home, { recursive: true })
  if ((await readdir(home)).length > 0) throw new DbError('InvalidArguments', `${home} is not empty`)
  try {
    await restoreInto(home, manifest, from, progress)
  } catch (error) {
    // Empties the folder, so that the restore can be repeated.
    for (const name of await readdir(home)) await rm(join(home, name), { recursive: true, force: true })
    throw error
  }
}

async function restoreInto(
  home: string,
  manifest: Manifest,
  from: string,
  progress: (file: BackupFile) => void
): Promise<void> {
  await mkdir(join(home, 'data'))
  const catalog = `${join(home, 'catalog.db')}.restoring`
  for (const file of manifest.files) {
    if (!file.path.startsWith('data/')) continue
    await copyFile(join(from, file.path), join(home, file.path), file)
    progress(file)
  }
  const sqlite = createCatalog(catalog, manifest.catalog as CatalogCopy)
  try {
    sqlite.exec('BEGIN')
    for (const file of manifest.files) {
      const table = /^series\/(\d+)-/.exec(file.path)?.[1]
      if (table === undefined) continue
      await checkFile(join(from, file.path), file)
      await addSeries(sqlite, Number(table), join(from, file.path))
      progress(file)
    }
    sqlite.exec('COMMIT')
  } finally {
    sqlite.close()
  }
  for (const suffix of ['-wal', '-shm']) await rm(catalog + suffix, { force: true })
  await rename(catalog, join(home, 'catalog.db'))
  await syncFolder(home)
}

/** Throws DbError unless the file has the size and checksum of the manifest. */
export async function checkFile(path: string, file: BackupFile): Promise<void> {
  for await (const _ of readChecked(path, file));
}

async function addSeries(sqlite: DatabaseSync, table: number, path: string): Promise<void> {
  const insert = sqlite.prepare('INSERT INTO series (table_id, tsid, key) VALUES (?, ?, ?)')
  for await (const { tsid, key } of readSeriesFile(path)) insert.run(table, tsid, key)
}

async function copyFile(from: string, to: string, file: BackupFile): Promise<void> {
  await mkdir(dirname(to), { recursive: true })
  const target = await open(to, 'wx')
  try {
    for await (const chunk of readChecked(from, file)) await target.writeFile(chunk)
    await target.sync()
  } finally {
    await target.close()
  }
  await syncFolder(dirname(to))
}

async function* readChecked(path: string, { bytes, checksum }: BackupFile): AsyncGenerator<Uint8Array> {
  if (!existsSync(path)) throw new DbError('InvalidArguments', `${path} is missing`)
  let read = 0
  let sum = 0
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) {
    read += chunk.length
    sum = crc32(chunk as Buffer, sum)
    yield chunk as Buffer
  }
  if (read !== bytes) throw new DbError('InvalidArguments', `${path} has ${read} bytes, the manifest says ${bytes}`)
  if (sum !== checksum) throw new DbError('InvalidArguments', `${path} does not match its checksum`)
}

// Backups: a snapshot of all data as files that stay while somebody copies them.
import { createReadStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DbError } from '../../../errors.ts'
import type { Backup, BackupFile, Report } from '../../engine.ts'
import type { EmbeddedCatalog } from '../catalog/catalog.ts'
import type { FilePins } from '../file/file-pins.ts'
import { writeSeriesFile } from '../series/series-file.ts'

interface BackupDependencies {
  readonly catalog: EmbeddedCatalog
  readonly pins: FilePins
  readonly dataDir: string
  /** Folder for files that live as long as the backup. */
  readonly temporary: string
}

/** Passes the catalog's present files and tables to `receive`; the caller must have flushed. Resolves when `receive` does. */
export async function backUp(
  { catalog, pins, dataDir, temporary }: BackupDependencies,
  receive: (backup: Backup) => Promise<void>
): Promise<Report> {
  // In one synchronous step, so that files and catalog match.
  const copy = catalog.copy()
  const data = catalog.allFiles()
  const tables = [...catalog.allTables()]
  const paths = data.map(file => file.path)
  pins.pin(paths)
  const folder = await mkdtemp(join(temporary, 'backup-'))
  try {
    const series: BackupFile[] = []
    for (const { id, name } of tables) {
      const written = await writeSeriesFile(join(folder, String(id)), (from, max) => catalog.series(id, from, max))
      if (catalog.tableById(id) === undefined) {
        const message = `table ${name} was dropped while the backup began, begin again`
        throw new DbError('TableUnavailable', message, { retryAfter: 1 })
      }
      if (written) series.push({ path: `series/${id}-${written.checksum.toString(16)}`, ...written })
    }
    const files = [...data.map(({ path, bytes, checksum }) => ({ path: `data/${path}`, bytes, checksum })), ...series]
    await receive({
      catalog: copy,
      files,
      read(file, start) {
        const [kind, ...rest] = file.path.split('/')
        const path = kind === 'data' ? join(dataDir, ...rest) : join(folder, rest[0]!.split('-')[0]!)
        return createReadStream(path, { start, highWaterMark: 1 << 18 })
      }
    })
    const sum = (of: readonly { readonly [K in 'rows' | 'bytes']?: number }[], key: 'rows' | 'bytes') =>
      of.reduce((total, file) => total + (file[key] ?? 0), 0)
    return { rows: sum(data, 'rows'), bytes: sum(files, 'bytes'), files: files.length }
  } finally {
    pins.unpin(paths)
    await rm(folder, { recursive: true, force: true })
  }
}

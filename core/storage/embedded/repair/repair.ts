// What would make a damaged data folder start again: planned in full before anything is touched, nothing ever deleted.
import { mkdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { DbError } from '../../../errors.ts'
import type { DataFile } from '../catalog/catalog-rows.ts'
import { keepSums } from '../catalog/row-sums.ts'
import { sizeOf } from '../open.ts'
import { type DataFolder, type Examination, foldersOf } from './check.ts'
import { salvageCatalog } from './repair-catalog.ts'
import { planLogRepair } from './repair-log.ts'

/** One thing to do: what it drops or moves, as lines for people, and the doing. */
export interface RepairStep {
  readonly lines: readonly string[]
  run(): Promise<void>
}

export interface RepairPlan {
  /** In the order they must run; none when there is nothing to repair. */
  readonly steps: readonly RepairStep[]
  /** Where damaged files go. */
  readonly damaged: string
  /** Call it whether the steps ran or not. */
  close(): Promise<void>
}

/** Throws DbError where only a backup helps. */
export async function planRepair(folder: DataFolder, examination: Examination): Promise<RepairPlan> {
  const paths = foldersOf(folder)
  const stamp = new Date().toISOString().replace(/\D/g, '').slice(0, 14)
  const damaged = join(paths.damaged, stamp)
  if (examination.catalog === undefined) {
    throw new DbError(
      'StorageUnavailable',
      `the catalog ${paths.catalog} is beyond repair: restore a backup. The data files beside it are whole Parquet files that any reader opens.`
    )
  }
  if (!examination.catalogDamaged) {
    keepSums(examination.catalog)
    const steps = await planSteps(folder, examination, examination.catalog, damaged)
    return { steps, damaged, close: async () => {} }
  }
  const fresh = `${paths.catalog}.repaired`
  await removeCatalog(fresh)
  const salvage = salvageCatalog(examination.catalog, fresh)
  const steps = await planSteps(folder, examination, salvage.catalog, damaged)
  const swap = async () => {
    salvage.catalog.close()
    examination.close()
    for (const suffix of ['', '-wal', '-shm'])
      await moveAway(`${paths.catalog}${suffix}`, paths.catalog + suffix, folder, damaged)
    await rename(fresh, paths.catalog)
  }
  const last = { lines: [`${paths.catalog}: replaced by a copy of all its whole rows`, ...salvage.lost], run: swap }
  const close = async () => {
    if (salvage.catalog.isOpen) salvage.catalog.close()
    await removeCatalog(fresh)
  }
  return { steps: [...steps, last], damaged, close }
}

async function planSteps(
  folder: DataFolder,
  examination: Examination,
  catalog: DatabaseSync,
  damaged: string
): Promise<RepairStep[]> {
  const dataDir = foldersOf(folder).data
  const kept = new Set(
    catalog
      .prepare('SELECT path FROM files')
      .all()
      .map(row => row.path)
  )
  const broken = examination.damagedFiles.filter(file => kept.has(file.path))
  // With the catalog a table may be lost whose files are sound: no row names them any more.
  const lost = examination.catalogDamaged
    ? [...examination.unknownFiles, ...examination.files.map(file => file.path).filter(path => !kept.has(path))]
    : []
  return [
    ...broken.map(file => dropFile(folder, examination, catalog, file, damaged)),
    ...lost.map(path => moveFile(folder, join(dataDir, path), damaged)),
    ...(await planLogRepair(catalog, examination.log, folder, damaged))
  ]
}

function dropFile(
  folder: DataFolder,
  { log, files }: Examination,
  catalog: DatabaseSync,
  file: DataFile,
  damaged: string
): RepairStep {
  const path = join(foldersOf(folder).data, file.path)
  const table = catalog
    .prepare(
      'SELECT t.name, d.name AS database, t.options FROM tables t JOIN databases d ON d.id = t.database_id WHERE t.id = ?'
    )
    .get(file.table)
  const others = files.filter(other => other.table === file.table && other !== file)
  const logged = log.missing.length === 0 && log.segments.every(segment => segment.damages.length === 0)
  const skipsLog = JSON.parse(String(table?.options ?? '{}')).skip_wal === true
  const start = log.segments.flatMap(segment => segment.records)[0]?.seq ?? Number.POSITIVE_INFINITY
  const again = logged && !skipsLog && start <= file.minSeq && others.every(other => other.maxSeq < file.minSeq)
  const lost = again
    ? 'its rows are still in the log and come back from there'
    : `${file.rows} rows are lost; versions they replaced or deleted in older files show again`
  return {
    lines: [`${path}: moved away, table ${table?.database}.${table?.name} goes on without it: ${lost}`],
    async run() {
      // In this order: a crash in between leaves a file that is missing, not one that nothing names.
      await moveAway(path, path, folder, damaged)
      catalog.prepare('DELETE FROM files WHERE id = ?').run(file.id)
      if (again) catalog.prepare('UPDATE tables SET flushed_seq = ? WHERE id = ?').run(file.minSeq, file.table)
    }
  }
}

function moveFile(folder: DataFolder, path: string, damaged: string): RepairStep {
  return {
    lines: [`${path}: moved away, the repaired catalog has no table or no row for it`],
    run: () => moveAway(path, path, folder, damaged)
  }
}

/** Moves a file below the folder of damaged ones, under the path it had in the data folder. */
async function moveAway(path: string, original: string, folder: DataFolder, damaged: string): Promise<void> {
  if ((await sizeOf(path)) === undefined) return
  const target = join(damaged, original.slice(folder.home.length))
  await mkdir(dirname(target), { recursive: true })
  await rename(path, target)
}

async function removeCatalog(path: string): Promise<void> {
  for (const suffix of ['', '-wal', '-shm']) await rm(path + suffix, { force: true })
}

// Plans the repair of a damaged data folder: completely before anything is changed. Nothing is ever deleted.
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { DbError } from '../../../errors.ts'
import { openCatalogFile } from '../catalog/catalog-file.ts'
import { markPath, readMark } from '../catalog/catalog-mark.ts'
import type { DataFile } from '../catalog/catalog-rows.ts'
import { rebuildCatalog, sparePaths } from '../catalog/catalog-spare.ts'
import { adoptMark, renewMark } from '../catalog/catalog-time.ts'
import { keepSums } from '../catalog/row-sums.ts'
import { fileChecksum } from '../file/checksum.ts'
import { syncFolder } from '../log/wal.ts'
import { copyDurably, lostFolderOf, lostFoundFolder, moveToLost } from '../lost-found.ts'
import { sizeOf } from '../open.ts'
import { type DataFolder, type Examination, examine, foldersOf } from './check.ts'
import { salvageCatalog } from './repair-catalog.ts'
import { planLogRepair } from './repair-log.ts'

/** One step: what it drops or moves, as lines for people, and the function that does it. */
export interface RepairStep {
  readonly lines: readonly string[]
  run(): Promise<void>
}

interface RepairPlan {
  /** In order; empty if there is nothing to repair. */
  readonly steps: readonly RepairStep[]
  /** The folder in lost+found for replaced files. */
  readonly lostFolder: string
  /** Must be called whether the steps ran or not. */
  close(): Promise<void>
}

/** Throws DbError if only a backup can help. */
export async function planRepair(folder: DataFolder, examination: Examination): Promise<RepairPlan> {
  const paths = foldersOf(folder)
  const lostFolder = lostFolderOf(folder.home)
  const isLost = examination.catalog === undefined || examination.catalogDamaged || examination.problem?.kind === 'time'
  const plan = isLost ? await planFromSpare(folder, examination, lostFolder) : undefined
  if (plan !== undefined) return plan
  if (examination.catalog === undefined) {
    throw new DbError(
      'StorageUnavailable',
      `the catalog ${paths.catalog} is beyond repair, and there is no spare of it: bring it back or restore a backup. The data files beside it are whole Parquet files that any reader opens.`
    )
  }
  if (examination.problem?.kind === 'time') {
    const { file, reason } = examination.problem
    throw new DbError('StorageUnavailable', `${file}: ${reason}, or restore a backup: no repair can replace it`)
  }
  return examination.catalogDamaged
    ? planForDamaged(folder, examination, examination.catalog, lostFolder)
    : planForWhole(folder, examination, examination.catalog, lostFolder)
}

/** The catalog is sound: it is kept, and opened for writing when the steps begin. A copy is kept. */
async function planForWhole(
  folder: DataFolder,
  examination: Examination,
  reader: DatabaseSync,
  lostFolder: string
): Promise<RepairPlan> {
  let writer: DatabaseSync | undefined
  const steps = await planSteps(folder, examination, { reader, writer: () => writer! }, lostFolder)
  const begin = async () => {
    examination.close()
    await keepCopies(folder, lostFolder)
    writer = openCatalogFile(foldersOf(folder).catalog, folder.wal)
    keepSums(writer)
    await setSpareAside(foldersOf(folder).catalog, lostFolder)
  }
  const close = async () => writer?.close()
  return { steps: steps.length > 0 ? [{ lines: [], run: begin }, ...steps] : [], lostFolder, close }
}

/** Replaces the catalog by its spare; undefined if the spare is older than the log. */
async function planFromSpare(
  folder: DataFolder,
  lost: Examination,
  lostFolder: string
): Promise<RepairPlan | undefined> {
  const path = foldersOf(folder).catalog
  const fresh = `${path}.repaired`
  await removeCatalog(fresh)
  const rebuilt = rebuildCatalog(path, fresh)
  rebuilt?.catalog.close()
  const mark = readMark(folder.wal)
  const isOlder =
    typeof mark !== 'string' && (rebuilt?.identity !== mark.identity || rebuilt.generation < mark.generation)
  if (rebuilt === undefined || isOlder) {
    await removeCatalog(fresh)
    return undefined
  }
  const examination = await examine(folder, () => {}, fresh)
  let writer: DatabaseSync | undefined
  const catalog = { reader: examination.catalog!, writer: () => writer! }
  const begin = async () => {
    examination.close()
    lost.close()
    await keepMark(folder, lostFolder)
    writer = openCatalogFile(fresh)
    keepSums(writer)
  }
  const swap = async () => {
    writer!.close()
    await replaceCatalog(path, fresh, lostFolder)
  }
  const close = async () => {
    examination.close()
    if (writer?.isOpen) writer.close()
    await removeCatalog(fresh)
  }
  const steps = await planSteps(folder, examination, catalog, lostFolder)
  const all = `${path}: made anew from its spare, as it was after ${rebuilt.generation} changes`
  return { steps: [{ lines: [all], run: begin }, ...steps, { lines: [], run: swap }], lostFolder, close }
}

/** Replaces the catalog by a new file with its intact rows. */
async function planForDamaged(
  folder: DataFolder,
  examination: Examination,
  damaged: DatabaseSync,
  lostFolder: string
): Promise<RepairPlan> {
  const path = foldersOf(folder).catalog
  const fresh = `${path}.repaired`
  await removeCatalog(fresh)
  const { catalog, lost } = salvageCatalog(damaged, fresh)
  const close = async () => {
    if (catalog.isOpen) catalog.close()
    await removeCatalog(fresh)
  }
  try {
    adoptMark(catalog, folder.wal)
    const steps = await planSteps(folder, examination, { reader: catalog, writer: () => catalog }, lostFolder)
    const swap = async () => {
      catalog.close()
      examination.close()
      await replaceCatalog(path, fresh, lostFolder)
    }
    const last = { lines: [`${path}: replaced by a copy of all its whole rows`, ...lost], run: swap }
    return { steps: [...steps, last], lostFolder, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Keeps copies of the files that the steps change in place. */
async function keepCopies(folder: DataFolder, lostFolder: string): Promise<void> {
  const { catalog } = foldersOf(folder)
  for (const suffix of ['', '-wal']) {
    if ((await sizeOf(catalog + suffix)) !== undefined)
      await copyDurably(catalog + suffix, join(lostFolder, `catalog.db${suffix}`))
  }
  await keepMark(folder, lostFolder)
}

async function keepMark(folder: DataFolder, lostFolder: string): Promise<void> {
  const mark = markPath(folder.wal)
  if ((await sizeOf(mark)) !== undefined) await copyDurably(mark, join(lostFolder, 'wal', basename(mark)))
}

async function replaceCatalog(path: string, fresh: string, lostFolder: string): Promise<void> {
  for (const suffix of ['', '-wal']) await moveToLost(path + suffix, `catalog.db${suffix}`, lostFolder)
  await rm(`${path}-shm`, { force: true })
  await setSpareAside(path, lostFolder)
  await rename(fresh, path)
}

/** The spare does not have the repair's changes; the next start makes a new one. */
async function setSpareAside(path: string, lostFolder: string): Promise<void> {
  for (const file of Object.values(sparePaths(path))) await moveToLost(file, basename(file), lostFolder)
}

interface PlannedCatalog {
  readonly reader: DatabaseSync
  /** Available once the steps run. */
  readonly writer: () => DatabaseSync
}

async function planSteps(
  folder: DataFolder,
  examination: Examination,
  catalog: PlannedCatalog,
  lostFolder: string
): Promise<RepairStep[]> {
  const dataDir = foldersOf(folder).data
  const kept = new Set(
    catalog.reader
      .prepare('SELECT path FROM files')
      .all()
      .map(row => row.path)
  )
  const broken = examination.damagedFiles.filter(file => kept.has(file.path))
  // A lost table's files may be sound, but no catalog row refers to them any more.
  const lost = examination.catalogDamaged
    ? [...examination.unknownFiles, ...examination.files.map(file => file.path).filter(path => !kept.has(path))]
    : []
  const logSteps = await planLogRepair(catalog.reader, examination.log, folder, lostFolder)
  return [
    ...(examination.problem?.kind === 'mark' ? [writeMark(catalog, folder)] : []),
    ...(await Promise.all(
      broken.map(
        async file =>
          (await bringBack(folder, file, lostFolder)) ?? dropFile(folder, examination, catalog, file, lostFolder)
      )
    )),
    ...lost.map(path => moveFile(join(dataDir, path), path, lostFolder)),
    ...(logSteps.length > 0 ? [forgetLogEnd(catalog)] : []),
    ...logSteps
  ]
}

/** Rewritten segments are shorter than the recorded end. */
function forgetLogEnd({ writer }: PlannedCatalog): RepairStep {
  return { lines: [], run: async () => void writer().exec("DELETE FROM meta WHERE key = 'log_end'") }
}

function writeMark({ writer }: PlannedCatalog, { wal }: DataFolder): RepairStep {
  return {
    lines: [
      `${markPath(wal)}: written anew from the catalog. Whether the catalog is as new as the log nobody can tell any more: where it may be a copy from before, bring the right one back instead`
    ],
    run: async () => renewMark(writer(), wal)
  }
}

/** Brings back a data file that lies intact in lost+found, for example after a start with another catalog. */
async function bringBack(folder: DataFolder, file: DataFile, lostFolder: string): Promise<RepairStep | undefined> {
  const target = join(foldersOf(folder).data, file.path)
  for (const time of await readdir(lostFoundFolder(folder.home)).catch(() => [])) {
    const found = join(lostFoundFolder(folder.home), time, 'data', file.path)
    if ((await sizeOf(found)) !== file.bytes || (await fileChecksum(found)) !== file.checksum) continue
    return {
      lines: [`${target}: brought back from ${found}`],
      async run() {
        await moveToLost(target, join('data', file.path), lostFolder)
        await mkdir(dirname(target), { recursive: true })
        await rename(found, target)
        await syncFolder(dirname(target))
      }
    }
  }
}

function dropFile(
  folder: DataFolder,
  { log, files }: Examination,
  { reader, writer }: PlannedCatalog,
  file: DataFile,
  lostFolder: string
): RepairStep {
  const path = join(foldersOf(folder).data, file.path)
  const table = reader
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
      // In this order, so that a crash in between leaves a missing file, which is noticed, not an unknown one.
      await moveToLost(path, join('data', file.path), lostFolder)
      const catalog = writer()
      catalog.prepare('DELETE FROM files WHERE id = ?').run(file.id)
      if (again) catalog.prepare('UPDATE tables SET flushed_seq = ? WHERE id = ?').run(file.minSeq, file.table)
    }
  }
}

function moveFile(path: string, name: string, lostFolder: string): RepairStep {
  return {
    lines: [`${path}: moved away, the repaired catalog has no table or no row for it`],
    run: async () => void (await moveToLost(path, join('data', name), lostFolder))
  }
}

async function removeCatalog(path: string): Promise<void> {
  for (const suffix of ['', '-wal', '-shm']) await rm(path + suffix, { force: true })
}

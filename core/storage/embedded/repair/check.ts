// Examines a data folder that no server uses: the catalog, every data file, every log segment.
import { existsSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { DbError } from '../../../errors.ts'
import type { TableColumn } from '../../../model/table.ts'
import type { ColumnType } from '../../../model/types.ts'
import { type CatalogToRead, catalogDamage, openCatalogToRead } from '../catalog/catalog-file.ts'
import { type DataFile, lastTableId, loadFile } from '../catalog/catalog-rows.ts'
import { type TimeProblem, timeProblem } from '../catalog/catalog-time.ts'
import { matches } from '../catalog/row-sums.ts'
import { openDuckdb } from '../duckdb/index.ts'
import { readSound, sidecarsOf } from '../index/sidecar.ts'
import { readRecordParts, requireGiven, type TypeOf } from '../log/record-check.ts'
import { segmentName } from '../log/segment.ts'
import { dataFiles, type LogBounds, readLogBounds, sidecars } from '../open.ts'
import { checkDataFile } from './data-check.ts'
import { type LogScan, scanLog } from './log-scan.ts'

export interface DataFolder {
  /** `storage.data_home`, absolute. */
  readonly home: string
  /** `wal.dir`, absolute. */
  readonly wal: string
}

/**
 * `damage` loses rows or prevents the start. `leftover` is what a crash left: the next start removes it, and moves complete data files to
 * lost+found.
 */
export interface Finding {
  readonly kind: 'damage' | 'leftover'
  readonly file: string
  readonly offset?: number
  readonly message: string
}

export interface Examination {
  readonly findings: readonly Finding[]
  /** Undefined if no row of it can be read. Open for reading until `close`. */
  readonly catalog: DatabaseSync | undefined
  readonly catalogDamaged: boolean
  /** Why catalog and log do not belong together, or why that cannot be known. */
  readonly problem: TimeProblem | undefined
  /** The catalog's files, as far as it is readable. */
  readonly files: readonly DataFile[]
  readonly damagedFiles: readonly DataFile[]
  /** Relative to the data folder; files that the catalog does not have. */
  readonly unknownFiles: readonly string[]
  readonly log: LogScan
  close(): void
}

/** Paths in a data folder. */
export function foldersOf({ home }: DataFolder) {
  return {
    catalog: join(home, 'catalog.db'),
    data: join(home, 'data'),
    spill: join(home, 'tmp')
  }
}

/**
 * Reads everything; `progress` is called for each finding. A catalog other than the folder's own may be given. Throws DbError if there is no
 * data, or another process uses it.
 */
export async function examine(
  folder: DataFolder,
  progress: (finding: Finding) => void = () => {},
  catalogPath = foldersOf(folder).catalog
): Promise<Examination> {
  const paths = { ...foldersOf(folder), catalog: catalogPath }
  if (!existsSync(paths.catalog) && !existsSync(paths.data)) {
    throw new DbError('InvalidArguments', `${folder.home} is not a data folder: it has neither catalog.db nor data`)
  }
  const findings: Finding[] = []
  const report = (finding: Finding) => {
    findings.push(finding)
    progress(finding)
  }
  const opened = await openCatalog(paths.catalog, folder.wal, report)
  const catalog = opened?.sqlite
  try {
    for (const { offset, reason } of catalog ? catalogDamage(catalog) : []) {
      report({ kind: 'damage', file: paths.catalog, ...(offset !== undefined && { offset }), message: reason })
    }
    let problem = opened && findProblem(opened, paths.catalog, folder.wal)
    if (problem !== undefined) report({ kind: 'damage', file: problem.file, message: problem.reason })
    const catalogDamaged = findings.some(({ file }) => file === paths.catalog)
    const log = await examineLog(
      folder.wal,
      catalog ? readBounds(catalog) : { first: undefined, last: undefined },
      catalogDamaged ? undefined : catalog,
      report
    )
    if (log.isStrange) problem ??= { kind: 'time', file: paths.catalog, reason: strangeLog }
    const files = catalog ? readFiles(catalog) : []
    const damagedFiles = await examineFiles(paths, files, report)
    const unknownFiles = await examineUnknown(paths.data, files, catalogDamaged, report)
    await examineSidecars(paths.data, files, report)
    const close = () => catalog?.isOpen && catalog.close()
    return { findings, catalog, catalogDamaged, problem, files, damagedFiles, unknownFiles, log, close }
  } catch (error) {
    catalog?.close()
    throw error
  }
}

async function openCatalog(
  path: string,
  logDir: string,
  report: (finding: Finding) => void
): Promise<CatalogToRead | undefined> {
  const damage = (message: string) => {
    report({ kind: 'damage', file: path, message })
    return undefined
  }
  if (!existsSync(path)) return damage('the catalog is missing')
  const start = (await readFile(path)).subarray(0, 16).toString('latin1')
  if (start === '') return damage('the catalog is empty')
  try {
    return openCatalogToRead(path, logDir)
  } catch (error) {
    if (error instanceof DbError && error.message.includes('another process')) throw error
    return damage(error instanceof Error ? error.message : String(error))
  }
}

/** A catalog too damaged to tell is a finding already. */
function findProblem({ sqlite, main }: CatalogToRead, path: string, logDir: string): TimeProblem | undefined {
  try {
    return timeProblem(sqlite, path, logDir, main)
  } catch {
    return undefined
  }
}

function readBounds(catalog: DatabaseSync): LogBounds {
  try {
    const read = catalog.prepare(`SELECT value FROM meta WHERE key = ? AND ${matches(catalog, 'meta')}`)
    return readLogBounds(key => read.get(key)?.value as string | undefined)
  } catch {
    return { first: undefined, last: undefined }
  }
}

/** Rows that match their checksum; the others are findings already. */
function readFiles(catalog: DatabaseSync): DataFile[] {
  const files: DataFile[] = []
  try {
    const select = catalog.prepare(`SELECT * FROM files WHERE ${matches(catalog, 'files')} ORDER BY id`)
    select.setReadBigInts(true)
    for (const row of select.iterate()) files.push(loadFile(row))
  } catch {
    // Unreadable rows are findings already.
  }
  return files
}

/** Types of all columns, including dropped ones. */
function columnTypes(catalog: DatabaseSync): TypeOf {
  const types = new Map<string, ColumnType>()
  for (const { table_id, definition } of catalog.prepare('SELECT table_id, definition FROM columns').iterate()) {
    const column = JSON.parse(definition as string) as TableColumn
    for (const { id, type } of [column, ...(column.was ?? [])]) types.set(`${table_id} ${id}`, type)
  }
  return (table, column) => types.get(`${table} ${column}`)
}

/** Records are decoded only if the catalog is sound enough to tell their columns. */
async function examineLog(
  dir: string,
  bounds: LogBounds,
  catalog: DatabaseSync | undefined,
  report: (finding: Finding) => void
): Promise<LogScan & { readonly isStrange: boolean }> {
  const decode = catalog && recordReader(catalog)
  const log = await scanLog(dir, bounds, decode?.read)
  for (const number of log.missing) {
    report({ kind: 'damage', file: join(dir, segmentName(number)), message: 'the log segment is missing' })
  }
  for (const { path, damages, torn } of log.segments) {
    for (const { at, reason } of damages) report({ kind: 'damage', file: path, offset: at, message: reason })
    if (torn !== undefined) {
      const message = `${torn.reason}: the torn end of a write that was never answered, ${torn.end - torn.at} bytes`
      report({ kind: 'leftover', file: path, offset: torn.at, message })
    }
  }
  return { ...log, isStrange: decode?.isStrange() ?? false }
}

const strangeLog = 'the log has rows of tables the catalog never had: bring the newer catalog.db back'

/** Reads records like a start does; `isStrange` becomes true at a record of a table the catalog never had. */
function recordReader(catalog: DatabaseSync) {
  const typeOf = columnTypes(catalog)
  const last = lastTableId(catalog)
  let isStrange = false
  const read = (payload: Uint8Array) => {
    for (const { table } of readRecordParts(payload, typeOf)) {
      try {
        requireGiven(table, last)
      } catch (error) {
        isStrange = true
        throw error
      }
    }
  }
  return { read, isStrange: () => isStrange }
}

async function examineFiles(
  paths: ReturnType<typeof foldersOf>,
  files: readonly DataFile[],
  report: (finding: Finding) => void
): Promise<DataFile[]> {
  if (files.length === 0) return []
  await mkdir(paths.spill, { recursive: true })
  const duckdb = await openDuckdb({ folders: [paths.data], spill: paths.spill, memoryLimit: 2 ** 28, threads: 1 })
  const damaged: DataFile[] = []
  try {
    for (const file of files) {
      const path = join(paths.data, file.path)
      const damage = await checkDataFile(duckdb, path, file)
      if (damage === undefined) continue
      damaged.push(file)
      const { reason, offset } = damage
      report({ kind: 'damage', file: path, ...(offset !== undefined && { offset }), message: reason })
    }
  } finally {
    await duckdb.close()
  }
  return damaged
}

async function examineUnknown(
  dataDir: string,
  files: readonly DataFile[],
  catalogDamaged: boolean,
  report: (finding: Finding) => void
): Promise<string[]> {
  const known = new Set(files.map(file => file.path))
  const unknown = (await dataFiles(dataDir)).filter(path => !known.has(path))
  for (const path of unknown) {
    const file = join(dataDir, path)
    // With a sound catalog this is a leftover of a crash: its rows are in the log or in another file.
    if (!catalogDamaged) report({ kind: 'leftover', file, message: 'the catalog does not know the file' })
    else
      report({
        kind: 'damage',
        file,
        message: 'the catalog, which is damaged or of another time, does not name the file'
      })
  }
  return unknown
}

/** Indexes contain nothing that is not in data files, so the next start rebuilds damaged ones. */
async function examineSidecars(
  dataDir: string,
  files: readonly DataFile[],
  report: (finding: Finding) => void
): Promise<void> {
  const owners = new Map(files.flatMap(file => sidecarsOf(file.path).map(path => [path, file] as const)))
  for (const path of await sidecars(dataDir)) {
    const owner = owners.get(path)
    const file = join(dataDir, path)
    if (owner === undefined)
      report({ kind: 'leftover', file, message: 'indexes of a data file the catalog does not know' })
    else if ((await readSound(join(dataDir, owner.path), owner)) === undefined) {
      report({ kind: 'leftover', file, message: 'the indexes are damaged; they are made again from the data file' })
    }
  }
}

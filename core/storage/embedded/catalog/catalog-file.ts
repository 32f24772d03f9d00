// The catalog's SQLite file: locks it for one process, and diagnoses damage.
import { DatabaseSync } from 'node:sqlite'
import { DbError } from '../../../errors.ts'
import { journalDamage } from './catalog-journal.ts'
import { mainGeneration, seesMarked } from './catalog-time.ts'
import { isSchemaWhole, keepSums, tableNames, wrongRows } from './row-sums.ts'

/**
 * Opens the file and takes it for this process alone. `logDir` has the mark of the catalog, where there is one. Throws DbError
 * `StorageUnavailable`.
 */
export function openCatalogFile(path: string, logDir?: string): DatabaseSync {
  requireWholeJournal(path, logDir)
  const sqlite = new DatabaseSync(path)
  try {
    sqlite.exec(
      `PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA wal_autocheckpoint=0;
       BEGIN EXCLUSIVE; COMMIT;`
    )
    return sqlite
  } catch (error) {
    sqlite.close()
    throw catalogError(path, error)
  }
}

export interface CatalogToRead {
  readonly sqlite: DatabaseSync
  /** Changes its main file has seen, without SQLite's own log beside it. */
  readonly main: number | undefined
}

/**
 * Opens the file to look at it alone: neither it nor SQLite's own log beside it is changed, and no server can take it until `close`.
 * Throws DbError `StorageUnavailable`.
 */
export function openCatalogToRead(path: string, logDir?: string): CatalogToRead {
  requireWholeJournal(path, logDir)
  requireFree(path)
  const main = mainGeneration(path)
  const sqlite = new DatabaseSync(path, { readOnly: true })
  try {
    sqlite.exec('BEGIN; SELECT count(*) FROM sqlite_schema')
    return { sqlite, main }
  } catch (error) {
    sqlite.close()
    throw catalogError(path, error)
  }
}

/** Has to run before SQLite opens the file, which would drop everything behind a damaged page for good. */
function requireWholeJournal(path: string, logDir: string | undefined): void {
  const damage = journalDamage(`${path}-wal`)
  if (damage === undefined) return
  // A server that holds the catalog may be writing just these pages.
  requireFree(path)
  if (logDir !== undefined && hasAllMarked(path, logDir)) return
  const message = `the catalog is damaged: ${path}-wal at byte ${damage.offset}: ${damage.reason}. Restore the file from a backup.`
  throw new DbError('StorageUnavailable', message)
}

/** Whether the bytes behind the damage were never synced: a power cut may leave any of them. */
function hasAllMarked(path: string, logDir: string): boolean {
  const sqlite = new DatabaseSync(path, { readOnly: true })
  try {
    return seesMarked(sqlite, logDir)
  } catch {
    return false
  } finally {
    sqlite.close()
  }
}

/** Throws when another process holds the catalog; whatever else may be wrong with it. */
export function requireFree(path: string): void {
  const sqlite = new DatabaseSync(path, { readOnly: true })
  try {
    sqlite.prepare('SELECT count(*) FROM sqlite_schema').get()
  } catch (error) {
    if (isBusy(error)) throw catalogError(path, error)
  } finally {
    sqlite.close()
  }
}

/** Creates missing tables; from now on rows and definitions carry checksums. Throws when those of the definitions do not match. */
export function prepareCatalog(sqlite: DatabaseSync, schema: string): void {
  if (!isSchemaWhole(sqlite)) throw new Error(`database disk image is malformed: ${wrongSchema}`)
  sqlite.exec(schema)
  keepSums(sqlite)
}

const wrongSchema = 'the definitions of its tables do not match their checksum'

/** An error of SQLite as a DbError about the catalog. */
export function catalogError(path: string, error: unknown): DbError {
  const message = error instanceof Error ? error.message : String(error)
  if (isBusy(error)) {
    const reason = 'another process holds it; stop that server or choose another storage.data_home'
    return new DbError('StorageUnavailable', `cannot open the catalog ${path}: ${reason}`, { cause: error })
  }
  const damaged = /malformed|not a database|JSON|no such (table|column)/i.test(message)
  const reason = damaged ? `${message}; weir storage check says more` : message
  return new DbError('StorageUnavailable', `cannot open the catalog ${path}: ${reason}`, { cause: error })
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && /locked|busy/i.test(error.message)
}

interface CatalogDamage {
  /** Byte of the file where the damaged page begins, where SQLite names one. */
  readonly offset?: number
  readonly reason: string
}

/** Reads tables whole: their structure and the checksum of every row. Series are many: `but` leaves them out of a start. */
export function catalogDamage(sqlite: DatabaseSync, but: readonly string[] = []): CatalogDamage[] {
  try {
    const pageSize = Number(sqlite.prepare('PRAGMA page_size').get()?.page_size)
    const tables = tableNames(sqlite).filter(table => !but.includes(table))
    const checks =
      but.length === 0 ? ['PRAGMA integrity_check'] : tables.map(table => `PRAGMA integrity_check('${table}')`)
    const structure = checks
      .flatMap(check => sqlite.prepare(check).all())
      .map(row => String(row.integrity_check))
      .filter(text => text !== 'ok')
      .flatMap(text => text.split('\n'))
      .filter(line => !line.startsWith('***'))
    const rows = tables.flatMap(table => wrongRows(sqlite, table))
    const series = but.includes('series') ? [] : seriesGaps(sqlite)
    return [
      ...(isSchemaWhole(sqlite) ? [] : [{ offset: 0, reason: wrongSchema }]),
      ...structure.map(reason => ({ ...pageOf(reason, pageSize), reason })),
      ...rows.map(row => ({ reason: `the row ${row} does not match its checksum` })),
      ...series
    ]
  } catch (error) {
    return [{ reason: error instanceof Error ? error.message : String(error) }]
  }
}

function pageOf(reason: string, pageSize: number): { readonly offset?: number } {
  const page = /\bpage (\d+)/i.exec(reason)?.[1]
  return page === undefined ? {} : { offset: (Number(page) - 1) * pageSize }
}

/** Series are numbered from 1 without gaps: one that is missing makes the table's log unreadable. */
function seriesGaps(sqlite: DatabaseSync): CatalogDamage[] {
  const select =
    'SELECT table_id, count(*) AS found, max(tsid) AS last FROM series GROUP BY table_id HAVING found <> last'
  const gaps = sqlite.prepare(select).all()
  return gaps.map(({ table_id, found, last }) => ({ reason: `table ${table_id} has ${found} of ${last} series` }))
}

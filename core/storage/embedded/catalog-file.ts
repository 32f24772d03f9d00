// The catalog's SQLite file: taken for one process alone, and what is wrong with it.
import { DatabaseSync } from 'node:sqlite'
import { DbError } from '../../errors.ts'
import { tableNames, wrongRows } from './row-sums.ts'

/** Opens the file and takes it for this process alone. Throws DbError `StorageUnavailable`. */
export function openCatalogFile(path: string): DatabaseSync {
  const sqlite = new DatabaseSync(path)
  try {
    sqlite.exec(
      'PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; BEGIN EXCLUSIVE; COMMIT;'
    )
    return sqlite
  } catch (error) {
    sqlite.close()
    throw catalogError(path, error)
  }
}

/** What SQLite says of the catalog, as ours. */
export function catalogError(path: string, error: unknown): DbError {
  const message = error instanceof Error ? error.message : String(error)
  if (/locked|busy/i.test(message)) {
    const reason = 'another process holds it; stop that server or choose another storage.data_home'
    return new DbError('StorageUnavailable', `cannot open the catalog ${path}: ${reason}`, { cause: error })
  }
  const damaged = /malformed|not a database|JSON|no such (table|column)/i.test(message)
  const reason = damaged ? `${message}; weir storage check says more` : message
  return new DbError('StorageUnavailable', `cannot open the catalog ${path}: ${reason}`, { cause: error })
}

export interface CatalogDamage {
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
    return [
      ...structure.map(reason => ({ ...pageOf(reason, pageSize), reason })),
      ...rows.map(row => ({ reason: `the row ${row} does not match its checksum` }))
    ]
  } catch (error) {
    return [{ reason: error instanceof Error ? error.message : String(error) }]
  }
}

function pageOf(reason: string, pageSize: number): { readonly offset?: number } {
  const page = /\bpage (\d+)/i.exec(reason)?.[1]
  return page === undefined ? {} : { offset: (Number(page) - 1) * pageSize }
}

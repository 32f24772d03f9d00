// Reading the catalog's file when it is opened: its format, its damage, its databases and tables.
import { statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { DbError } from '../../../errors.ts'
import type { Database } from '../../../model/table.ts'
import { catalogDamage, catalogError, openCatalogToRead } from './catalog-file.ts'
import { groupByTable, loadTable, type TableState } from './catalog-rows.ts'
import { timeProblem } from './catalog-time.ts'
import { requireKnownFormat } from './catalog-upgrade.ts'

/**
 * Throws `StorageUnavailable` unless the catalog is whole, of a known format, and of one time with the log in `logDir`. Nothing is changed:
 * to open the file in another way would already write to it. Returns how many changes its main file has seen.
 */
export function requireSound(path: string, logDir: string | undefined): number | undefined {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0) return undefined
  const { sqlite, main } = openCatalogToRead(path, logDir)
  try {
    requireKnownFormat(sqlite, path)
    checkDamage(sqlite, path)
    const problem = logDir === undefined ? undefined : timeProblem(sqlite, path, logDir, main)
    if (problem === undefined) return main
    const more = 'Nothing was changed; weir storage check says more.'
    throw new DbError('StorageUnavailable', `${problem.file}: ${problem.reason}, or restore a backup. ${more}`)
  } catch (error) {
    throw error instanceof DbError ? error : catalogError(path, error)
  } finally {
    sqlite.close()
  }
}

/** A look-up in damaged rows could take the files of a table for left-overs. Series are read when they are needed. */
function checkDamage(sqlite: DatabaseSync, path: string): void {
  const [first, ...more] = catalogDamage(sqlite, ['series'])
  if (first === undefined) return
  const at = first.offset === undefined ? '' : ` at byte ${first.offset}`
  const rest = more.length > 0 ? ` and ${more.length} more` : ''
  throw new DbError(
    'StorageUnavailable',
    `the catalog is damaged: ${path}${at}: ${first.reason}${rest}. Restore it from a backup, or see what weir storage check says.`
  )
}

/** All but series and views, by number. */
export function readCatalog(sqlite: DatabaseSync): {
  readonly databases: readonly Database[]
  readonly tables: readonly TableState[]
} {
  const databases = sqlite
    .prepare('SELECT id, name, options FROM databases ORDER BY id')
    .all()
    .map(row => ({ id: row.id as number, name: row.name as string, options: JSON.parse(row.options as string) }))
  const columns = groupByTable(sqlite.prepare('SELECT * FROM columns ORDER BY table_id, position').all())
  const selectFiles = sqlite.prepare('SELECT * FROM files ORDER BY id')
  selectFiles.setReadBigInts(true)
  const files = groupByTable(selectFiles.all())
  const tables = sqlite
    .prepare('SELECT t.*, d.name AS database FROM tables t JOIN databases d ON d.id = t.database_id ORDER BY t.id')
    .all()
    .map(row => loadTable(row, columns.get(row.id as number) ?? [], files.get(row.id as number) ?? []))
  return { databases, tables }
}

// Reading the catalog's file when it is opened: its format, its damage, its databases and tables.
import type { DatabaseSync } from 'node:sqlite'
import { DbError } from '../../../errors.ts'
import type { Database } from '../../../model/table.ts'
import { catalogDamage } from './catalog-file.ts'
import { catalogFormat, groupByTable, loadTable, type TableState } from './catalog-rows.ts'

/** Throws `StorageUnavailable` when a later version wrote the file. */
export function checkFormat(sqlite: DatabaseSync, path: string): void {
  const row = sqlite.prepare(`SELECT value FROM meta WHERE key = 'format'`).get()
  const found = Number(row?.value ?? catalogFormat)
  if (found > catalogFormat)
    throw new DbError('StorageUnavailable', `${path} has format ${found}, this server knows up to ${catalogFormat}`)
  if (row !== undefined && found === catalogFormat) return
  sqlite.prepare('INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)').run('format', String(catalogFormat))
}

/** A look-up in damaged rows could take the files of a table for left-overs. Series are read when they are needed. */
export function checkDamage(sqlite: DatabaseSync, path: string): void {
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

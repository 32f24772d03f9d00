// The catalog's rows as JSON and back: how a backup carries them. Series are many and travel in files of their own.
import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { DbError } from '../../../errors.ts'
import { openCatalogFile, prepareCatalog } from './catalog-file.ts'
import { catalogFormat, catalogSchema } from './catalog-rows.ts'
import { tableNames } from './row-sums.ts'

type Cell = null | number | string

/** Rows by table, as they stand in the catalog; integers beyond 2^53 are text. */
export interface CatalogCopy {
  readonly format: number
  readonly rows: { readonly [table: string]: readonly { readonly [column: string]: Cell }[] }
}

/** Entries that belong to one folder only, or are copied in another way. */
const left: readonly string[] = ['meta', 'series']

export function copyCatalog(sqlite: DatabaseSync): CatalogCopy {
  const tables = tableNames(sqlite).filter(table => !left.includes(table))
  return { format: catalogFormat, rows: Object.fromEntries(tables.map(table => [table, rowsOf(sqlite, table)])) }
}

function rowsOf(sqlite: DatabaseSync, table: string) {
  const select = sqlite.prepare(`SELECT * FROM ${table}`)
  select.setReadBigInts(true)
  return select
    .all()
    .map(({ sum, ...row }) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, cellOf(value)])))
}

function cellOf(value: unknown): Cell {
  if (typeof value !== 'bigint') return value as Cell
  return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
}

/** A new catalog at `path`, closed by the caller. Throws DbError when another version wrote the copy. */
export function createCatalog(path: string, { format, rows }: CatalogCopy): DatabaseSync {
  if (format > catalogFormat) {
    throw new DbError(
      'InvalidArguments',
      `the backup was made by a newer version of the server: it has format ${format}, this version knows up to ${catalogFormat}`
    )
  }
  const sqlite = openCatalogFile(path)
  try {
    prepareCatalog(sqlite, catalogSchema)
    sqlite.exec('BEGIN')
    sqlite.prepare('INSERT INTO meta (key, value) VALUES (?, ?)').run('format', String(format))
    const known = new Set(tableNames(sqlite))
    for (const [table, all] of Object.entries(rows)) {
      if (!known.has(table)) throw new DbError('InvalidArguments', `the backup has an unknown catalog table ${table}`)
      for (const row of all) insertRow(sqlite, table, row)
    }
    sqlite.exec('COMMIT')
    return sqlite
  } catch (error) {
    sqlite.close()
    throw error
  }
}

function insertRow(sqlite: DatabaseSync, table: string, row: Readonly<Record<string, SQLInputValue>>): void {
  const names = Object.keys(row).map(name => `"${name.replaceAll('"', '""')}"`)
  const marks = names.map(() => '?').join(', ')
  // Columns have affinity INTEGER where numbers stand: text of an integer becomes one again.
  sqlite.prepare(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${marks})`).run(...Object.values(row))
}

// Copies the intact rows of a damaged catalog to a new file. Complete tables are kept, the others are left out.
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import { DbError } from '../../../errors.ts'
import { openCatalogFile, prepareCatalog } from '../catalog/catalog-file.ts'
import { catalogSchema } from '../catalog/catalog-rows.ts'
import { matches, tableNames } from '../catalog/row-sums.ts'

interface Salvage {
  /** Open, under another name than the damaged one. */
  readonly catalog: DatabaseSync
  /** Descriptions of what is missing in it. */
  readonly lost: readonly string[]
}

/** Ids that may have been assigned but cannot be read any more are skipped. */
const idGap = 1000

/** Copies to a new file at `path` and leaves the damaged one as it is. Throws DbError if nothing can be saved. */
export function salvageCatalog(damaged: DatabaseSync, path: string): Salvage {
  const catalog = openCatalogFile(path)
  try {
    prepareCatalog(catalog, catalogSchema)
    catalog.exec('BEGIN')
    // Tables that are known to have lost a column or series.
    const torn = new Set<bigint>()
    const lost = tableNames(catalog)
      .filter(table => !isYounger(damaged, table))
      .flatMap(table => copyRows(damaged, catalog, table, torn))
    for (const id of torn) catalog.prepare('DELETE FROM columns WHERE table_id = ?').run(id)
    const [databases] = catalog.prepare('SELECT count(*) AS found FROM databases').all()
    if (databases?.found === 0)
      throw new DbError('StorageUnavailable', 'no database can be read from the catalog: restore a backup')
    for (const each of leaveOut(catalog)) lost.push(each)
    for (const table of ['databases', 'tables', 'files']) {
      catalog.exec(`UPDATE sqlite_sequence SET seq = seq + ${idGap} WHERE name = '${table}'`)
    }
    catalog.exec('COMMIT')
    return { catalog, lost }
  } catch (error) {
    catalog.close()
    throw error
  }
}

/** Views were added to catalogs later, so the table may never have existed. */
function isYounger(damaged: DatabaseSync, table: string): boolean {
  try {
    return table === 'views' && !tableNames(damaged).includes(table)
  } catch {
    return false
  }
}

/** Copies from both ends, so that only rows on damaged pages are missing. */
function copyRows(from: DatabaseSync, to: DatabaseSync, table: string, torn: Set<bigint>): string[] {
  const lost = new Set<string>()
  const key = keyOf(to, table)
  for (const direction of ['ASC', 'DESC']) {
    try {
      const order = key.map(name => `${name} ${direction}`).join(', ')
      const select = from.prepare(
        `SELECT *, (${matches(from, table)}) AS whole FROM ${table} NOT INDEXED ORDER BY ${order}`
      )
      select.setReadBigInts(true)
      for (const { sum, whole, ...row } of select.iterate()) {
        if (whole === 1n) {
          insert(to, table, row)
          continue
        }
        if ((table === 'columns' || table === 'series') && typeof row.table_id === 'bigint') torn.add(row.table_id)
        lost.add(`${table} ${key.map(name => `${name}=${row[name]}`).join(' ')}: the row is damaged`)
      }
      return [...lost]
    } catch {
      // The other direction may read the rest.
    }
  }
  return [...lost, `${table}: some rows cannot be read`]
}

function insert(to: DatabaseSync, table: string, row: Record<string, SQLOutputValue>): void {
  const names = Object.keys(row)
  const marks = names.map(() => '?').join(', ')
  to.prepare(`INSERT OR IGNORE INTO ${table} (${names.join(', ')}) VALUES (${marks})`).run(...Object.values(row))
}

function keyOf(catalog: DatabaseSync, table: string): string[] {
  const all = catalog.prepare(`PRAGMA table_info(${table})`).all()
  return all.filter(row => Number(row.pk) > 0).map(row => String(row.name))
}

/** Removes tables without their database, a column, a series or their physical table, and rows of missing tables. */
function leaveOut(catalog: DatabaseSync): string[] {
  const incomplete = catalog.prepare(
    `SELECT id, name FROM tables t WHERE database_id NOT IN (SELECT id FROM databases)
     OR (SELECT count(*) = 0 OR count(*) <> max(id) FROM columns WHERE table_id = t.id)
     OR EXISTS (SELECT 1 FROM files f, json_each(f.columns) c WHERE f.table_id = t.id
         AND c.value > (SELECT max(id) FROM columns WHERE table_id = t.id))
     OR (SELECT count(*) = 0 FROM columns WHERE table_id = t.id AND definition ->> 'semantic' = 'timestamp')
     OR (SELECT count(*) <> coalesce(max(tsid), 0) FROM series WHERE table_id = t.id)
     OR (options ->> 'physical_table' IS NOT NULL AND NOT EXISTS
         (SELECT 1 FROM tables h WHERE h.database_id = t.database_id AND h.name = t.options ->> 'physical_table'))`
  )
  const lost: string[] = []
  // Repeated, because removing a physical table makes its logical tables incomplete.
  for (let found = incomplete.all(); found.length > 0; found = incomplete.all()) {
    for (const { id, name } of found) {
      catalog.prepare('DELETE FROM tables WHERE id = ?').run(id!)
      lost.push(`table ${name} (id ${id}) is left out: its database, a column, a series or its physical table is lost`)
    }
  }
  catalog.exec('DELETE FROM views WHERE database_id NOT IN (SELECT id FROM databases)')
  for (const table of ['columns', 'files', 'series']) {
    catalog.exec(`DELETE FROM ${table} WHERE table_id NOT IN (SELECT id FROM tables)`)
  }
  return lost
}

// The views of the catalog: rows of its SQLite file, mirrored in memory.
import type { DatabaseSync } from 'node:sqlite'
import type { Database, View } from '../../../model/table.ts'

export class CatalogViews {
  readonly #sqlite: DatabaseSync
  readonly #byDatabase = new Map<string, Map<string, View>>()

  constructor(sqlite: DatabaseSync) {
    this.#sqlite = sqlite
  }

  of(database: string): readonly View[] {
    return [...(this.#byDatabase.get(database)?.values() ?? [])]
  }

  find(database: string, name: string): View | undefined {
    return this.#byDatabase.get(database)?.get(name)
  }

  put({ id }: Database, view: View): void {
    const { name, query, columns, createdAt } = view
    const insert = 'INSERT INTO views (database_id, name, query, columns, created_at) VALUES (?, ?, ?, ?, ?)'
    const replace = 'ON CONFLICT (database_id, name) DO UPDATE SET query = ?3, columns = ?4, created_at = ?5'
    this.#sqlite.prepare(`${insert} ${replace}`).run(id, name, query, JSON.stringify(columns), createdAt)
    this.#remember(view)
  }

  drop({ id }: Database, name: string): void {
    this.#sqlite.prepare('DELETE FROM views WHERE database_id = ? AND name = ?').run(id, name)
    this.#byDatabase.get(this.#nameOf(id))?.delete(name)
  }

  /** The rows of a database's views; the caller holds the transaction and calls `forget` after it. */
  deleteAll({ id }: Database): void {
    this.#sqlite.prepare('DELETE FROM views WHERE database_id = ?').run(id)
  }

  forget(database: string): void {
    this.#byDatabase.delete(database)
  }

  load(): void {
    this.#byDatabase.clear()
    const select = 'SELECT v.*, d.name AS database FROM views v JOIN databases d ON d.id = v.database_id ORDER BY v.id'
    for (const { database, name, query, columns, created_at } of this.#sqlite.prepare(select).all()) {
      this.#remember({
        database: database as string,
        name: name as string,
        query: query as string,
        columns: JSON.parse(columns as string),
        createdAt: created_at as number
      })
    }
  }

  #remember(view: View): void {
    const views = this.#byDatabase.get(view.database) ?? new Map<string, View>()
    this.#byDatabase.set(view.database, views.set(view.name, view))
  }

  #nameOf(id: number): string {
    return String(this.#sqlite.prepare('SELECT name FROM databases WHERE id = ?').get(id)?.name)
  }
}

// Access control of users' statements: with a separate reading user, a role per database says what they may read.
import type { Connection } from './connection.ts'
import { databaseName, type Location, onCluster } from './definition.ts'
import { emptyDatabase, quoteName } from './names.ts'

/** Name of the role for reading a database. */
function roleOf(database: string): string {
  return `${database}__reader`
}

/** Idempotent statements that create the role of a database and grant it to the reading user. */
export function roleStatements(location: Location, database: string, reader: string): string[] {
  const on = onCluster(location)
  const role = quoteName(roleOf(database))
  return [
    `CREATE ROLE IF NOT EXISTS ${role}${on}`,
    `GRANT${on} SHOW DATABASES, SELECT ON ${quoteName(database)}.* TO ${role}`,
    `GRANT${on} ${role} TO ${quoteName(reader)}`
  ]
}

export class Readers {
  readonly #connection: Connection
  readonly #location: Location
  readonly #reader: string
  readonly #granted = new Set<string>()

  /** `reader` is empty if statements run as the server's own user. */
  constructor(connection: Connection, location: Location, reader: string) {
    this.#connection = connection
    this.#location = location
    this.#reader = reader
  }

  /** The roles a statement needs that reads tables of these databases. */
  async roles(databases: Iterable<string>): Promise<readonly string[]> {
    if (this.#reader === '') return []
    const named = [...databases].map(name => databaseName(this.#location, name))
    const all = new Set([emptyDatabase(this.#location.prefix), ...named])
    for (const database of all) {
      if (this.#granted.has(database)) continue
      for (const text of roleStatements(this.#location, database, this.#reader)) await this.#connection.command(text)
      this.#granted.add(database)
    }
    return Array.from(all, roleOf)
  }
}

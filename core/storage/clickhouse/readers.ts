// Who statements of users run as: with a user of their own in the cluster, a role for each database says what they may read.
import type { Connection } from './connection.ts'
import { databaseName, type Location, onCluster } from './definition.ts'
import { emptyDatabase, quoteName } from './names.ts'

/** Name of the role that may read a database of the cluster. */
function roleOf(database: string): string {
  return `${database}__reader`
}

/** Statements that make the role of a database of the cluster and give it to the user that reads; all may run again. */
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

  /** `reader` is empty where statements run as the server itself. */
  constructor(connection: Connection, location: Location, reader: string) {
    this.#connection = connection
    this.#location = location
    this.#reader = reader
  }

  /** The roles of a statement that reads tables of these databases of users. */
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

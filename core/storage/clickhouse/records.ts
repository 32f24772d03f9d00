// The part of the catalog that table comments cannot hold: databases, views, logical tables and the series key, as rows of a table in the
// cluster.
import type { Connection } from './connection.ts'
import { databaseName, type Location, onCluster } from './definition.ts'
import { quoteName, quoteText } from './names.ts'
import type { Versions } from './versions.ts'

type RecordKind = 'key' | 'database' | 'view' | 'table' | 'column'

/** A record, identified by kind, database, table or view, and column. */
export interface CatalogRecord {
  readonly kind: RecordKind
  readonly database: string
  readonly name: string
  readonly part: string
  /** The content, as JSON. */
  readonly said: unknown
}

export interface RecordChange extends Omit<CatalogRecord, 'said'> {
  /** The content; undefined: the object is gone. */
  readonly said: unknown
}

export class Records {
  readonly #connection: Connection
  readonly #location: Location
  readonly #versions: Versions
  readonly #table: string

  constructor(connection: Connection, location: Location, versions: Versions) {
    this.#connection = connection
    this.#location = location
    this.#versions = versions
    this.#table = `${quoteName(databaseName(location, 'svc_private'))}.${quoteName('__catalog')}`
  }

  async create(): Promise<void> {
    const { cluster } = this.#location
    const on = onCluster(this.#location)
    await this.#connection.command(
      `CREATE DATABASE IF NOT EXISTS ${quoteName(databaseName(this.#location, 'svc_private'))}${on}`
    )
    // Replicated to every server of the cluster, whatever its shard.
    const engine =
      cluster === ''
        ? 'ReplacingMergeTree(version, deleted)'
        : "ReplicatedReplacingMergeTree('/clickhouse/tables/{uuid}/all', '{shard}-{replica}', version, deleted)"
    await this.#connection.command(
      `CREATE TABLE IF NOT EXISTS ${this.#table}${on} (kind LowCardinality(String), database String, name String, part String, said String, version UInt64, deleted UInt8) ENGINE = ${engine} ORDER BY (kind, database, name, part) SETTINGS non_replicated_deduplication_window = 10000 COMMENT 'Databases, views and logical tables of Weir'`
    )
  }

  /** Records of one database and name, or all. */
  async read(only?: { readonly database: string; readonly name?: string }): Promise<CatalogRecord[]> {
    const where = [
      ...(only ? [`database = ${quoteText(only.database)}`] : []),
      ...(only?.name === undefined ? [] : [`name = ${quoteText(only.name)}`])
    ]
    const settings = this.#location.cluster === '' ? {} : { select_sequential_consistency: 1 }
    const rows = await this.#connection.rows(
      `SELECT kind, database, name, part, said FROM ${this.#table} FINAL${where.length > 0 ? ` WHERE ${where.join(' AND ')}` : ''}`,
      { settings }
    )
    return rows.map(row => ({ ...(row as unknown as CatalogRecord), said: JSON.parse(String(row['said'])) }))
  }

  async write(changes: readonly RecordChange[], token?: string): Promise<void> {
    if (changes.length === 0) return
    const first = this.#versions.take(changes.length)
    const lines = changes.map(({ said, ...change }, i) =>
      JSON.stringify({
        ...change,
        said: JSON.stringify(said ?? null),
        version: String(first + BigInt(i)),
        deleted: said === undefined ? 1 : 0
      })
    )
    const settings = { async_insert: 0, ...(this.#location.cluster !== '' && { insert_quorum: 'auto' }) }
    const options = { settings, token: token ?? String(first) }
    await this.#connection.insert(
      `INSERT INTO ${this.#table} FORMAT JSONEachRow`,
      [Buffer.from(lines.join('\n'))],
      options
    )
  }

  /** The key of the hash for series numbers: the first process creates it, all others use it. */
  async key(propose: () => string): Promise<string> {
    for (;;) {
      const found = (await this.read({ database: '', name: 'series' })).find(({ kind }) => kind === 'key')
      if (found !== undefined) return String(found.said)
      await this.write([{ kind: 'key', database: '', name: 'series', part: '', said: propose() }], 'weir-key-of-series')
    }
  }
}

// Statements, inserts and reads by the official client: several addresses, retries, translated errors.
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import type { ClickHouseClient, ClickHouseSettings } from '@clickhouse/client'
import { ConfigError } from '../../config/error.ts'
import { DbError, reasonOf } from '../../errors.ts'
import type { Metrics } from '../../metrics/metrics.ts'
import type { ResultBatch, ResultColumn } from '../../model/batch.ts'
import type { ResultType } from '../../model/types.ts'
import { pause } from '../../timer.ts'
import { cancelled, isUncertain, numberOf, translate } from './errors.ts'
import { emptyDatabase, quoteName, quoteText } from './names.ts'
import { type NativeBlock, readNative } from './native.ts'
import type { ClickHouseConfig } from './settings.ts'

type Settings = Readonly<Record<string, string | number>>

interface StatementOptions {
  readonly signal?: AbortSignal
  readonly settings?: Settings
  /** Values of `{name:Type}` in the statement. */
  readonly parameters?: Readonly<Record<string, unknown>>
}

export interface ReadOptions extends StatementOptions {
  /** Our own types of columns, where the cluster's are less specific. */
  readonly types?: ReadonlyMap<string, ResultType>
  /** For statements of users: runs as the reading user with these roles, in a database without tables. */
  readonly confined?: { readonly roles: readonly string[] }
}

/** Rows as they arrive; must be closed unless read to the end. */
export interface Reading {
  readonly columns: readonly ResultColumn[]
  batches(): AsyncGenerator<ResultBatch>
  close(): void
}

export interface Connection {
  /** A statement without a result. It is sent again if there was no answer, so it must be idempotent. */
  command(sql: string, options?: StatementOptions): Promise<void>
  /** The rows of an `INSERT … FORMAT …`. Sent again with the same deduplication token if the outcome is unknown. */
  insert(
    sql: string,
    data: readonly Uint8Array[],
    options: StatementOptions & { readonly token: string }
  ): Promise<void>
  read(sql: string, options?: ReadOptions): Promise<Reading>
  /** All rows of a short answer, keyed by column name. */
  rows(sql: string, options?: ReadOptions): Promise<Record<string, unknown>[]>
  /** Why the cluster cannot be reached; undefined if it can. */
  readonly trouble: string | undefined
  close(): Promise<void>
}

/** How often a request is sent, to any address. */
const attempts = 4
/** Milliseconds before the first retry; doubled each time. */
const firstPause = 50

/** Does not connect yet. Throws ConfigError if files named in the configuration cannot be read. */
export async function connect(config: ClickHouseConfig, metrics: Metrics): Promise<Connection> {
  const writer = {
    username: config.username,
    password: readPassword('password_file', config.password_file)
  }
  const reader =
    config.reader_username === ''
      ? writer
      : {
          username: config.reader_username,
          password: readPassword('reader_password_file', config.reader_password_file)
        }
  const tls = readTls(config)
  // Loaded on demand, because only servers with a cluster need the client.
  const { ClickHouseLogLevel, createClient } = await import('@clickhouse/client')
  const open = (url: string, i: number, user: typeof writer, database?: string) => {
    try {
      return createClient({
        url,
        ...user,
        ...(database !== undefined && { database }),
        application: 'weir',
        request_timeout: config.timeout,
        max_open_connections: config.max_connections,
        keep_alive: { enabled: true },
        log: { level: ClickHouseLogLevel.OFF },
        ...(tls && { tls })
      })
    } catch (error) {
      throw new ConfigError([
        {
          path: ['storage', 'clickhouse', 'urls', String(i)],
          message: `${reasonOf(error)}: expected http://host:8123 or https://host:8443`
        }
      ])
    }
  }
  const clients = config.urls.map((url, i) => open(url, i, writer))
  const confined = config.urls.map((url, i) => open(url, i, reader, emptyDatabase(config.database_prefix)))
  return new ClientConnection({ clients, confined, config, metrics })
}

function readPassword(key: string, path: string): string {
  return path === '' ? '' : readKey(key, path).toString().trimEnd()
}

function readKey(key: string, path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (error) {
    throw new ConfigError([{ path: ['storage', 'clickhouse', key], message: `cannot be read: ${reasonOf(error)}` }])
  }
}

function readTls({ ca_path, cert_path, key_path }: ClickHouseConfig) {
  if (ca_path === '') return undefined
  const ca_cert = readKey('ca_path', ca_path)
  if (cert_path === '') return { ca_cert }
  return { ca_cert, cert: readKey('cert_path', cert_path), key: readKey('key_path', key_path) }
}

interface ConnectionDependencies {
  readonly clients: readonly ClickHouseClient[]
  /** For the same addresses, for statements of users. */
  readonly confined: readonly ClickHouseClient[]
  readonly config: ClickHouseConfig
  readonly metrics: Metrics
}

class ClientConnection implements Connection {
  readonly #clients: readonly ClickHouseClient[]
  readonly #confined: readonly ClickHouseClient[]
  readonly #urls: readonly string[]
  readonly #cluster: string
  #next = 0
  #trouble: string | undefined
  readonly #requests
  readonly #retries

  constructor({ clients, confined, config, metrics }: ConnectionDependencies) {
    this.#clients = clients
    this.#confined = confined
    this.#urls = config.urls
    this.#cluster = config.cluster
    const help =
      'Requests to the ClickHouse cluster, by kind and result: `ok`, or the number of its error, or `unanswered`.'
    this.#requests = metrics.counter('svc_storage_clickhouse_requests_total', help, ['kind', 'result'])
    this.#retries = metrics.counter(
      'svc_storage_clickhouse_retries_total',
      'Requests sent to the ClickHouse cluster again.',
      ['kind']
    )
  }

  get trouble(): string | undefined {
    return this.#trouble
  }

  command(sql: string, options: StatementOptions = {}): Promise<void> {
    return this.#attempt('statement', options, async client => {
      await client.command({ query: sql, ...given(options) })
    })
  }

  insert(
    sql: string,
    data: readonly Uint8Array[],
    options: StatementOptions & { readonly token: string }
  ): Promise<void> {
    const settings = { ...options.settings, insert_deduplication_token: options.token }
    return this.#attempt('insert', options, async client => {
      const { stream } = await client.exec({
        query: sql,
        values: Readable.from(data, { objectMode: false }),
        ...given({ ...options, settings })
      })
      for await (const _ of stream);
    })
  }

  async read(sql: string, options: ReadOptions = {}): Promise<Reading> {
    const { signal, types, confined } = options
    return this.#attempt('query', options, async (client, at) => {
      // A FORMAT clause would become part of the statement that EXPLAIN analyses.
      const asked = given({ ...options, settings: { ...options.settings, default_format: 'Native' } })
      // Without this, the cluster continues a statement that nobody waits for.
      const kill = () => this.#kill(at, asked.query_id)
      signal?.addEventListener('abort', kill, { once: true })
      const { stream } = await (confined ? this.#confined[at]! : client)
        .exec({ query: sql, ...asked, ...(confined && { role: [...confined.roles] }) })
        .catch((error: unknown) => {
          signal?.removeEventListener('abort', kill)
          throw error
        })
      let isRead = false
      stream.once('end', () => {
        isRead = true
      })
      const stop = () => stream.destroy()
      signal?.addEventListener('abort', stop, { once: true })
      const end = () => {
        signal?.removeEventListener('abort', stop)
        signal?.removeEventListener('abort', kill)
        if (!isRead && !stream.destroyed) kill()
        stream.destroy()
      }
      const blocks = readNative(stream, types)
      try {
        const first = await blocks.next()
        if (first.done) return { columns: [], batches: noBatches, close: end }
        return { columns: first.value.head, batches: () => rest(first.value, blocks, end, signal), close: end }
      } catch (error) {
        end()
        throw error
      }
    })
  }

  async rows(sql: string, options: ReadOptions = {}): Promise<Record<string, unknown>[]> {
    const { columns, batches } = await this.read(sql, options)
    const found: Record<string, unknown>[] = []
    for await (const { rows, columns: vectors } of batches()) {
      for (let i = 0; i < rows; i++) {
        found.push(Object.fromEntries(columns.map(({ name }, c) => [name, vectors[c]!.values[i]])))
      }
    }
    return found
  }

  async close(): Promise<void> {
    await Promise.all([...this.#clients, ...this.#confined].map(client => client.close()))
  }

  /** Kills a statement in the cluster. Not awaited: if it fails, the statement ends at its time limit. */
  #kill(at: number, id: string): void {
    const on = this.#cluster === '' ? '' : ` ON CLUSTER ${quoteName(this.#cluster)}`
    this.#clients[at]!.command({ query: `KILL QUERY${on} WHERE query_id = ${quoteText(id)} ASYNC` }).catch(() => {})
  }

  /** Sends a request; retries unanswered ones at the next address. */
  async #attempt<T>(
    kind: string,
    { signal }: StatementOptions,
    send: (client: ClickHouseClient, at: number) => Promise<T>
  ): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      if (signal?.aborted) throw cancelled(signal)
      const at = this.#next++ % this.#clients.length
      try {
        const result = await send(this.#clients[at]!, at)
        this.#requests.add(1, { kind, result: 'ok' })
        this.#trouble = undefined
        return result
      } catch (error) {
        const number = numberOf(error)
        this.#requests.add(1, { kind, result: number === undefined ? 'unanswered' : String(number) })
        if (signal?.aborted) throw cancelled(signal)
        const again = isUncertain(error)
        if (!again) this.#trouble = undefined
        if (!again || attempt === attempts) {
          const told = translate(error)
          if (again) this.#trouble = `${told.message} (${this.#urls[at]})`
          throw told
        }
        this.#retries.add(1, { kind })
        await pause(firstPause * 2 ** (attempt - 1), signal === undefined ? {} : { signal }).catch(() => {})
      }
    }
  }
}

function given({ signal, settings, parameters }: StatementOptions) {
  return {
    query_id: randomUUID(),
    ...(signal && { abort_signal: signal }),
    ...(settings && { clickhouse_settings: settings as ClickHouseSettings }),
    ...(parameters && { query_params: { ...parameters } })
  }
}

async function* noBatches(): AsyncGenerator<ResultBatch> {}

async function* rest(
  first: NativeBlock,
  blocks: AsyncGenerator<NativeBlock>,
  end: () => void,
  signal: AbortSignal | undefined
): AsyncGenerator<ResultBatch> {
  try {
    if (first.rows > 0) yield first
    for (;;) {
      if (signal?.aborted) throw cancelled(signal)
      const next = await blocks.next()
      if (next.done) return
      if (next.value.rows > 0) yield next.value
    }
  } catch (error) {
    throw error instanceof DbError ? error : translate(error, signal)
  } finally {
    end()
  }
}

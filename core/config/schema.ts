// The configuration schema: every key with its default and meaning. Durations and sizes are text in TOML, and numbers once loaded.
import { type Static, type TSchema, Type } from 'typebox'

/** What a schema node may have beyond JSON Schema: how its text is parsed, and how errors describe what was expected. */
export interface KeyOptions {
  /** `duration` is loaded as milliseconds, `size` as bytes. */
  readonly unit?: 'duration' | 'size'
  /** True: `config print` and `/config` hide it. */
  readonly secret?: boolean
  /** True: the value can change while the server runs; code that uses it reads it from the loaded table each time. */
  readonly live?: boolean
  /** Completes the sentence "expected …" if `pattern` does not match. */
  readonly expected?: string
}

interface UnitOptions extends Pick<KeyOptions, 'live'> {
  readonly minimum?: number
}

interface CountOptions extends UnitOptions {
  readonly maximum?: number
}

/** A duration, written as text (`30s`, `1h30m`), loaded as milliseconds; so is the default. */
export const duration = (byDefault: number, description: string, options: UnitOptions = {}) =>
  Type.Number({ unit: 'duration', default: byDefault, description, minimum: 0, ...options })

/** A size, written as text (`64MiB`), loaded as bytes; so is the default. */
export const size = (byDefault: number, description: string, options: UnitOptions = {}) =>
  Type.Number({ unit: 'size', default: byDefault, description, minimum: 0, ...options })

/** An integer, at least 1 unless the options say otherwise. */
export const count = (byDefault: number, description: string, options: CountOptions = {}) =>
  Type.Integer({ default: byDefault, description, minimum: 1, ...options })

/** A boolean key. */
export const flag = (byDefault: boolean, description: string, options: Pick<KeyOptions, 'live'> = {}) =>
  Type.Boolean({ default: byDefault, description, ...options })

const live = { live: true } as const
const text = (byDefault: string, description: string, options: KeyOptions & { pattern?: string } = {}) =>
  Type.String({ default: byDefault, description, ...options })
const choice = <const T extends readonly string[]>(
  values: T,
  byDefault: T[number],
  description: string,
  options: KeyOptions = {}
) => Type.Unsafe<T[number]>({ type: 'string', enum: values, default: byDefault, description, ...options })
const address = (byDefault: string, description: string) =>
  text(byDefault, description, {
    pattern: '^(\\[[0-9A-Fa-f:.%]+\\]|[^:\\s\\[\\]]+):\\d{1,5}$',
    expected: 'host:port, for example 127.0.0.1:4000'
  })
const table = <const P extends Record<string, TSchema>>(properties: P, description: string) =>
  Type.Object(properties, { additionalProperties: false, description })

const KiB = 1024
const MiB = 1024 * KiB
const second = 1000

const tls = table(
  {
    cert_path: text(
      '',
      "PEM file with the server's certificate chain. When it is set, both servers speak TLS and nothing else. Read again when the file changes."
    ),
    key_path: text('', 'Private key of the certificate, PEM. Read again when the file changes.'),
    min_version: choice(['TLSv1.2', 'TLSv1.3'], 'TLSv1.2', 'Oldest version of TLS clients may speak.'),
    client_ca_path: text(
      '',
      'PEM file with the certificate authorities of clients. The common name of a client certificate is the user name of requests without other credentials. Read again when the file changes. Empty: no client certificates are requested.'
    ),
    client_certificate: choice(
      ['optional', 'required'],
      'optional',
      'With `client_ca_path`: `required` closes connections of clients without a certificate.'
    )
  },
  'Certificate of both servers.'
)

const rateLimit = table(
  {
    per_address: count(
      0,
      'Requests under `/v1` one client address may make within `window`, on each of the two servers, wrong passwords included; further ones are refused with 429. `0` sets no limit. Behind a proxy all come from one address.',
      { minimum: 0, ...live }
    ),
    per_user: count(
      0,
      'Requests under `/v1` one user may make within `window`, on each of the two servers; further ones are refused with 429. `0` sets no limit. Without a `user_provider` all are one user.',
      { minimum: 0, ...live }
    ),
    window: duration(60 * second, 'Interval in which requests are counted; then the count starts anew.', {
      minimum: second,
      ...live
    })
  },
  'How many requests a client may make.'
)

const perSecond = (what: string) =>
  count(0, `${what} in a second; further requests are refused with 429. \`0\` sets no limit.`, { minimum: 0, ...live })
const bytesPerSecond = (whose: string) =>
  size(
    0,
    `Bytes of request bodies, inflated, one ${whose} may send in a second; further requests are refused with 429. \`0\` sets no limit.`,
    live
  )

const quota = table(
  {
    user_bytes: bytesPerSecond('user'),
    user_rows: perSecond('Rows and samples one user may write'),
    user_queries: perSecond('Storage queries of one user (each SQL statement, and each series selector, is one)'),
    address_bytes: bytesPerSecond('client address'),
    address_rows: perSecond('Rows and samples one client address may write'),
    address_queries: perSecond('Queries of the storage one client address may make'),
    burst: duration(
      10 * second,
      'Unused rates accumulate over this time and may then be used at once. One request may use more than is available; later requests then wait longer.',
      { minimum: second, ...live }
    )
  },
  'What one user and one client address may have under `/v1`, both servers together.'
)

const http = table(
  {
    addr: address(
      '127.0.0.1:4000',
      'Address of the main server. It serves every route: keep it private. `localhost` is 127.0.0.1.'
    ),
    enable_api_server: flag(false, 'Runs the public server, which serves only `/v1` and `/dashboard`.'),
    api_server_addr: address('127.0.0.1:4006', 'Address of the public server.'),
    timeout: duration(
      30 * second,
      'Time a request may take until its response headers are sent, and on every route until its body has arrived; `0s` sets no limit. The header `x-svc-timeout` sets it for one request; more of it does not lengthen the time for the body.',
      live
    ),
    body_limit: size(64 * MiB, 'Largest request body, before and after decompression; `0` sets no limit.'),
    max_body_values: count(
      5_000_000,
      'Values one request body in JSON may have, and lines one of plain text; one with more is refused with 413. Each array and object counts as one, and each comma as one more. `0` sets no limit.',
      { minimum: 0, ...live }
    ),
    max_header_size: size(
      64 * KiB,
      'Bytes of the first line and the headers of one request; one with more is refused with 431. A GET request has its query in the first line.',
      { minimum: 4 * KiB }
    ),
    max_form_size: size(
      4 * MiB,
      'Largest urlencoded form, where a route takes its parameters from one, largest JSON of a route with a schema for its body, and largest query of remote read; a larger one is refused with 413. `0`: only `body_limit` counts.',
      live
    ),
    max_form_fields: count(
      10_000,
      'Fields a urlencoded form may have; one with more is refused with 400. `0` sets no limit.',
      { minimum: 0, ...live }
    ),
    is_strict_mode: flag(
      false,
      'Metric and label names must be of the classic form; otherwise any UTF-8 name is taken.'
    ),
    enable_cors: flag(true, 'Answers cross-origin requests to `/v1` and `/dashboard`.'),
    cors_allowed_origins: Type.Array(Type.String(), {
      default: [],
      description:
        'Origins web pages may come from, `*` for any. Empty: any with a `user_provider`, only the own origin without.'
    }),
    allowed_hosts: Type.Array(Type.String({ minLength: 1 }), {
      default: [],
      description:
        "Host names, with or without port, of the server's own web pages, besides loopback and the listening address. Requests of browsers with another `Host` that would change something are refused with 403, which prevents DNS rebinding. Other clients are not affected.",
      ...live
    }),
    read_only_get: flag(
      false,
      'Refuses changes, for example SQL statements other than queries, in GET requests; they need POST.',
      live
    ),
    max_connections: count(
      0,
      'Connections each of the two servers may have; further ones are closed at once. `0` is half of the files the process may have open, divided by the servers that run.',
      { minimum: 0 }
    ),
    keep_alive_timeout: duration(
      72 * second,
      'Time a connection may be idle between two requests, and before its first one, and in which the rest of a body must arrive whose request was answered; then it is closed. `0s` sets no limit.'
    ),
    unread_timeout: duration(
      30 * second,
      'Time a client may leave a pending answer unread; then its connection is closed. `0s` sets no limit.'
    ),
    shutdown_grace: duration(
      10 * second,
      'Time for running requests to end and for rows in memory to be flushed when the server stops; rows that are not flushed are still in the log. After 5 s more the process is ended.',
      live
    ),
    tls,
    rate_limit: rateLimit,
    quota
  },
  'The two HTTP servers.'
)

const clickhouse = table(
  {
    urls: Type.Array(Type.String({ minLength: 1 }), {
      default: ['http://127.0.0.1:8123'],
      minItems: 1,
      description:
        'HTTP or HTTPS addresses of the cluster. Requests are distributed in turn; if one does not answer, the next one is tried.'
    }),
    username: text('default', "The server's own user in the cluster."),
    password_file: text('', "File with the user's password; empty: none."),
    reader_username: text(
      '',
      "User in the cluster as which statements of users run. It needs no rights: the server creates a role for each database and grants it. Empty: the server's own user."
    ),
    reader_password_file: text('', "File with that user's password; empty: none."),
    database_prefix: text('weir_', 'Prefix of database names in the cluster.', {
      pattern: '^[A-Za-z][A-Za-z0-9_]{0,39}$',
      expected: 'letters, digits and _, 40 at most, a letter first'
    }),
    cluster: text(
      '',
      'Name of the cluster in the configuration of its servers: tables are replicated and distributed over it. Empty: one server, tables without replicas.'
    ),
    insert_quorum: text(
      'auto',
      'With `cluster`: number of replicas that must have the rows before a write is answered, or `auto` for a majority.',
      { pattern: '^(?:auto|\\d{1,3})$', expected: 'a number or auto' }
    ),
    timeout: duration(30 * second, 'Time one request to the cluster may take.', { minimum: second }),
    refresh_interval: duration(
      10 * second,
      'Time after which databases, tables and views that other processes created or changed become visible at the latest.',
      { minimum: second }
    ),
    max_connections: count(64, 'Connections to each address of the cluster.'),
    ca_path: text('', 'PEM file with the certificate authorities of the cluster. Empty: those of the system.'),
    cert_path: text('', "PEM file with the server's client certificate for the cluster. Empty: none."),
    key_path: text('', 'Private key of that certificate, PEM.')
  },
  'The ClickHouse cluster, where `engine` is `clickhouse`.'
)

const ownLimit = (description: string) => Type.Optional(Type.Integer({ description, minimum: 1, ...live }))

const databaseLimits = table(
  {
    max_tables: ownLimit('Tables of this database.'),
    max_metrics: ownLimit('Metrics of this database.'),
    max_columns: ownLimit('Columns of one of its tables.'),
    max_series: ownLimit('Series of one of its tables.'),
    max_tag_length: Type.Optional(
      Type.Number({ unit: 'size', description: 'Bytes of one tag value.', minimum: 1, ...live })
    )
  },
  'Limits of one database.'
)

const limits = table(
  {
    max_tables: count(
      20_000,
      'Tables of one database, without metrics. Writes and statements that would create a further one are refused with 400.',
      live
    ),
    max_metrics: count(100_000, 'Metrics (logical tables) of one database. Further ones are refused with 400.', live),
    max_columns: count(
      2_000,
      'Columns of one table; for metrics, label names of all that share a physical table. Requests that need further ones are refused with 400.',
      live
    ),
    max_series: count(
      5_000_000,
      'Series (distinct sets of tag values) of one table; for metrics, of all that share a physical table. Rows of further series are refused with 400, rows of known series are still accepted. Each series takes about 300 bytes of memory.',
      live
    ),
    max_tag_length: size(
      64 * KiB,
      'Bytes of one tag value. Tag values are kept in memory, so long text belongs in a field; rows of new series with a longer tag value are refused with 400.',
      { minimum: 1, ...live }
    ),
    databases: Type.Record(Type.String(), databaseLimits, {
      default: {},
      description: 'Other limits for single databases: `[limits.databases.NAME]`.',
      ...live
    })
  },
  'Limits on the growth of databases and tables, for every protocol. They do not apply to the database `svc_private`, which only the server writes, unless it has a table of its own here.'
)

const storage = table(
  {
    engine: text('embedded', 'Storage engine: `embedded`, `clickhouse` or the name of a module.'),
    data_home: text(
      './weir_data',
      'Folder of all local data. A relative path counts from the folder the server is started in.'
    ),
    memory_limit: size(
      0,
      "Memory that SQL statements may use before they spill to disk; `0` is a quarter of the machine's memory. Flushes and compaction have the same limit, separately."
    ),
    query_memory_hard_limit: size(
      0,
      'Resident memory at which the process that runs SQL statements is restarted, because `memory_limit` does not count some values, such as a single long text or list. `0` is a quarter, and at least 256 MiB, more than `memory_limit`; values less than 150 MiB above `memory_limit` are raised to that.'
    ),
    memtable_size: size(
      128 * MiB,
      'Rows in memory are flushed to files when they and the copies that SQL reads of them take this much.',
      {
        minimum: MiB,
        ...live
      }
    ),
    memtable_limit: size(
      512 * MiB,
      'Memory of all rows that are not flushed. Writes slow down as it is approached, wait when it is reached, and are refused with 503 if they wait too long.',
      { minimum: MiB, ...live }
    ),
    flush_interval: duration(600 * second, 'Rows in memory are written to files after this time at the latest.', {
      minimum: second,
      ...live
    }),
    flush_cold_after: duration(
      5 * second,
      'Rows of a table are flushed after this time without a write if they take at least a sixteenth of `memtable_size`: in files they take less memory and have indexes, and the log gets short. `0`: flushed by size and `flush_interval` only.',
      live
    ),
    lost_found_ttl: duration(
      30 * 86_400 * second,
      'Age at which files in `lost+found` are removed. A start moves files there that the catalog does not know, a repair those it replaces.',
      { minimum: second, ...live }
    ),
    query_threads: count(0, 'Threads of the query engine; `0` is one per core.', { minimum: 0 }),
    index_cache_size: size(128 * MiB, 'Memory for cached parts of index files; the rest is read again when needed.'),
    sample_cache_size: size(
      256 * MiB,
      'Memory for cached columns of data files: most of it for series queries, an eighth for SQL queries of the latest rows.'
    ),
    clickhouse
  },
  'Where and how data is kept.'
)

const wal = table(
  {
    dir: text('', 'Folder of the write-ahead log; empty is `{data_home}/wal`.'),
    sync: choice(
      ['always', 'interval', 'none'],
      'always',
      'When a write is answered: `always`, once it is on the disk (concurrent writes share one sync); `interval`, at once, with a sync every `sync_interval`; `none`, at once, and the operating system syncs as it likes.'
    ),
    sync_interval: duration(100, 'Time between two syncs where `sync` is `interval`.', { minimum: 1 }),
    segment_size: size(64 * MiB, 'Size at which the log starts a new file.', { minimum: 64 * KiB })
  },
  'The write-ahead log.'
)

const logging = table(
  {
    dir: text('', 'Folder of the log files; empty is `{data_home}/logs`.'),
    level: text(
      'info',
      'Least severe level that is logged: `trace`, `debug`, `info`, `warn`, `error` or `fatal`, and others for plugins: `warn,sql=debug`.',
      {
        pattern: '^(?:trace|debug|info|warn|error|fatal)(?:,[\\w-]+=(?:trace|debug|info|warn|error|fatal))*$',
        expected: 'trace, debug, info, warn, error or fatal, with others for plugins such as info,sql=debug',
        ...live
      }
    ),
    log_format: choice(['text', 'json'], 'text', 'Format of the log lines.', live),
    max_log_files: count(720, 'Hourly log files that are kept; `0` writes no files.', { minimum: 0 }),
    max_log_file_size: size(
      256 * MiB,
      'Size of one log file; further lines of its hour are dropped and counted. `0` sets no limit.'
    ),
    append_stdout: flag(true, 'Logs to the standard output as well.')
  },
  "The server's own log."
)

const audit = table(
  {
    enable: flag(
      false,
      'Writes a line of JSON for each change of databases, tables, views and pipelines, each delete, each call of the administration and each refused login.'
    ),
    dir: text('', 'Folder of its hourly files, `audit-YYYY-MM-DD-HH.log`; empty is `{data_home}/audit`.'),
    max_files: count(2160, 'Hourly files that are kept.'),
    max_file_size: size(
      64 * MiB,
      'Size of one file; further lines of its hour are dropped and counted. `0` sets no limit.'
    )
  },
  'The audit log: who did what.'
)

const tracing = table(
  {
    enable: flag(
      false,
      'Traces requests from the start; `/debug/enable_trace` changes that until the next start.',
      live
    ),
    otlp_endpoint: text('http://127.0.0.1:4318/v1/traces', 'Address spans are sent to, OTLP over HTTP.', {
      pattern: '^https?://',
      expected: 'a URL that starts with http:// or https://',
      ...live
    }),
    otlp_headers: text('', 'Headers sent along: `name=value,other=value`.', {
      pattern: "^(?:\\s*[\\w!#$%&'*+.^`|~-]+\\s*=[\\t -+\\x2d-~]*(?:,(?!$)|$))*$",
      expected: 'name=value,other=value, without commas in a value',
      secret: true,
      ...live
    }),
    sample_ratio: Type.Number({
      default: 1,
      minimum: 0,
      maximum: 1,
      description:
        'Share of requests that are traced, 0 to 1; requests with `traceparent` are traced as the client decides.',
      ...live
    })
  },
  "Tracing of the server's own requests, pipelines, writes, flushes and queries."
)

/** Keys that every plugin's table may have, besides the plugin's own options. */
export const pluginKeys = {
  enabled: Type.Optional(
    Type.Boolean({ description: 'Whether the plugin runs. Absent: yes. A plugin that is off is not even loaded.' })
  ),
  servers: Type.Optional(
    Type.Array(Type.Unsafe<'main' | 'public'>({ type: 'string', enum: ['main', 'public'] }), {
      description: 'Servers that carry its routes; can only narrow what the plugin allows. Absent: all it allows.'
    })
  ),
  module: Type.Optional(
    Type.String({
      minLength: 1,
      description: 'npm package or path of a plugin that does not come with the server.'
    })
  )
}

const pluginTable = Type.Object(pluginKeys, { additionalProperties: true })

const slowQuery = table(
  {
    enable: flag(true, 'Records slow queries.', live),
    record_type: choice(
      ['system_table', 'log'],
      'system_table',
      "Where they are recorded: `log`, in the server's log only; `system_table`, also in the table `svc_private.slow_queries`.",
      live
    ),
    threshold: duration(
      30 * second,
      'Duration from which a query is slow; the time the client takes to read rows does not count.',
      live
    ),
    sample_ratio: Type.Number({
      default: 1,
      minimum: 0,
      maximum: 1,
      description: 'Share of the slow queries that is recorded; all are counted.',
      ...live
    }),
    ttl: duration(90 * 24 * 3600 * second, 'How long the table keeps its rows; `0s` keeps them for ever.')
  },
  'Queries that took long.'
)

/** Schema of the whole file. */
export const configSchema = table(
  {
    user_provider: text(
      '',
      'Who may use the server: `static_user_provider:file:PATH`, `static_user_provider:cmd:USER=SECRET,…`, `watch_file_user_provider:PATH`, or `plugin:NAME` for a plugin that knows users. Empty: everybody.',
      { secret: true }
    ),
    enable_telemetry: flag(
      false,
      "Stores the server's own metrics and log in the database `svc_private`, beside its slow queries; nothing leaves the machine. `[plugins.admin]` sets how often and for how long."
    ),
    default_timezone: text('UTC', 'Time zone of requests that name none: an IANA name or `+hh:mm`.'),
    auto_create_table: flag(true, 'Whether writing to an unknown table creates it.', live),
    init_regions_in_background: flag(
      false,
      'Answers requests while data files are still being checked. `/ready` answers 503 until all are checked. Queries of a table with a damaged file get 503; with `false` the server does not start then. In both cases the log is replayed, and files that a crash left are removed, before anything is answered.'
    ),
    init_regions_parallelism: count(16, 'Data files checked at the same time at the start.'),
    plugin_timeout: duration(
      60 * second,
      'Time a plugin may take for each of: setup, registering routes, applying new options, closing. A start or reload that takes longer fails, a stop continues without the plugin; the error names it. `0s` sets no limit.',
      live
    ),
    max_in_flight_write_bytes: size(
      512 * MiB,
      'Bytes of all request bodies in memory, decompressed, as far as they are received, and of the items and lines decoded from them; one request at a time may exceed it. `0` sets no limit.'
    ),
    write_bytes_exhausted_policy: text(
      'wait',
      'What a request does when `max_in_flight_write_bytes` is used up: `wait` (10 s), `wait(DURATION)` or `fail`; then it is refused with 429.'
    ),
    max_concurrent_queries: count(
      0,
      'Concurrent SQL statements, and likewise concurrent other queries; further ones wait. `0`: twice as many statements as `storage.query_threads`, and any number of other queries.',
      { minimum: 0, ...live }
    ),
    max_waiting_queries: count(
      256,
      'Queries in each waiting queue (SQL statements, other queries), in which users take turns; further ones are refused with 429.',
      { minimum: 0, ...live }
    ),
    query_wait_timeout: duration(
      30 * second,
      'Time a query may wait in the queue; then it is refused with 429. `0s` sets no limit.',
      live
    ),
    event_loop_threshold: duration(
      100,
      'If one piece of work holds the event loop, on which all requests are answered, for longer, the log names the request. `0s`: never.',
      live
    ),
    http,
    limits,
    storage,
    wal,
    logging,
    audit,
    slow_query: slowQuery,
    tracing,
    plugins: Type.Record(Type.String(), pluginTable, {
      default: {},
      description: 'One table per plugin: `[plugins.NAME]`, with these keys and the options of the plugin.'
    })
  },
  'The server.'
)

type DeepReadonly<T> = T extends readonly (infer E)[]
  ? readonly DeepReadonly<E>[]
  : T extends object
    ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
    : T

/** A plugin's table as written: `enabled`, `servers`, `module` and the plugin's own options, which the registry checks. */
export type PluginTable = DeepReadonly<Static<typeof pluginTable>> & { readonly [option: string]: unknown }

/** The effective configuration: with defaults, durations in milliseconds, sizes in bytes, folders absolute. */
export type Config = Omit<DeepReadonly<Static<typeof configSchema>>, 'plugins'> & {
  readonly plugins: { readonly [name: string]: PluginTable }
}

// The whole configuration: every key with its default and meaning. Durations and sizes are text in TOML, numbers once loaded.
import { type Static, type TSchema, Type } from 'typebox'

/** What a schema node may say beyond JSON schema: how its text is read and how an error names what was expected. */
export interface KeyOptions {
  /** `duration`: milliseconds; `size`: bytes. */
  readonly unit?: 'duration' | 'size'
  /** Never shown by `config print` and `/config`. */
  readonly secret?: boolean
  /** The value may change while running: whoever uses it reads it from the loaded table each time. */
  readonly live?: boolean
  /** Ends the sentence "expected …" when `pattern` does not match. */
  readonly expected?: string
}

interface UnitOptions extends Pick<KeyOptions, 'live'> {
  readonly minimum?: number
}

interface CountOptions extends UnitOptions {
  readonly maximum?: number
}

/** A key written as a duration text (`30s`, `1h30m`) and loaded as milliseconds. The default is milliseconds. */
export const duration = (byDefault: number, description: string, options: UnitOptions = {}) =>
  Type.Number({ unit: 'duration', default: byDefault, description, minimum: 0, ...options })

/** A key written as a size text (`64MiB`) and loaded as bytes. The default is bytes. */
export const size = (byDefault: number, description: string, options: UnitOptions = {}) =>
  Type.Number({ unit: 'size', default: byDefault, description, minimum: 0, ...options })

/** A key that is a whole number of things, at least 1 where the options say nothing else. */
export const count = (byDefault: number, description: string, options: CountOptions = {}) =>
  Type.Integer({ default: byDefault, description, minimum: 1, ...options })

/** A key that is true or false. */
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
      'Authorities that sign certificates of clients, PEM: the common name of such a certificate is the name of the user, where a request brings no other credentials. Read again when the file changes. Empty: none are asked for.'
    ),
    client_certificate: choice(
      ['optional', 'required'],
      'optional',
      'With `client_ca_path`: whether clients may come without a certificate; `required` closes their connections.'
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
    window: duration(60 * second, 'Time the limits count in; then a client begins anew.', { minimum: second, ...live })
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
    user_queries: perSecond(
      'Queries of the storage one user may make: a statement of SQL is one, a selector of series another,'
    ),
    address_bytes: bytesPerSecond('client address'),
    address_rows: perSecond('Rows and samples one client address may write'),
    address_queries: perSecond('Queries of the storage one client address may make'),
    burst: duration(
      10 * second,
      'What was not used in so much time may be used at once; one request may take more than there is, and those behind it wait for longer.',
      { minimum: second, ...live }
    )
  },
  'What one user and one client address may have under `/v1`, both servers together.'
)

const http = table(
  {
    addr: address('127.0.0.1:4000', 'Address of the main server. It serves every route: keep it private.'),
    enable_api_server: flag(false, 'Runs the public server, which serves only `/v1` and `/dashboard`.'),
    api_server_addr: address('127.0.0.1:4006', 'Address of the public server.'),
    timeout: duration(
      30 * second,
      'Time a request may take until its response headers are sent; `0s` sets no limit. One request asks for its own with `x-svc-timeout`.',
      live
    ),
    body_limit: size(64 * MiB, 'Largest request body, before and after inflating; `0` sets no limit.'),
    max_body_values: count(
      5_000_000,
      'Values one request body in JSON may have, and lines one of plain text; one with more is refused with 413. Each array and object counts as one, and each comma as one more. `0` sets no limit.',
      { minimum: 0, ...live }
    ),
    max_form_size: size(
      4 * MiB,
      'Largest urlencoded form, where a route takes its parameters from one, and largest JSON of a route with a schema for its body; a larger one is refused with 413. `0`: only `body_limit` counts.',
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
        'Names, with or without port, under which web pages may change something on the server, beside loopback and the address it listens on: requests of browsers with another `Host` are refused with 403 when they would. Clients that are no browsers notice nothing.',
      ...live
    }),
    read_only_get: flag(
      false,
      'Refuses statements that change something, and other changes, in requests with GET; they need POST.',
      live
    ),
    max_connections: count(
      0,
      'Connections each of the two servers may have; further ones are closed at once. `0` is half of the files the process may have open, divided by the servers that run.',
      { minimum: 0 }
    ),
    keep_alive_timeout: duration(
      72 * second,
      'Time a connection may be idle between two requests, and before its first one; then it is closed. `0s` sets no limit.'
    ),
    unread_timeout: duration(
      30 * second,
      'Time a client may read nothing of an answer that waits for it; then its connection is closed. `0s` sets no limit.'
    ),
    shutdown_grace: duration(
      10 * second,
      'Time running requests have to end when the server stops, and rows in memory to go to files; the log keeps the rest. What does not stop within 5 s more is ended.',
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
        'Addresses of the cluster, HTTP or HTTPS. Requests go to one after the other, and to the next one where one does not answer.'
    }),
    username: text('default', 'User of the cluster that the server is.'),
    password_file: text('', "File with the user's password; empty: none."),
    reader_username: text(
      '',
      'User of the cluster that statements of users run as. He needs no rights of his own: the server makes a role for each database and grants it to him. Empty: the same user.'
    ),
    reader_password_file: text('', "File with that user's password; empty: none."),
    database_prefix: text('weir_', 'What names of databases begin with there.', {
      pattern: '^[A-Za-z][A-Za-z0-9_]{0,39}$',
      expected: 'letters, digits and _, 40 at most, a letter first'
    }),
    cluster: text(
      '',
      'Name of the cluster in the configuration of its servers: tables are replicated and distributed over it. Empty: one server, tables without replicas.'
    ),
    insert_quorum: text(
      'auto',
      'With `cluster`: replicas that must have rows before a write is answered, a number or `auto` for most of them.',
      { pattern: '^(?:auto|\\d{1,3})$', expected: 'a number or auto' }
    ),
    timeout: duration(30 * second, 'Time one request to the cluster may take.', { minimum: second }),
    refresh_interval: duration(
      10 * second,
      'Time after which databases, tables and views that other processes made or changed are seen at the latest.',
      { minimum: second }
    ),
    max_connections: count(64, 'Connections to each address of the cluster.'),
    ca_path: text('', 'Authorities that sign the certificates of the cluster, PEM. Empty: those of the system.'),
    cert_path: text('', 'Certificate the server shows the cluster, PEM. Empty: none.'),
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
      'Tables of one database that have rows of their own. Writes and statements that would need a further one are refused with 400.',
      live
    ),
    max_metrics: count(
      100_000,
      'Metrics of one database: tables whose rows lie in a table that they share. Further ones are refused with 400.',
      live
    ),
    max_columns: count(
      2_000,
      'Columns of one table, of metrics that share a table all label names. What needs further ones is refused with 400.',
      live
    ),
    max_series: count(
      5_000_000,
      'Series (sets of tag values) of one table, of all metrics that share one together. Rows of further ones are refused with 400, those of known ones go on; each takes some 300 bytes of memory.',
      live
    ),
    max_tag_length: size(
      64 * KiB,
      'Bytes of one tag value: each different one is kept in memory. Rows of new series with a longer one are refused with 400; long text belongs into a field.',
      { minimum: 1, ...live }
    ),
    databases: Type.Record(Type.String(), databaseLimits, {
      default: {},
      description: 'Other limits for single databases: `[limits.databases.NAME]`.',
      ...live
    })
  },
  'How far what clients write may make databases and tables grow, whichever protocol it comes by. The database `svc_private`, where only the server writes, has none of them but its own.'
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
      'Memory that SQL statements may use before they spill to disk; `0` is a quarter of the machine. What flushes and compaction take of the query engine has the same limit of its own.'
    ),
    query_memory_hard_limit: size(
      0,
      'Resident memory at which the process that runs SQL statements is ended and started anew: values such as one long text or list do not count for `memory_limit`. `0` is `memory_limit` and a quarter more, at least 256 MiB more; less than 150 MiB more is taken for that.'
    ),
    memtable_size: size(128 * MiB, 'Rows in memory are written to files when they take this much.', {
      minimum: MiB,
      ...live
    }),
    memtable_limit: size(
      512 * MiB,
      'Writes slow down as rows in memory come near it, wait when they take this much, and are refused with 503 when the wait is too long.',
      { minimum: MiB, ...live }
    ),
    flush_interval: duration(600 * second, 'Rows in memory are written to files after this time at the latest.', {
      minimum: second,
      ...live
    }),
    flush_cold_after: duration(
      20 * second,
      'Rows of a table whose files have indexes or counts are written to files once nobody has added to them for this time, where they take a sixteenth of `memtable_size`: queries then have these, too. `0`: only by size and `flush_interval`.',
      live
    ),
    lost_found_ttl: duration(
      30 * 86_400 * second,
      'Files in `lost+found`, where a start puts what the catalog does not know and a repair what it replaces, are removed after this time.',
      { minimum: second, ...live }
    ),
    query_threads: count(0, 'Threads of the query engine; `0` is one per core.', { minimum: 0 }),
    index_cache_size: size(
      128 * MiB,
      'Parts of index files kept in memory for the next query; what does not fit is read again.'
    ),
    sample_cache_size: size(
      256 * MiB,
      'Decoded columns of data files kept in memory for the next query: most of it for series, an eighth for the newest times SQL asks for.'
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
    log_format: choice(['text', 'json'], 'text', 'Form of the log lines.', live),
    max_log_files: count(720, 'Hourly log files that are kept; `0` writes no files.', { minimum: 0 }),
    max_log_file_size: size(
      256 * MiB,
      'Size of one log file; further lines of its hour are lost, and counted. `0` sets no limit.'
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
      'Size of one file; further lines of its hour are lost, and counted. `0` sets no limit.'
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
      description: 'Share of requests that are traced, 0 to 1; a client that sends `traceparent` decides for its own.',
      ...live
    })
  },
  "Tracing of the server's own requests, pipelines, writes, flushes and queries."
)

/** What every plugin's table may hold beside the plugin's own options. */
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
    enable: flag(true, 'Keeps queries that took long.', live),
    record_type: choice(
      ['system_table', 'log'],
      'system_table',
      "Where they are kept: `log`, the server's log alone; `system_table`, also the table `svc_private.slow_queries`.",
      live
    ),
    threshold: duration(
      30 * second,
      'Time from which on a query is slow; what a client takes to read its rows does not count.',
      live
    ),
    sample_ratio: Type.Number({
      default: 1,
      minimum: 0,
      maximum: 1,
      description: 'Share of the slow queries that is kept; all are counted.',
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
      "Keeps the server's own metrics and log in the database `svc_private`, beside its slow queries; nothing ever leaves the machine. How often and how long: `[plugins.admin]`."
    ),
    default_timezone: text('UTC', 'Time zone of requests that name none: an IANA name or `+hh:mm`.'),
    auto_create_table: flag(true, 'Whether writing to an unknown table creates it.', live),
    init_regions_in_background: flag(
      false,
      'Answers while data files are still being checked: `/ready` answers 503 until all are, and a table with a damaged file answers 503 to queries, where otherwise the server does not start. The log is always read back first; files a crash left over are cleared away first, too.'
    ),
    init_regions_parallelism: count(16, 'Data files checked at the same time at the start.'),
    plugin_timeout: duration(
      60 * second,
      'Time each of a plugin may take to set up, to register its routes, to take new options and to close. A start or a reload that needs longer is refused, a stop goes on without it; both name the plugin. `0s` sets no limit.',
      live
    ),
    max_in_flight_write_bytes: size(
      512 * MiB,
      'Bytes of request bodies held at the same time, inflated, as far as they have come; one body at a time may go beyond. `0` sets no limit.'
    ),
    write_bytes_exhausted_policy: text(
      'wait',
      'What a request does when `max_in_flight_write_bytes` is used up: `wait` (10 s), `wait(DURATION)` or `fail`; then it is refused with 429.'
    ),
    max_concurrent_queries: count(
      0,
      'SQL statements that run at the same time, and other queries that do; further ones wait. `0`: twice as many statements as `storage.query_threads`, and any number of other queries.',
      { minimum: 0, ...live }
    ),
    max_waiting_queries: count(
      256,
      'Queries that may wait for their turn, SQL statements and others each; users take turns, further ones are refused with 429.',
      { minimum: 0, ...live }
    ),
    query_wait_timeout: duration(
      30 * second,
      'Time a query may wait for its turn; then it is refused with 429. `0s` sets no limit.',
      live
    ),
    event_loop_threshold: duration(
      100,
      'When the event loop, on which all requests are answered, is held for longer, the log names the request that held it. `0s` never.',
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

/** A plugin's table as written: `enabled`, `servers`, `module` and the plugin's own options, which the registry reads. */
export type PluginTable = DeepReadonly<Static<typeof pluginTable>> & { readonly [option: string]: unknown }

/** The effective configuration: defaults filled in, durations in milliseconds, sizes in bytes, folders absolute. */
export type Config = Omit<DeepReadonly<Static<typeof configSchema>>, 'plugins'> & {
  readonly plugins: { readonly [name: string]: PluginTable }
}

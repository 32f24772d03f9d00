// Statements that create and change tables, and the comments that describe tables as users see them.
import { parseDuration } from '../../config/units.ts'
import type {
  ColumnDefinition,
  ColumnIndex,
  FormerColumn,
  Table,
  TableColumn,
  TableOptions
} from '../../model/table.ts'
import type { ColumnType } from '../../model/types.ts'
import { isPhysical, mergesFields } from '../logical.ts'
import { bareType, quoteName, quoteText, storedName, storedType } from './names.ts'

/** The comment of a column: what ClickHouse's own description lacks. */
export interface ColumnComment {
  /** The user's name, if it differs. */
  readonly name?: string
  readonly type: ColumnType
  readonly semantic: ColumnDefinition['semantic']
  readonly id: number
  readonly nullable: boolean
  readonly default?: string
  readonly index?: ColumnIndex
  readonly comment?: string
  readonly initial?: string
  readonly was?: readonly FormerColumn[]
}

/** The comment of a table. */
export interface TableComment {
  readonly weir: 1
  readonly id: number
  /** The user's name, if it differs. */
  readonly name?: string
  readonly options: TableOptions
  readonly createdAt: number
  readonly version: number
  /** When all its rows were removed, in milliseconds since 1970. */
  readonly emptied?: number
}

/** The cluster's database prefix and name. */
export interface Location {
  readonly prefix: string
  readonly cluster: string
}

export const versionColumn = '__version'
export const deletedColumn = '__deleted'

export function databaseName({ prefix }: Location, database: string): string {
  return prefix + storedName('database', database)
}

export function tableName(location: Location, database: string, table: string): string {
  return `${quoteName(databaseName(location, database))}.${quoteName(storedName('table', table))}`
}

/** The name of a table that the driver keeps beside one of users. */
export function besideName(location: Location, database: string, table: string, what: 'local' | 'series'): string {
  return `${quoteName(databaseName(location, database))}.${quoteName(`${storedName('table', table)}__${what}`)}`
}

export function onCluster({ cluster }: Location): string {
  return cluster === '' ? '' : ` ON CLUSTER ${quoteName(cluster)}`
}

export function columnComment({ name, physical, ...column }: TableColumn): string {
  const { type, semantic, id, nullable, default: value, index, comment, initial, was } = column
  const said: ColumnComment = {
    ...(name !== physical && { name }),
    type,
    semantic,
    id,
    nullable,
    ...(value !== undefined && { default: value }),
    ...(index && { index }),
    ...(comment !== undefined && { comment }),
    ...(initial !== undefined && { initial }),
    ...(was && { was })
  }
  return JSON.stringify(said)
}

export function tableComment({ id, name, options, createdAt, version }: Table, emptied?: number): string {
  const said: TableComment = {
    weir: 1,
    id,
    ...(storedName('table', name) !== name && { name }),
    options,
    createdAt,
    version,
    ...(emptied !== undefined && { emptied })
  }
  return JSON.stringify(said)
}

/** A column definition for `CREATE` and `ADD COLUMN`. */
export function columnSql(column: TableColumn): string {
  const { physical, type, semantic } = column
  const codec = semantic === 'timestamp' ? ' CODEC(DoubleDelta, ZSTD(1))' : ' CODEC(ZSTD(1))'
  return `${quoteName(physical)} ${storedType(type, semantic)}${valueBefore(column)} COMMENT ${quoteText(columnComment(column))}${codec}`
}

/** The value in rows that leave the column out: its initial value, or that of its former column. */
function valueBefore({ was, type, initial }: TableColumn): string {
  const former = was?.[0]
  if (former !== undefined) return ` DEFAULT ${converted(former, type)}`
  return initial === undefined ? '' : ` DEFAULT accurateCastOrNull(${quoteText(initial)}, ${quoteText(bareType(type))})`
}

function converted({ physical, type: from, kept }: FormerColumn, to: ColumnType): string {
  const name = quoteName(physical)
  if (to === 'Json') {
    if (kept) return `if(isNull(${name}), NULL, toJSONString(${name}))`
    return from === 'String'
      ? `if(isValidJSON(ifNull(${name}, '')), ${name}, NULL)`
      : `if(isNull(${name}), NULL, toJSONString(${name}))`
  }
  return `accurateCastOrNull(${name}, ${quoteText(bareType(to))})`
}

/** The data skipping index of a column, for `CREATE` and `ADD INDEX`; undefined if it has none. */
export function indexSql({ physical, index, type }: TableColumn, hasTextIndex: boolean): string | undefined {
  if (index === undefined) return undefined
  const name = quoteName(physical)
  const head = `${quoteName(`${physical}__index`)} `
  if (index.kind === 'fulltext' && (type === 'String' || type === 'Json')) {
    return hasTextIndex
      ? `${head}ifNull(${name}, '') TYPE text(tokenizer = 'splitByNonAlpha') GRANULARITY 1`
      : `${head}ifNull(${name}, '') TYPE tokenbf_v1(32768, 3, 0) GRANULARITY 1`
  }
  if (index.kind === 'inverted') return `${head}${name} TYPE set(1000) GRANULARITY 1`
  return `${head}${name} TYPE bloom_filter(0.01) GRANULARITY 1`
}

/** With a longer TTL partitions are months instead of days, because a table of years would have thousands. */
const longDays = 92

/** Milliseconds that rows are kept; undefined: for ever. `database` has the database's options. */
export function keptFor({ ttl }: TableOptions, database: TableOptions): number | undefined {
  const text = ttl ?? database.ttl
  if (text === undefined || text === 'forever') return undefined
  return text === 'instant' ? 0 : parseDuration(text)
}

export function ttlSql(time: string, kept: number | undefined): string {
  return kept === undefined
    ? ''
    : `toDateTime(${quoteName(time)}) + INTERVAL ${Math.max(1, Math.ceil(kept / 1000))} SECOND`
}

/** The table engine of a table that stores rows. */
function engineSql(options: TableOptions, cluster: string): string {
  const kind = options.append_mode ? '' : mergesFields({ options }) ? 'Coalescing' : 'Replacing'
  const own = kind === 'Replacing' ? [versionColumn, deletedColumn] : []
  if (cluster === '') return `${kind}MergeTree(${own.join(', ')})`
  const path = ["'/clickhouse/tables/{uuid}/{shard}'", "'{replica}'"]
  return `Replicated${kind}MergeTree(${[...path, ...own].join(', ')})`
}

interface CreateOptions {
  readonly location: Location
  readonly hasTextIndex: boolean
  /** Options of the database. */
  readonly database: TableOptions
}

const hidden = [
  `${quoteName(versionColumn)} UInt64 CODEC(Delta, ZSTD(1))`,
  `${quoteName(deletedColumn)} UInt8 DEFAULT 0 CODEC(ZSTD(1))`
]

/** Settings of every table that stores rows. */
const treeSettings =
  'allow_nullable_key = 1, non_replicated_deduplication_window = 10000, replicated_deduplication_window = 10000'

/** Statements that create a table; all are idempotent. */
export function createStatements(table: Table, { location, hasTextIndex, database }: CreateOptions): string[] {
  if (isPhysical(table)) return physicalStatements(table, { location, database })
  const { tags, timeIndex } = table
  const indexes = table.columns.flatMap(column => {
    const index = indexSql(column, hasTextIndex)
    return index === undefined ? [] : [`INDEX ${index}`]
  })
  const key = [...tags, timeIndex].map(({ physical }) => quoteName(physical))
  const columns = [...table.columns.map(columnSql), ...hidden]
  const comment = tableComment(table)
  return withDistributed(table, location, columns, comment, key.slice(0, -1), name =>
    [
      `CREATE TABLE IF NOT EXISTS ${name}${onCluster(location)} (${[...columns, ...indexes].join(', ')})`,
      ...treeClauses(table, location, database, key, timeIndex.physical, comment)
    ].join(' ')
  )
}

function treeClauses(
  { options }: Table,
  location: Location,
  database: TableOptions,
  key: readonly string[],
  time: string,
  comment: string
): string[] {
  const kept = keptFor(options, database)
  const part = kept === undefined || kept > longDays * 86_400_000 ? 'toYYYYMM' : 'toYYYYMMDD'
  const ttl = ttlSql(time, kept)
  return [
    `ENGINE = ${engineSql(options, location.cluster)}`,
    `PARTITION BY ${part}(${quoteName(time)})`,
    `PRIMARY KEY (${key.join(', ')}) ORDER BY (${key.join(', ')})`,
    ...(ttl === '' ? [] : [`TTL ${ttl}`]),
    `SETTINGS ${treeSettings}`,
    `COMMENT ${quoteText(comment)}`
  ]
}

/** In a cluster, each shard stores rows in a local table, and a distributed table is above them. */
function withDistributed(
  table: Table,
  location: Location,
  columns: readonly string[],
  comment: string,
  shardBy: readonly string[],
  create: (name: string) => string
): string[] {
  const name = tableName(location, table.database, table.name)
  if (location.cluster === '') return [create(name)]
  const local = besideName(location, table.database, table.name, 'local')
  return [create(local), distributedSql(location, name, local, table.database, columns, comment, shardBy)]
}

function distributedSql(
  location: Location,
  name: string,
  local: string,
  database: string,
  columns: readonly string[],
  comment: string,
  shardBy: readonly string[]
): string {
  const key = shardBy.length === 0 ? 'rand()' : `sipHash64(${shardBy.map(each => `toString(${each})`).join(', ')})`
  const plain = columns.map(column => column.replace(/ CODEC\((?:[^()]|\([^()]*\))*\)/, ''))
  const table = local.slice(local.indexOf('`.`') + 3, -1)
  const of = [quoteText(location.cluster), quoteText(databaseName(location, database)), quoteText(table), key]
  return `CREATE TABLE IF NOT EXISTS ${name}${onCluster(location)} (${plain.join(', ')}) ENGINE = Distributed(${of.join(', ')}) COMMENT ${quoteText(comment)}`
}

/** The tables for samples and series of all logical tables of a physical one. */
function physicalStatements(table: Table, { location, database }: Omit<CreateOptions, 'hasTextIndex'>): string[] {
  const time = `${quoteName('time')} ${bareType(table.timeIndex.type)} COMMENT ${quoteText(columnComment(table.timeIndex))} CODEC(DoubleDelta, ZSTD(1))`
  const columns = ['`table` UInt64 CODEC(ZSTD(1))', '`tsid` UInt64 CODEC(ZSTD(1))', time, ...hidden]
  const key = ['`table`', '`tsid`', '`time`']
  const comment = tableComment(table)
  const samples = withDistributed(table, location, columns, comment, ['`tsid`'], name =>
    [
      `CREATE TABLE IF NOT EXISTS ${name}${onCluster(location)} (${columns.join(', ')})`,
      ...treeClauses(table, location, database, key, 'time', comment)
    ].join(' ')
  )
  const seriesColumns = [
    '`table` UInt64',
    '`tsid` UInt64',
    '`metric` LowCardinality(String)',
    '`labels` Map(LowCardinality(String), String)',
    "`first_seen` DateTime64(3, 'UTC')"
  ]
  const series = besideName(location, table.database, table.name, 'series')
  const createSeries = (name: string) =>
    `CREATE TABLE IF NOT EXISTS ${name}${onCluster(location)} (${seriesColumns.join(', ')}) ENGINE = ${location.cluster === '' ? 'ReplacingMergeTree()' : "ReplicatedReplacingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}')"} ORDER BY (\`table\`, \`tsid\`) SETTINGS ${treeSettings.replace('allow_nullable_key = 1, ', '')}`
  // The table of samples comes last, so whoever finds it can rely on the other one.
  if (location.cluster === '') return [createSeries(series), ...samples]
  const local = series.replace(/`$/, '__local`')
  return [
    createSeries(local),
    distributedSql(location, series, local, table.database, seriesColumns, '', ['`tsid`']),
    ...samples
  ]
}

/** A value column for samples of logical tables: one per name and type. */
export function sampleColumn(name: string, type: ColumnType, generation: number): string {
  const taken = ['table', 'tsid', 'time'].includes(name) || name.includes('__')
  const base =
    type === 'Float64' && !taken && generation === 0 ? name : `${name}__${type.replace(/[^A-Za-z0-9]+/g, '_')}`
  return generation === 0 ? base : `${base}__${generation}`
}

/** A statement that changes the table that stores rows, and the corresponding one for the distributed table. */
export function alterStatements(
  location: Location,
  { database, name }: Pick<Table, 'database' | 'name'>,
  commands: readonly string[],
  above: readonly string[] = commands
): string[] {
  const on = onCluster(location)
  const top = tableName(location, database, name)
  if (location.cluster === '') return commands.length === 0 ? [] : [`ALTER TABLE ${top}${on} ${commands.join(', ')}`]
  const local = besideName(location, database, name, 'local')
  return [
    ...(commands.length === 0 ? [] : [`ALTER TABLE ${local}${on} ${commands.join(', ')}`]),
    ...(above.length === 0 ? [] : [`ALTER TABLE ${top}${on} ${above.join(', ')}`])
  ]
}

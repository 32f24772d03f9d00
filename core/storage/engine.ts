// The seam between the rules of a database and the driver that keeps the data. Eight members; a ninth needs a decision record.
import type { Column, ResultBatch, ResultColumn } from '../model/batch.ts'
import type { Limit } from '../model/limit.ts'
import type { SeriesKeys, SeriesLabel } from '../model/series.ts'
import type { Database, Table, TableChange, TableDefinition, TableOptions, View } from '../model/table.ts'
import type { Steps } from '../pace.ts'
import type { Dialect } from './dialect/dialect.ts'

/**
 * A storage driver. It may trust every argument: names exist, columns match the table, values have the column's type.
 * It throws DbError for what only it can know (disk full, out of memory, a query that cannot be planned).
 */
export interface Engine {
  readonly name: string
  readonly supports: {
    readonly sql: boolean
    /** Of statements, which the driver guards; absent: DuckDB's. */
    readonly dialect?: Dialect
    readonly durable: boolean
    readonly distributed: boolean
    /** SQL statements wait for their turn in the driver: nobody else makes them wait. */
    readonly admission?: boolean
  }
  /** Databases, tables and columns; readable at once after `open`. */
  readonly catalog: Catalog
  /**
   * Makes the data ready: recovers what a crash left, refuses a folder another process holds.
   * What it has still to do once it answers is in the result.
   */
  open(): Promise<Opening>
  /** Stores all writes or none; resolves with the affected rows once they are as durable as configured and visible to queries. */
  write(writes: readonly (ResolvedWrite | ResolvedSeries)[], signal: AbortSignal): Promise<number>
  query(query: Query, signal: AbortSignal): Promise<QueryResult>
  maintain(task: Maintenance, signal: AbortSignal): Promise<Report>
  /**
   * Ends running work and releases the folder; everything answered is durable. What can as well be done after the next start is left to
   * it once `limit` fires. Safe without `open`, safe twice.
   */
  close(limit?: AbortSignal): Promise<void>
}

/** What goes on after an engine was opened and answers. */
export interface Opening {
  /** Resolves when there is nothing left to check or load; never rejects. Until then the server says that it is not ready. */
  readonly settled: Promise<void>
  /** Why it takes no writes until somebody sees to it; asked now and then, answers at once. Absent: nothing of the kind is known. */
  readonly trouble?: () => string | undefined
}

export interface Catalog {
  databases(): readonly Database[]
  database(name: string): Database | undefined
  tables(database: string): readonly Table[]
  table(database: string, name: string): Table | undefined
  createDatabase(name: string, options: TableOptions): Promise<Database>
  /** Its options are these from now on, for the tables that are there, too. */
  changeDatabase(name: string, options: TableOptions): Promise<Database>
  /** With its tables and views. */
  dropDatabase(name: string): Promise<void>
  views(database: string): readonly View[]
  view(database: string, name: string): View | undefined
  /** A new view, or another one of the same name. */
  putView(view: View): Promise<void>
  dropView(view: View): Promise<void>
  createTable(definition: TableDefinition): Promise<Table>
  changeTable(table: Table, change: TableChange): Promise<Table>
  /** All steps or none, in order; the table of each as it is then. A thousand new tables cost one change of what is on the disk. */
  changeTables(steps: readonly TableStep[]): Promise<readonly Table[]>
  dropTable(table: Table): Promise<void>
  /** Rows and bytes at rest, as far as the driver knows them without reading data. */
  statistics(table: Table): TableStatistics
  /**
   * What the driver knows the series of these keys as. Within a scope, a key means the same series as long as `isCurrent` says so: one of
   * `table` where that is given, so that equal keys of two tables are two series.
   */
  findSeries(scope: string, keys: SeriesKeys, table?: string): Steps<SeriesNumbers>
  /** Numbers for keys that were unknown; afterwards they are not, as long as the numbers are current. */
  addSeries(numbers: SeriesNumbers, additions: readonly SeriesAddition[]): void
  /** Whether rows with exactly these tags have been written to a table. Costs a look into memory. */
  knowsSeries(table: Table, labels: readonly SeriesLabel[]): boolean
  /** Reads what other processes changed of databases, tables and views; absent where none may. */
  refresh?(): Promise<void>
  /** False once a change of some table made the numbers useless: they must be found again. */
  isCurrent(numbers: SeriesNumbers): boolean
}

/** What series are known as, key by key: the driver's own business but for the keys without. */
export interface SeriesNumbers {
  readonly unknown: readonly number[]
}

/** What an unknown key stands for. */
export interface SeriesAddition {
  /** Which key. */
  readonly index: number
  /** Has all columns; its time index is in milliseconds where samples are written. */
  readonly table: Table
  /** Name of the `Float64` column for the numbers of samples; the time index where rows bring their columns. */
  readonly value: string
  readonly labels: readonly SeriesLabel[]
}

/** A table to make, or to change. */
export type TableStep =
  | { readonly kind: 'create'; readonly definition: TableDefinition }
  | { readonly kind: 'change'; readonly table: Table; readonly change: TableChange }

export interface TableStatistics {
  /** Undefined where the driver would have to read to know. */
  readonly rows: number | undefined
  readonly bytes: number
  readonly files: number
  /** Of a table with tags, as far as known. */
  readonly series?: number
}

/** A write whose columns all exist in the table with the same type; columns left out are null. */
export interface ResolvedWrite {
  readonly table: Table
  readonly rows: number
  /** Parallel to nothing: each names a column of `table` exactly. */
  readonly columns: readonly Column[]
  readonly op: 'put' | 'delete'
  /** The tags of the rows, where `columns` has none of them. */
  readonly tags?: ResolvedTags
  /** How many series the table may have with those of the rows. Throws LimitReached. */
  readonly seriesLimit?: Limit
}

/** Rows whose tags all have numbers. */
export interface ResolvedTags {
  /** Current. */
  readonly numbers: SeriesNumbers
  /** Of each row, at least as many as there are: which key. */
  readonly series: Uint32Array
}

/** Samples of series that all have numbers. The driver copies what it keeps. */
export interface ResolvedSeries {
  /** Current. */
  readonly numbers: SeriesNumbers
  readonly rows: number
  /** Of each sample, at least `rows`: which key. */
  readonly series: Uint32Array
  /** Milliseconds since 1970. */
  readonly times: BigInt64Array
  readonly values: Float64Array
}

export type Query = SqlQuery | ScanQuery | SeriesQuery

/** One SELECT-like statement of the engine's SQL dialect. */
export interface SqlQuery {
  readonly kind: 'sql'
  readonly text: string
  /** Where tables are named in `text`: the driver puts the table's rows there, columns under their `physical` names. Ascending, not overlapping. */
  readonly relations: readonly Relation[]
  /** Names in `text` that stand for rows the server itself knows how to read, such as a file; like relations. */
  readonly given?: readonly GivenRows[]
  /** Its plan is asked for instead of its rows: EXPLAIN with options. */
  readonly explain?: string
  /** IANA time zone for zone-less time literals and date functions. */
  readonly timezone: string
  /** Where statements wait for their turn, users take turns. */
  readonly user?: string
  /** What `$1`, `$2` … in `text` stand for; each stands there at least once. */
  readonly parameters?: readonly SqlValue[]
  /** Where its rows go; the result is one row then, how many there were. What fails may leave a part of them. */
  readonly target?: FileTarget
  /**
   * The rows of its only relation are those written from now on, each version of a row for itself; the statement runs over them again
   * and again until the result is closed or the table is gone. With `existing`, it first answers over the rows that are there.
   */
  readonly follow?: Follow
}

export interface GivenRows {
  /** Offsets into `text` of the name. */
  readonly start: number
  readonly end: number
  /** A call or a query in parentheses in the engine's dialect. No part of it is text of a user: it may read files. */
  readonly sql: string
}

export interface FileTarget {
  /** Absolute, in the export folder. */
  readonly path: string
  /** In the engine's SQL dialect: format, compression and the like. */
  readonly options: string
}

export interface Follow {
  /** Milliseconds between two looks at what was written. The result has a batch without rows after each. */
  readonly interval: number
  /** Bytes of rows that may wait for a look while the result is not read on; those beyond are left out. */
  readonly limit: number
  /** Rows that are deleted are looked at, too: of them there are the tags and the time, everything else is null. */
  readonly deletes?: boolean
  /** First the rows that are there, as a query without `follow` answers them, then those written after these: each row is one or the other. */
  readonly existing?: boolean
}

/** Text, a 64-bit integer, a float, a truth value. */
export type SqlValue = string | bigint | number | boolean

export interface Relation {
  /** Offsets into `text` (UTF-16 units) of the table factor's name, without its alias. */
  readonly start: number
  readonly end: number
  readonly table: Table
  /** The name the rest of the statement knows it by; put after the relation when it has no alias of its own. */
  readonly alias?: string
  /** Names of the only columns the statement can mean; absent: all of them. The others may be left out, or not. */
  readonly columns?: readonly string[]
  /** Met by every row that can have a part in the result: rows that do not meet it may be left out, or not. */
  readonly where?: Condition
}

/** What a row of a table meets; columns under the names users know. */
export type Condition =
  | { readonly kind: 'all'; readonly of: readonly Condition[] }
  | { readonly kind: 'any'; readonly of: readonly Condition[] }
  /**
   * Text that holds `term`, neither end of it between two letters or digits of ASCII; with `folded` the text in lower case holds the
   * term in lower case.
   */
  | { readonly kind: 'term'; readonly column: string; readonly term: string; readonly folded: boolean }
  /** Text that holds `text` somewhere. */
  | { readonly kind: 'contains'; readonly column: string; readonly text: string }
  /** A text or an integer, `value` as text. */
  | { readonly kind: 'equals'; readonly column: string; readonly value: string }
  /** The time index in its own unit, from one time to before another. */
  | { readonly kind: 'time'; readonly from?: bigint; readonly to?: bigint }
  /** No row of the table has the same tags and a later time. */
  | { readonly kind: 'newest' }
  /** There are not so many rows of the table with a later time. */
  | { readonly kind: 'last'; readonly rows: number }

/** Whole columns of one table between two times (in the time index's unit, end exclusive), in no order. */
export interface ScanQuery {
  readonly kind: 'scan'
  readonly table: Table
  readonly columns: readonly string[]
  readonly from?: bigint
  readonly to?: bigint
}

/**
 * Samples of the chosen series of one table with tags: `series` (the driver's number of it), `time` (a float, in the time index's unit),
 * then the values, in no order but series by series in runs of ascending times. Samples without any value are left out.
 */
export interface SeriesQuery {
  readonly kind: 'series'
  readonly table: Table
  /** Tables with the physical table, the options and the `values` columns of `table`: asked the same, at once. */
  readonly others?: readonly Table[]
  /** All must pass. */
  readonly matches: readonly TagMatch[]
  /** Columns: numbers come as floats, text as text. */
  readonly values: readonly string[]
  readonly from?: bigint
  readonly to?: bigint
  /** Each series with any row once, without times and values. */
  readonly distinct?: boolean
  /** Asked of one number column alone; an engine may answer with samples all the same. */
  readonly reduction?: Reduction
}

/** What is made of the samples of each series where they are read, so that they need not be handed over. */
export interface Reduction {
  /** URL of a module with the export `createReducer`. It is loaded in other threads: it should import little. */
  readonly module: string
  /** What that is called with; it is cloned for other threads. */
  readonly options: unknown
  /** Values that come out for each series. */
  readonly width: number
}

/** What is known of queries before any comes. */
export interface ExpectedQueries {
  /** Modules that reductions will name: whoever loads them before makes the first of these quicker. */
  readonly reducers: readonly string[]
}

export type CreateReducer = (options: unknown) => Reducer

/**
 * Puts what it makes of the samples of one series into `out`, and 1 into `present` beside each value it puts there. Times ascend, in the
 * unit of the time index; both arrays stay as they are during the call, and are written over afterwards.
 */
export type Reducer = (times: Float64Array, values: Float64Array, out: Float64Array, present: Uint8Array) => void

/** A test of a tag's value as text; '' where a series has none, or the table has no such tag. */
export interface TagMatch {
  readonly column: string
  readonly test: (value: string) => boolean
  /** The only value that passes, where that is known: it need not be looked for. */
  readonly equals?: string
}

/** Tags of a series that have a value, by name ascending, with it as text. Series of a table with the same names may share them. */
export interface SeriesTags {
  readonly table: Table
  readonly names: readonly string[]
  readonly values: readonly string[]
}

/** How rows that lie together are read. */
export interface PartRead {
  readonly table: string
  /** A name of it, without a path of this machine. */
  readonly part: string
  /** A word for the way, and why it was chosen. */
  readonly path: string
  readonly reason: string
  readonly rows: number
  readonly bytes: number
  /** Of rows in memory: how many are sorted by series, so that those of other series are not looked at. */
  readonly sorted?: number
  /** Row groups that are read, and those that are left out, where the driver knows them. */
  readonly groups?: { readonly read: number; readonly pruned: number }
  /** Looks for decoded pages that may be in memory. */
  readonly pages?: { readonly hits: number; readonly misses: number }
}

export interface QueryResult {
  readonly columns: readonly ResultColumn[]
  /** Of a query that follows: how many of the rows written were left out so far. */
  readonly lost?: () => number
  /** Of a series query. */
  readonly labels?: (series: number) => SeriesTags
  /**
   * Whether it was reduced as asked. Its columns are then the number of the series, the `width` values of each row one row after the
   * other, and at the same indices whether there is one (0 or 1); series without any value are left out.
   */
  readonly reduced?: boolean
  /** Of a reduced one whose series come as they are found: in another order each time, `labels` and their numbers are settled after the last. */
  readonly inAnyOrder?: boolean
  /** How the rows of its tables are read, for people; counts of what is read grow until the last batch. */
  readonly reading?: () => readonly PartRead[]
  /** Reads on as it is iterated; leaving the loop early or calling `close` stops the query and frees what it holds. */
  batches(): AsyncIterable<ResultBatch>
  close(): void
}

/**
 * Background work asked for from outside: rows to files, or files merged and expired ones removed, without a table of all; or a backup:
 * `receive` gets a state of all data that holds everything answered before the call, and keeps it as long as its promise is open.
 */
export type Maintenance =
  | { readonly kind: 'flush' | 'compact'; readonly table?: Table }
  | { readonly kind: 'backup'; readonly receive: (backup: Backup) => Promise<void> }

/** All data at one moment, as files that do not change. */
export interface Backup {
  /** What the driver needs besides the files to bring everything back: plain JSON. */
  readonly catalog: unknown
  readonly files: readonly BackupFile[]
  /** The bytes of a file from an offset on, as they are on disk. */
  read(file: BackupFile, from: number): AsyncIterable<Uint8Array>
}

export interface BackupFile {
  /** Unique, with slashes; the same path with the same size and checksum is the same file in every later backup. */
  readonly path: string
  readonly bytes: number
  /** CRC-32. */
  readonly checksum: number
}

/** What was written, or is in the backup. */
export interface Report {
  readonly rows: number
  readonly bytes: number
  readonly files: number
}

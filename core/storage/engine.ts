// The storage engine interface: the seam between the database's rules and the driver that stores the data. Eight members; a ninth needs a decision
// record.
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
    /** The dialect of SQL statements, which the driver checks itself (guard); false if it answers none. */
    readonly sql: Dialect | false
    readonly durable: boolean
    readonly distributed: boolean
    /** True: the driver queues SQL statements itself, so the store does not. */
    readonly admission: boolean
  }
  /** Databases, tables and columns; readable at once after `open`. */
  readonly catalog: Catalog
  /**
   * Opens the data: recovers after a crash, and refuses a folder that another process holds. The result tells about work that continues afterwards.
   */
  open(): Promise<Opening>
  /** Stores all writes or none. Resolves with the number of affected rows once they are as durable as configured and visible to queries. */
  write(writes: readonly (ResolvedWrite | ResolvedSeries)[], signal: AbortSignal): Promise<number>
  query(query: Query, signal: AbortSignal): Promise<QueryResult>
  maintain(task: Maintenance, signal: AbortSignal): Promise<Report>
  /**
   * Ends running work and releases the folder; everything answered is durable. Once `limit` fires, work that the next start can do is skipped. May be
   * called without `open`, and twice.
   */
  close(limit?: AbortSignal): Promise<void>
}

/** Work that continues after `open`, while the engine already answers. */
export interface Opening {
  /** Resolves when nothing is left to check or load; never rejects. The server is not ready until then. */
  readonly finished: Promise<void>
  /** Why the engine takes no writes until an operator acts; undefined if it does. Polled, so it must return at once. */
  trouble(): string | undefined
}

/** Databases, tables, views and columns. Reading methods answer from memory; changes are durable when they resolve, see `durable`. */
export interface Catalog {
  databases(): readonly Database[]
  database(name: string): Database | undefined
  tables(database: string): readonly Table[]
  table(database: string, name: string): Table | undefined
  createDatabase(name: string, options: TableOptions): Promise<Database>
  /** Replaces its options, for existing tables, too. */
  changeDatabase(name: string, options: TableOptions): Promise<Database>
  /** Drops its tables and views, too. */
  dropDatabase(name: string): Promise<void>
  views(database: string): readonly View[]
  view(database: string, name: string): View | undefined
  /** Creates the view, or replaces the one of the same name. */
  putView(view: View): Promise<void>
  dropView(view: View): Promise<void>
  createTable(definition: TableDefinition): Promise<Table>
  changeTable(table: Table, change: TableChange): Promise<Table>
  /** Applies all steps in order, or none. Returns the table after each step. One durable change, however many steps. */
  changeTables(steps: readonly TableStep[]): Promise<readonly Table[]>
  dropTable(table: Table): Promise<void>
  /** Stored rows and bytes, as far as known without reading data. */
  statistics(table: Table): TableStatistics
  /** Looks up the series numbers of keys. Within a scope (and within `table`, if given), a key means the same series while `isCurrent` says true. */
  findSeries(scope: string, keys: SeriesKeys, table?: string): Steps<SeriesNumbers>
  /** Registers keys that were unknown. They are known from then on, while the numbers are current. */
  addSeries(numbers: SeriesNumbers, additions: readonly SeriesAddition[]): void
  /** Whether rows with exactly these tags were written to a table. Answers from memory. */
  knowsSeries(table: Table, labels: readonly SeriesLabel[]): boolean
  /**
   * Resolves when every change that the reading methods show now is durable: others may see a change before its maker is answered. Rejects with
   * `StorageUnavailable` where that cannot be known.
   */
  durable(): Promise<void>
  /** Reads changes of databases, tables and views that other processes made; does nothing if no other process can. */
  refresh(): Promise<void>
  /** False once a change of a table invalidated the numbers; look them up again. */
  isCurrent(numbers: SeriesNumbers): boolean
}

/** The series of some keys, in the driver's own representation, and the indexes of the keys that have none. */
export interface SeriesNumbers {
  readonly unknown: readonly number[]
}

/** The series of an unknown key. */
export interface SeriesAddition {
  /** Index of the key. */
  readonly index: number
  /** The table has all columns already. For samples its time index is in milliseconds. */
  readonly table: Table
  /** Name of the `Float64` column for the samples' values. For rows with columns: the time index. */
  readonly value: string
  readonly labels: readonly SeriesLabel[]
}

/** A table to create or to change. */
export type TableStep =
  | { readonly kind: 'create'; readonly definition: TableDefinition }
  | { readonly kind: 'change'; readonly table: Table; readonly change: TableChange }

/** How much a table stores. */
export interface TableStatistics {
  /** Undefined if the driver would have to read data to know. */
  readonly rows: number | undefined
  readonly bytes: number
  readonly files: number
  /** Number of series, for tables with tags, as far as known. */
  readonly series?: number
}

/** Rows for an existing table that has all columns with the same types. Columns left out are null. */
export interface ResolvedWrite {
  readonly table: Table
  readonly rows: number
  /** In any order; each names a column of `table`. */
  readonly columns: readonly Column[]
  readonly op: 'put' | 'delete'
  /** The tags of the rows; `columns` has no tags then. */
  readonly tags?: ResolvedTags
  /** The most series the table may have with those of the rows. The driver throws LimitReached beyond. */
  readonly seriesLimit?: Limit
}

/** The tags of rows as series numbers; all keys are known. */
export interface ResolvedTags {
  /** Must be current (`isCurrent`). */
  readonly numbers: SeriesNumbers
  /** Index of the key of each row; may be longer than `rows`. */
  readonly series: Uint32Array
}

/** Samples of series whose keys are all known. The driver copies what it keeps. */
export interface ResolvedSeries {
  /** Must be current (`isCurrent`). */
  readonly numbers: SeriesNumbers
  readonly rows: number
  /** Index of the key of each sample; may be longer than `rows`. */
  readonly series: Uint32Array
  /** Milliseconds since 1970. */
  readonly times: BigInt64Array
  readonly values: Float64Array
}

/** A query of one of three kinds. */
export type Query = SqlQuery | ScanQuery | SeriesQuery

/** One SELECT-like statement of the engine's SQL dialect. */
export interface SqlQuery {
  readonly kind: 'sql'
  readonly text: string
  /** Where `text` names tables: the driver inserts the table's rows there, with columns under their `physical` names. Ascending, not overlapping. */
  readonly relations: readonly Relation[]
  /** Where `text` names rows that the server itself can read, such as a file; like relations. */
  readonly given?: readonly GivenRows[]
  /** The options of EXPLAIN: the plan is returned instead of the rows. */
  readonly explain?: string
  /** IANA name of the time zone for time literals without one, and for date functions. */
  readonly timezone: string
  /** Name of the user: where statements queue, users take turns. */
  readonly user?: string
  /** Values of `$1`, `$2` … in `text`; each is used at least once. */
  readonly parameters?: readonly SqlValue[]
  /** Bytes that constants of `text` may ask one value to be made of, as in `repeat('x', 1000000000)`. The driver throws InvalidArguments beyond. */
  readonly valueLimit?: Limit
  /** Writes the rows to a file; the result is then one row with their number. A failed query may leave a partial file. */
  readonly target?: FileTarget
  /**
   * Live tail: the statement runs again and again over rows of its only relation as they are written, each version of a row by itself, until the
   * result is closed or the table is gone. With `existing`, it first runs over the rows that are stored.
   */
  readonly follow?: Follow
}

/** Rows that the server itself reads, and where a statement names them. */
export interface GivenRows {
  /** Offsets into `text` of the name. */
  readonly start: number
  readonly end: number
  /** A call or a query in parentheses, in the engine's dialect. It contains no text of a user, so it may read files. */
  readonly sql: string
}

/** A file that a query writes. */
export interface FileTarget {
  /** Absolute path within the export folder. */
  readonly path: string
  /** Format, compression and other options, in the engine's SQL dialect. */
  readonly options: string
}

/** How a live tail runs. */
export interface Follow {
  /** Milliseconds between two runs. After each run the result yields a batch without rows. */
  readonly interval: number
  /** Bytes of rows that may wait while the result is not read; further rows are left out. */
  readonly limit: number
  /** True: deleted rows are returned, too, with their tags and time; all other columns are null. */
  readonly deletes?: boolean
  /** True: starts with the stored rows, as a query without `follow` returns them; rows written later follow, each row once. */
  readonly existing?: boolean
}

/** A constant: text, a 64-bit integer, a float or a boolean. */
export type SqlValue = string | bigint | number | boolean

/** A table that a statement names, and where. */
export interface Relation {
  /** Offsets into `text` (UTF-16 units) of the table factor's name, without its alias. */
  readonly start: number
  readonly end: number
  readonly table: Table
  /** The name by which the rest of the statement refers to it. The driver puts it after the relation if that has no alias of its own. */
  readonly alias?: string
  /** Names of all columns that the statement can refer to; absent: all. The driver may leave out the others. */
  readonly columns?: readonly string[]
  /** A condition that every row with an effect on the result fulfils; the driver may leave out other rows. */
  readonly where?: Condition
}

/** A condition on rows of a table, with columns under the names users know. */
export type Condition =
  | { readonly kind: 'all'; readonly of: readonly Condition[] }
  | { readonly kind: 'any'; readonly of: readonly Condition[] }
  /**
   * The text contains `term`, and no ASCII letter or digit continues the term's first or last letter or digit. `folded`: compares the text in lower
   * case with the term in lower case.
   */
  | { readonly kind: 'term'; readonly column: string; readonly term: string; readonly folded: boolean }
  /** The text contains `text`. */
  | { readonly kind: 'contains'; readonly column: string; readonly text: string }
  /** A text or an integer column equals `value`, given as text. */
  | { readonly kind: 'equals'; readonly column: string; readonly value: string }
  /** The time index, in its own unit, lies in `[from, to)`. */
  | { readonly kind: 'time'; readonly from?: bigint; readonly to?: bigint }
  /** No row of the table has the same tags and a later time. */
  | { readonly kind: 'latest' }
  /** Fewer than `rows` rows of the table have a later time. */
  | { readonly kind: 'last'; readonly rows: number }

/** Whole columns of one table for a range of time (in the time index's unit, end exclusive), in no order. */
export interface ScanQuery {
  readonly kind: 'scan'
  readonly table: Table
  readonly columns: readonly string[]
  readonly from?: bigint
  readonly to?: bigint
}

/**
 * Samples of the selected series of one table with tags. Result columns: `series` (the driver's number of it), `time` (a float, in the time index's
 * unit), then the values. Series come in no order, each as a run with ascending times. Samples without any value are left out.
 */
export interface SeriesQuery {
  readonly kind: 'series'
  readonly table: Table
  /** Further tables with the same physical table, options and `values` columns as `table`; queried together. */
  readonly others?: readonly Table[]
  /** All must match. */
  readonly matches: readonly TagMatch[]
  /** Names of columns. Numbers are returned as floats, text as text. */
  readonly values: readonly string[]
  readonly from?: bigint
  readonly to?: bigint
  /** True: returns each series that has any row once, without times and values. */
  readonly distinct?: boolean
  /** A reduction of the samples; needs exactly one number column. The engine may ignore it and return samples. */
  readonly reduction?: Reduction
}

/** A computation on the samples of each series, done where they are read, so that fewer values cross threads. */
export interface Reduction {
  /** URL of a module that exports `createReducer`. Other threads load it, so it should import little. */
  readonly module: string
  /** Argument of `createReducer`; cloned for other threads. */
  readonly options: unknown
  /** Number of values returned for each series. */
  readonly width: number
}

/** Hints about queries that will come. */
export interface ExpectedQueries {
  /** Modules that reductions will name. Loading them early makes the first query faster. */
  readonly reducers: readonly string[]
}

/** The function that a module of reductions exports as `createReducer`. */
export type CreateReducer = (options: unknown) => Reducer

/**
 * Writes values computed from the samples of one series into `out`, and 1 into `present` at the same indexes. Times ascend, in the unit of the time
 * index. Returns the steps that are left where the work is long: one for each of thousands of short series would take longer than they do.
 * `times` and `values` are reused after the last step.
 */
export type Reducer = (
  times: Float64Array,
  values: Float64Array,
  out: Float64Array,
  present: Uint8Array
) => Steps<void> | undefined

/** A test of a tag's value as text. The value is '' if the series or the table has no such tag. */
export interface TagMatch {
  readonly column: string
  readonly test: (value: string) => boolean
  /** The only value that passes, if there is exactly one: the driver can look it up. */
  readonly equals?: string
}

/** The tags of a series that have a value, as text, sorted by name. Series with the same tag names may share the arrays. */
export interface SeriesTags {
  readonly table: Table
  readonly names: readonly string[]
  readonly values: readonly string[]
}

/** How one part of a table (a file or memtable) is read, for EXPLAIN ANALYZE. */
export interface PartRead {
  readonly table: string
  /** Name of the part, without the server's paths. */
  readonly part: string
  /** How the part is read (one word), and why. */
  readonly path: string
  readonly reason: string
  readonly rows: number
  readonly bytes: number
  /** For memtables: rows that are sorted by series, so that rows of other series are skipped. */
  readonly sorted?: number
  /** Row groups read and skipped, if the driver knows. */
  readonly groups?: { readonly read: number; readonly pruned: number }
  /** Hits and misses of the cache of decoded pages. */
  readonly pages?: { readonly hits: number; readonly misses: number }
}

/** The result of a query; rows are produced while it is read. */
export interface QueryResult {
  readonly columns: readonly ResultColumn[]
  /** Live tail: rows left out so far. */
  readonly lost?: () => number
  /** Series query: the tags of a series number. */
  readonly labels?: (series: number) => SeriesTags
  /**
   * True: the requested reduction was done. The columns are then the series number, the `width` values of each series one after the other, and at the
   * same indexes whether there is a value (0 or 1). Series without any value are left out.
   */
  readonly reduced?: boolean
  /** Reduced series come in an arbitrary order; `labels` and the series numbers are valid after the last batch. */
  readonly inAnyOrder?: boolean
  /** How the parts of its tables are read, for people; the counts grow until the last batch. */
  readonly reading?: () => readonly PartRead[]
  /** Produces batches as it is iterated. Leaving the loop early or calling `close` stops the query and frees its memory. */
  batches(): AsyncIterable<ResultBatch>
  close(): void
}

/**
 * Maintenance on request: flush writes rows to files, compact merges files and removes expired ones; without `table`, for all tables. A backup calls
 * `receive` with a snapshot that has everything answered before the call, and keeps it until the promise of `receive` settles.
 */
export type Maintenance =
  | { readonly kind: 'flush' | 'compact'; readonly table?: Table }
  | { readonly kind: 'backup'; readonly receive: (backup: Backup) => Promise<void> }

/** A snapshot of all data, as files that do not change. */
export interface Backup {
  /** What the driver needs besides the files to restore the data: plain JSON. */
  readonly catalog: unknown
  readonly files: readonly BackupFile[]
  /** The bytes of a file on disk, starting at an offset. */
  read(file: BackupFile, from: number): AsyncIterable<Uint8Array>
}

/** A file of a backup. */
export interface BackupFile {
  /** Unique path with slashes. The same path, size and checksum mean the same file in every later backup. */
  readonly path: string
  readonly bytes: number
  /** CRC-32 of its bytes. */
  readonly checksum: number
}

/** How much a maintenance task wrote, or a backup holds. */
export interface Report {
  readonly rows: number
  readonly bytes: number
  readonly files: number
}

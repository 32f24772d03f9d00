// Databases, tables and columns.
import type { ColumnType, ResultType } from './types.ts'

/** The role of a column: `tag` tells what a row is about, `field` is measured, `timestamp` is the time index. */
export type Semantic = 'tag' | 'field' | 'timestamp'

/** An index on a column. */
export interface ColumnIndex {
  readonly kind: 'inverted' | 'fulltext' | 'skipping'
  /** Option values as text, defaults filled in, for example `granularity: '10240'`. */
  readonly options: Readonly<Record<string, string>>
}

/** A column as a user or a write defines it. */
export interface ColumnDefinition {
  readonly name: string
  readonly type: ColumnType
  readonly semantic: Semantic
  readonly nullable: boolean
  /** SQL text of the default expression. */
  readonly default?: string
  readonly index?: ColumnIndex
  readonly comment?: string
  /**
   * The value of the column in rows that do not have it: rows from before it was added, and later ones that leave it out. Text that the column's
   * first type can read; absent: null. Set when the column is added; later types convert it like any value.
   */
  readonly initial?: string
}

/** An earlier column whose values were taken over when the type changed; they are converted when read. */
export interface FormerColumn {
  readonly id: number
  readonly physical: string
  readonly type: ColumnType
  /** True: the type was changed to JSON and texts became JSON strings, instead of being parsed as JSON. */
  readonly kept?: true
}

/** A column of a table in the catalog. */
export interface TableColumn extends ColumnDefinition {
  /** Unique within the table, never used again after a drop. */
  readonly id: number
  /** Its name inside the engine and in relations of SQL queries: `name` itself unless another column differs only in case. */
  readonly physical: string
  /** In a logical table: id of the column of the physical table that holds the values. */
  readonly stored?: number
  /** Columns that hold the values from before its type was changed, the latest first. */
  readonly was?: readonly FormerColumn[]
}

/** How versions of a row are merged: the last row counts, or the last value of each field that is not null. */
export type MergeMode = 'last_row' | 'last_non_null'

/** Options that take effect when a table is created. All values are validated and canonical. */
export interface TableOptions {
  /** A canonical duration such as `7days`, or `forever`, `instant`. Absent: that of the database. */
  readonly ttl?: string
  readonly append_mode?: boolean
  readonly merge_mode?: MergeMode
  readonly skip_wal?: boolean
  /** The table is a logical one: its rows lie in the files of this physical table. */
  readonly physical_table?: string
  /** The table is a physical one: it holds the rows of logical tables and is written only through them. */
  readonly physical_metric_table?: boolean
  readonly comment?: string
}

/** A table to be created. */
export interface TableDefinition {
  readonly database: string
  readonly name: string
  /** In the order users see. Exactly one has the semantic `timestamp`. */
  readonly columns: readonly ColumnDefinition[]
  readonly options: TableOptions
}

/** A table of the catalog. Immutable: a change makes a new one with a higher `version`. */
export interface Table {
  readonly id: number
  readonly database: string
  readonly name: string
  readonly columns: readonly TableColumn[]
  readonly options: TableOptions
  readonly version: number
  /** Milliseconds since 1970. */
  readonly createdAt: number
  readonly timeIndex: TableColumn
  readonly tags: readonly TableColumn[]
}

/** A database. */
export interface Database {
  readonly id: number
  readonly name: string
  readonly options: TableOptions
}

/** A view: a named query. Views and tables of a database share one set of names. */
export interface View {
  readonly database: string
  readonly name: string
  /** Text of the query; names without a database belong to the view's database. */
  readonly query: string
  /** `from`: the query's name of the column, if the view renames it. */
  readonly columns: readonly { readonly name: string; readonly type: ResultType; readonly from?: string }[]
  /** Milliseconds since 1970. */
  readonly createdAt: number
}

/** A change of one table; columns have the names users see. */
export type TableChange =
  /** `order`: names of all columns in their new order; absent: new columns come last. */
  | {
      readonly kind: 'add_columns'
      readonly columns: readonly ColumnDefinition[]
      readonly order?: readonly string[]
    }
  | { readonly kind: 'drop_column'; readonly name: string }
  /**
   * Column `name` gets another definition. If its type changes, values are converted; those that cannot be become null. With `keepValues` and type
   * Json, texts become JSON strings instead of being parsed as JSON.
   */
  | {
      readonly kind: 'modify_column'
      readonly name: string
      readonly definition: ColumnDefinition
      readonly keepValues?: boolean
    }
  | { readonly kind: 'rename'; readonly name: string }
  | {
      readonly kind: 'set_options'
      readonly options: TableOptions
      readonly unset?: readonly (keyof TableOptions)[]
    }
  /** Deletes all rows. */
  | { readonly kind: 'truncate' }

// What a database, a table and a column are.
import type { ColumnType, ResultType } from './types.ts'

export type Semantic = 'tag' | 'field' | 'timestamp'

export interface ColumnIndex {
  readonly kind: 'inverted' | 'fulltext' | 'skipping'
  /** Option values as text, defaults filled in, for example `granularity: '10240'`. */
  readonly options: Readonly<Record<string, string>>
}

/** A column as somebody asks for it. */
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
   * What rows from before the column hold, and later ones that leave it out: text the type reads that the column had first. Absent: null.
   * It is given with a new column and stays; later types of the column convert it as they do values.
   */
  readonly initial?: string
}

/** A column of another type whose values a column took over; they are converted when they are read. */
export interface FormerColumn {
  readonly id: number
  readonly physical: string
  readonly type: ColumnType
  /** The next type was JSON, and texts became JSON strings instead of being read as JSON. */
  readonly kept?: true
}

export interface TableColumn extends ColumnDefinition {
  /** Unique within the table for ever, also after a drop. */
  readonly id: number
  /** Its name inside the engine and in relations of SQL queries: `name` itself unless another column differs only in case. */
  readonly physical: string
  /** In a logical table: id of the physical table's column that holds it. */
  readonly stored?: number
  /** Where its values lie from before its type was changed, the latest first. */
  readonly was?: readonly FormerColumn[]
}

export type MergeMode = 'last_row' | 'last_non_null'

/** Options that take effect when a table is created; every value is already validated and canonical. */
export interface TableOptions {
  /** Canonical duration such as `7days`, or `forever`, `instant`. Absent: the database's. */
  readonly ttl?: string
  readonly append_mode?: boolean
  readonly merge_mode?: MergeMode
  readonly skip_wal?: boolean
  /** The table is a logical one: its rows lie in this physical table's files. */
  readonly physical_table?: string
  /** Holds the rows of logical tables; written only through them. */
  readonly physical_metric_table?: boolean
  readonly comment?: string
}

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

export interface Database {
  readonly id: number
  readonly name: string
  readonly options: TableOptions
}

/** A query with a name. Its database's names of tables and views are one set. */
export interface View {
  readonly database: string
  readonly name: string
  /** The text of the query; names in it without a database are of the view's. */
  readonly query: string
  /** `from`: the name the query has for it, where the view gives it another one. */
  readonly columns: readonly { readonly name: string; readonly type: ResultType; readonly from?: string }[]
  /** Milliseconds since 1970. */
  readonly createdAt: number
}

/** A change of one table; columns are named as users see them. */
export type TableChange =
  /** `order`: the names of all columns as they stand afterwards; without it the new ones come last. */
  | {
      readonly kind: 'add_columns'
      readonly columns: readonly ColumnDefinition[]
      readonly order?: readonly string[]
    }
  | { readonly kind: 'drop_column'; readonly name: string }
  /**
   * The column `name` gets another definition; with another type its values are converted, null where they cannot be. With `keepValues`
   * and the type Json every value becomes its JSON: a text a JSON string instead of being read as JSON.
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
  /** All rows go. */
  | { readonly kind: 'truncate' }

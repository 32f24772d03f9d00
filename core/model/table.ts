// What a database, a table and a column are.
import type { ColumnType } from './types.ts'

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
}

export interface TableColumn extends ColumnDefinition {
  /** Unique within the table for ever, also after a drop. */
  readonly id: number
  /** Its name inside the engine and in relations of SQL queries: `name` itself unless another column differs only in case. */
  readonly physical: string
  /** In a logical table: id of the physical table's column that holds it. */
  readonly stored?: number
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

/** A change of one table; columns are named as users see them. */
export type TableChange =
  | { readonly kind: 'add_columns'; readonly columns: readonly ColumnDefinition[] }
  | { readonly kind: 'drop_column'; readonly name: string }
  | { readonly kind: 'rename'; readonly name: string }
  | { readonly kind: 'set_options'; readonly options: TableOptions }

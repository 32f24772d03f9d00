// The kinds of statement there are.
import type { ColumnDefinition, ColumnIndex, ColumnType } from '../../../core/index.ts'
import type { Token } from '../text/token.ts'
import type { WrittenColumn } from './column.ts'
import type { Name } from './cursor.ts'

export type Statement =
  | QueryStatement
  | ExplainStatement
  | InsertStatement
  | DeleteStatement
  | CreateTable
  | CreateFlow
  | { readonly kind: 'drop_flow'; readonly name: string; readonly ifExists: boolean }
  | CreateTableAs
  | CreateTableLike
  | CreateView
  | AlterTable
  | AlterDatabase
  | CopyStatement
  | CommentStatement
  | { readonly kind: 'truncate'; readonly name: readonly Name[] }
  | { readonly kind: 'drop_view'; readonly names: readonly (readonly Name[])[]; readonly ifExists: boolean }
  | { readonly kind: 'kill'; readonly id: string }
  | { readonly kind: 'create_database'; readonly name: string; readonly ifNotExists: boolean; readonly options: Texts }
  | { readonly kind: 'drop_table'; readonly names: readonly (readonly Name[])[]; readonly ifExists: boolean }
  | { readonly kind: 'drop_database'; readonly name: Name; readonly ifExists: boolean }
  | { readonly kind: 'describe_table'; readonly name: readonly Name[] }
  | { readonly kind: 'describe_query'; readonly query: QueryStatement }
  | ShowStatement
  | { readonly kind: 'use'; readonly database: Name }
  | { readonly kind: 'set_time_zone'; readonly zone: string }
  | TqlStatement
  | { readonly kind: 'admin'; readonly call: string; readonly args: readonly string[]; readonly text: string }

/** Texts by key, as in `WITH (…)`. */
export type Texts = Readonly<Record<string, string>>

export interface QueryStatement {
  readonly kind: 'query'
  readonly tokens: readonly Token[]
}

export interface TqlStatement {
  readonly kind: 'tql'
  readonly command: 'eval' | 'explain' | 'analyze'
  readonly verbose: boolean
  readonly format?: string
  /** As written: constants or expressions. */
  readonly start: string
  readonly end: string
  readonly step: string
  readonly lookback?: string
  /** PromQL as written. */
  readonly query: string
  /** Name of the column of values. */
  readonly alias?: string
}

export interface ExplainStatement {
  readonly kind: 'explain'
  readonly analyze: boolean
  readonly json: boolean
  readonly query: QueryStatement
}

export interface InsertStatement {
  readonly kind: 'insert'
  readonly table: readonly Name[]
  readonly columns: readonly Name[] | undefined
  readonly source:
    | { readonly kind: 'values'; readonly rows: Iterable<readonly (readonly Token[])[]> }
    | TqlStatement
    | QueryStatement
}

export interface DeleteStatement {
  readonly kind: 'delete'
  readonly table: readonly Name[]
  /** The table's name as it stands. */
  readonly named: readonly Token[]
  /** The condition, with balanced parentheses; empty: every row. */
  readonly where: readonly Token[]
}

export interface CreateTable {
  readonly kind: 'create_table'
  readonly name: readonly Name[]
  readonly ifNotExists: boolean
  readonly columns: readonly ColumnDefinition[]
  readonly options: Texts
}

export interface CreateFlow {
  readonly kind: 'create_flow'
  readonly name: string
  readonly replace: boolean
  readonly ifNotExists: boolean
  readonly sink: readonly Name[]
  /** Milliseconds. */
  readonly expireAfter: number | undefined
  readonly comment: string | undefined
  readonly query: QueryStatement
}

export interface CreateTableAs {
  readonly kind: 'create_table_as'
  readonly name: readonly Name[]
  readonly ifNotExists: boolean
  readonly primaryKey: readonly string[]
  /** Undefined: the only column of times. */
  readonly timeIndex: string | undefined
  readonly options: Texts
  readonly query: QueryStatement
}

export interface CreateTableLike {
  readonly kind: 'create_table_like'
  readonly name: readonly Name[]
  readonly like: readonly Name[]
  readonly ifNotExists: boolean
}

export interface CreateView {
  readonly kind: 'create_view'
  readonly name: readonly Name[]
  readonly replace: boolean
  readonly ifNotExists: boolean
  /** Other names than the query gives. */
  readonly columns: readonly Name[] | undefined
  readonly query: QueryStatement
  /** The query as written. */
  readonly text: string
}

export interface AlterTable {
  readonly kind: 'alter_table'
  readonly name: readonly Name[]
  readonly ifExists: boolean
  readonly actions: readonly AlterAction[]
}

export type AlterAction =
  | {
      readonly kind: 'add_column'
      readonly column: WrittenColumn
      readonly ifNotExists: boolean
      /** Before all others, or behind one; otherwise at the end. */
      readonly position?: 'first' | Name
    }
  | { readonly kind: 'drop_column'; readonly column: Name; readonly ifExists: boolean }
  | { readonly kind: 'set_type'; readonly column: Name; readonly type: ColumnType }
  | { readonly kind: 'set_default'; readonly column: Name; readonly default: string | undefined }
  | { readonly kind: 'set_index'; readonly column: Name; readonly index: IndexKind; readonly options: Texts }
  | { readonly kind: 'unset_index'; readonly column: Name; readonly index: IndexKind }
  | { readonly kind: 'rename'; readonly name: string }
  | { readonly kind: 'set_options'; readonly options: Texts }
  | { readonly kind: 'unset_options'; readonly keys: readonly string[] }

export type IndexKind = ColumnIndex['kind']

export interface AlterDatabase {
  readonly kind: 'alter_database'
  readonly name: Name
  readonly options: Texts
  readonly unset: readonly string[]
}

interface CommentStatement {
  readonly kind: 'comment'
  readonly table: readonly Name[]
  readonly column?: Name
  /** Undefined: none from now on. */
  readonly text: string | undefined
}

/** `COPY … TO` a file of the export folder, or `FROM` one. */
export type CopyStatement = {
  readonly kind: 'copy'
  readonly path: string
  readonly options: Texts
} & (
  | { readonly direction: 'to'; readonly source: CopySource }
  | { readonly direction: 'from'; readonly table: readonly Name[]; readonly columns: readonly Name[] | undefined }
)

type CopySource =
  | { readonly kind: 'table'; readonly name: readonly Name[]; readonly named: readonly Token[] }
  | QueryStatement

export type ShowStatement = {
  readonly kind: 'show'
  readonly filter?: ShowFilter
} & (
  | { readonly what: 'databases'; readonly full: boolean }
  | { readonly what: 'tables'; readonly full: boolean; readonly database?: Name }
  | { readonly what: 'columns' | 'index'; readonly full: boolean; readonly name: readonly Name[] }
  | { readonly what: 'create_table' | 'create_view'; readonly name: readonly Name[] }
  | { readonly what: 'views' | 'table_status'; readonly database?: Name }
  | { readonly what: 'processlist'; readonly full: boolean }
  | { readonly what: 'charset' | 'collation' | 'engines' | 'status' | 'flows' }
  | { readonly what: 'create_flow'; readonly flow: string }
  | { readonly what: 'create_database'; readonly database: Name }
  | { readonly what: 'variable'; readonly variable: string }
  | { readonly what: 'variables' }
)

export type ShowFilter =
  | { readonly kind: 'like'; readonly pattern: string }
  | { readonly kind: 'where'; readonly tokens: readonly Token[] }

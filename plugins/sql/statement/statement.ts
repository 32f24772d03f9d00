// The kinds of statement there are.
import type { ColumnDefinition } from '../../../core/index.ts'
import type { Token } from '../text/token.ts'
import type { Name } from './cursor.ts'

export type Statement =
  | QueryStatement
  | ExplainStatement
  | InsertStatement
  | DeleteStatement
  | CreateTable
  | { readonly kind: 'create_database'; readonly name: string; readonly ifNotExists: boolean; readonly options: Texts }
  | { readonly kind: 'drop_table'; readonly names: readonly (readonly Name[])[]; readonly ifExists: boolean }
  | { readonly kind: 'drop_database'; readonly name: Name; readonly ifExists: boolean }
  | { readonly kind: 'describe_table'; readonly name: readonly Name[] }
  | ShowStatement
  | { readonly kind: 'use'; readonly database: Name }
  | { readonly kind: 'set_time_zone'; readonly zone: string }
  | { readonly kind: 'admin'; readonly call: string; readonly args: readonly string[]; readonly text: string }

/** Texts by key, as in `WITH (…)`. */
export type Texts = Readonly<Record<string, string>>

export interface QueryStatement {
  readonly kind: 'query'
  readonly tokens: readonly Token[]
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
    | { readonly kind: 'values'; readonly rows: readonly (readonly (readonly Token[])[])[] }
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

export type ShowStatement = {
  readonly kind: 'show'
  readonly filter?: ShowFilter
} & (
  | { readonly what: 'databases'; readonly full: boolean }
  | { readonly what: 'tables'; readonly full: boolean; readonly database?: Name }
  | { readonly what: 'columns' | 'index'; readonly full: boolean; readonly name: readonly Name[] }
  | { readonly what: 'create_table'; readonly name: readonly Name[] }
  | { readonly what: 'create_database'; readonly database: Name }
  | { readonly what: 'variable'; readonly variable: string }
)

export type ShowFilter =
  | { readonly kind: 'like'; readonly pattern: string }
  | { readonly kind: 'where'; readonly tokens: readonly Token[] }

// The syntax tree of a log query; each part has its path in the document.
import type { Scalar } from './node.ts'

export interface LogQuery {
  readonly table: TableName
  /** Absent: no restriction. */
  readonly time?: TimeRange
  readonly columns: readonly { readonly path: string; readonly name: string }[]
  readonly filter?: Filter
  readonly context?: Context
  readonly steps: readonly Step[]
  readonly order?: readonly Ordering[]
  readonly skip: number
  readonly fetch: number
  /** Whether the document has a limit. */
  readonly limited: boolean
}

export interface TableName {
  readonly path: string
  readonly database: string
  readonly name: string
}

/** Nanoseconds since 1970, the end exclusive; may exceed 64 bits. */
export interface TimeRange {
  readonly from?: bigint
  readonly to?: bigint
  /** The range ends at the time of the request. */
  readonly untilNow: boolean
}

export interface Context {
  readonly path: string
  readonly kind: 'lines' | 'seconds'
  readonly before: number
  readonly after: number
}

export interface Ordering {
  readonly path: string
  readonly expression: Expression
  readonly descending: boolean
}

/** A step of `exprs`. */
export type Step =
  | Expression
  | {
      readonly kind: 'aggregate'
      readonly path: string
      readonly calls: readonly Call[]
      readonly by: readonly Expression[]
    }
  | { readonly kind: 'filter'; readonly path: string; readonly filter: Filter }

export type Expression =
  | { readonly kind: 'column'; readonly path: string; readonly name: string }
  | { readonly kind: 'position'; readonly path: string; readonly index: number }
  | { readonly kind: 'literal'; readonly path: string; readonly value: Scalar }
  | Call
  | {
      readonly kind: 'binary'
      readonly path: string
      readonly op: BinaryOp
      readonly left: Expression
      readonly right: Expression
    }
  | { readonly kind: 'alias'; readonly path: string; readonly expression: Expression; readonly alias: string }

export interface Call {
  readonly kind: 'call'
  readonly path: string
  readonly name: string
  readonly args: readonly Expression[]
  readonly alias?: string
}

export const binaryOps = [
  'Eq',
  'Ne',
  'Lt',
  'Le',
  'Gt',
  'Ge',
  'Plus',
  'Minus',
  'Multiply',
  'Divide',
  'Modulo',
  'And',
  'Or'
] as const
type BinaryOp = (typeof binaryOps)[number]

export type Filter =
  | { readonly kind: 'and' | 'or'; readonly path: string; readonly of: readonly Filter[] }
  | { readonly kind: 'not'; readonly path: string; readonly of: Filter }
  | {
      readonly kind: 'single'
      readonly path: string
      readonly expression: Expression
      readonly contents: readonly ContentFilter[]
    }

/** A condition on the value of an expression. */
export type ContentFilter =
  | { readonly kind: TextTest; readonly path: string; readonly text: string }
  | { readonly kind: 'exist' | 'true' | 'false'; readonly path: string }
  | { readonly kind: 'compare'; readonly path: string; readonly op: Comparison; readonly value: Scalar }
  | { readonly kind: 'between'; readonly path: string; readonly of: readonly ContentFilter[] }
  | { readonly kind: 'in'; readonly path: string; readonly values: readonly Scalar[] }
  | {
      readonly kind: 'compound'
      readonly path: string
      readonly op: 'and' | 'or'
      readonly of: readonly ContentFilter[]
    }

type TextTest = 'prefix' | 'postfix' | 'contains' | 'regex' | 'matches' | 'matches_term'
export type Comparison = '=' | '<>' | '<' | '<=' | '>' | '>='

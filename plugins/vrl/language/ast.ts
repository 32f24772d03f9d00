// The syntax tree of a program.
import type { Span } from './diagnostic.ts'
import type { Value } from './value.ts'

export type Segment = string | number
export type Operator = '??' | '||' | '&&' | '==' | '!=' | '>=' | '>' | '<=' | '<' | '|' | '+' | '-' | '*' | '/'

interface Node {
  readonly span: Span
}

interface LiteralExpr extends Node {
  readonly type: 'literal'
  readonly value: Value
}
interface RegexExpr extends Node {
  readonly type: 'regex'
  readonly source: string
}
interface TimeExpr extends Node {
  readonly type: 'time'
  readonly text: string
}
export interface ArrayExpr extends Node {
  readonly type: 'array'
  readonly items: readonly Expr[]
}
export interface ObjectExpr extends Node {
  readonly type: 'object'
  readonly entries: readonly (readonly [string, Expr])[]
}
export interface BlockExpr extends Node {
  readonly type: 'block'
  readonly body: readonly Expr[]
}
/** Parentheses; they do not open a scope. */
export interface GroupExpr extends Node {
  readonly type: 'group'
  readonly body: readonly Expr[]
}
export interface IfExpr extends Node {
  readonly type: 'if'
  readonly test: Expr
  readonly then: BlockExpr
  readonly otherwise: Expr | undefined
}
export interface AbortExpr extends Node {
  readonly type: 'abort'
  readonly message: Expr | undefined
}
export interface ReturnExpr extends Node {
  readonly type: 'return'
  readonly value: Expr
}
export interface VariableExpr extends Node {
  readonly type: 'variable'
  readonly name: string
}
export interface QueryExpr extends Node {
  readonly type: 'query'
  readonly root: 'event' | 'metadata' | Expr
  readonly path: readonly Segment[]
}
interface NoopExpr extends Node {
  readonly type: 'noop'
}
export type Target = VariableExpr | QueryExpr | NoopExpr
export interface AssignExpr extends Node {
  readonly type: 'assign'
  readonly target: Target
  readonly error: Target | undefined
  readonly merge: boolean
  readonly value: Expr
}
export interface Argument extends Node {
  readonly keyword: string | undefined
  readonly value: Expr
}
export interface ClosureExpr extends Node {
  /** Names of the variables; `_` for unused ones. */
  readonly variables: readonly string[]
  readonly body: BlockExpr
}
export interface CallExpr extends Node {
  readonly type: 'call'
  readonly name: string
  readonly nameSpan: Span
  readonly abort: boolean
  readonly args: readonly Argument[]
  readonly closure: ClosureExpr | undefined
}
export interface NotExpr extends Node {
  readonly type: 'not'
  readonly value: Expr
}
export interface OperatorExpr extends Node {
  readonly type: 'operator'
  readonly operator: Operator
  readonly left: Expr
  readonly right: Expr
}

export type Expr =
  | LiteralExpr
  | RegexExpr
  | TimeExpr
  | ArrayExpr
  | ObjectExpr
  | BlockExpr
  | GroupExpr
  | IfExpr
  | AbortExpr
  | ReturnExpr
  | VariableExpr
  | QueryExpr
  | NoopExpr
  | AssignExpr
  | CallExpr
  | NotExpr
  | OperatorExpr

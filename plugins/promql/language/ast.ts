// The syntax tree of PromQL: plain data with positions.

export type ValueType = 'scalar' | 'vector' | 'matrix' | 'string'

/** Offsets of a node in the text (UTF-16 units), end exclusive. */
interface Span {
  readonly start: number
  readonly end: number
}

export interface Matcher {
  readonly name: string
  readonly op: '=' | '!=' | '=~' | '!~'
  readonly value: string
}

/** Milliseconds, or an expression that depends on step and range of the query. */
export type Duration = number | DurationExpr

export type DurationExpr =
  | { readonly kind: 'step' | 'range' }
  | { readonly kind: 'seconds'; readonly value: number }
  | { readonly kind: 'negative'; readonly operand: DurationExpr }
  | {
      readonly kind: '+' | '-' | '*' | '/' | '%' | '^' | 'min_of' | 'max_of'
      readonly left: DurationExpr
      readonly right: DurationExpr
    }

/** `@`: milliseconds since 1970, or start or end of the query. */
export type At = number | 'start' | 'end'

interface NumberLiteral extends Span {
  readonly kind: 'number'
  readonly value: number
}

interface StringLiteral extends Span {
  readonly kind: 'string'
  readonly value: string
}

/** Offset and `@` of a selector or subquery. */
export interface Shift {
  readonly offset: Duration
  readonly at?: At
}

export interface VectorSelector extends Span, Shift {
  readonly kind: 'selector'
  /** The name before the braces; also in `matchers`. */
  readonly name?: string
  readonly matchers: readonly Matcher[]
  /** How a range reads its boundaries; experimental. */
  readonly boundary?: 'anchored' | 'smoothed'
}

export interface MatrixSelector extends Span {
  readonly kind: 'matrix'
  readonly selector: VectorSelector
  readonly range: Duration
}

export interface Subquery extends Span, Shift {
  readonly kind: 'subquery'
  readonly expr: Expr
  readonly range: Duration
  /** Absent: the default step. */
  readonly step?: Duration
}

export interface Call extends Span {
  readonly kind: 'call'
  readonly name: string
  readonly args: readonly Expr[]
}

export interface Aggregation extends Span {
  readonly kind: 'aggregation'
  readonly op: string
  readonly expr: Expr
  readonly param?: Expr
  readonly grouping: readonly string[]
  readonly without: boolean
}

export interface Matching {
  readonly card: 'one-to-one' | 'many-to-one' | 'one-to-many' | 'many-to-many'
  readonly on: boolean
  readonly labels: readonly string[]
  /** Labels copied from the `one` side. */
  readonly include: readonly string[]
  /** Default values for missing elements of a side; experimental. */
  readonly fill: { readonly left?: number; readonly right?: number }
}

export interface Binary extends Span {
  readonly kind: 'binary'
  readonly op: string
  readonly left: Expr
  readonly right: Expr
  readonly bool: boolean
  readonly matching: Matching
}

export interface Unary extends Span {
  readonly kind: 'unary'
  readonly op: '+' | '-'
  readonly expr: Expr
}

interface Paren extends Span {
  readonly kind: 'paren'
  readonly expr: Expr
}

export type Expr =
  | NumberLiteral
  | StringLiteral
  | VectorSelector
  | MatrixSelector
  | Subquery
  | Call
  | Aggregation
  | Binary
  | Unary
  | Paren

export const comparisons: ReadonlySet<string> = new Set(['==', '!=', '<', '>', '<=', '>='])
export const setOperators: ReadonlySet<string> = new Set(['and', 'or', 'unless'])

/** The expression without the parentheses around it. */
export function unwrap(expr: Expr): Expr {
  return expr.kind === 'paren' ? unwrap(expr.expr) : expr
}

/** The expressions directly below one. */
export function children(expr: Expr): readonly Expr[] {
  switch (expr.kind) {
    case 'call':
      return expr.args
    case 'aggregation':
      return expr.param === undefined ? [expr.expr] : [expr.expr, expr.param]
    case 'binary':
      return [expr.left, expr.right]
    case 'unary':
    case 'paren':
    case 'subquery':
      return [expr.expr]
    case 'matrix':
      return [expr.selector]
    default:
      return []
  }
}

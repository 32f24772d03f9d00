// A compiled expression: static type, and the function that runs it.
import { CompileError, type Span } from './diagnostic.ts'
import type { Kind } from './kind.ts'
import { hasAtMost, type Value } from './value.ts'

/** Maximum parts of a constant; larger values are not treated as constants. */
const maxConstant = 1000

export interface Node {
  readonly span: Span
  readonly kind: Kind
  /** Whether it may fail without an inner expression handling the error. */
  readonly fallible: boolean
  /** The innermost reason why it is fallible, which is reported if the program does not handle it. */
  readonly cause?: CompileError
  /** The value if it is known at compile time. */
  readonly constant?: Value
  /** For a query: the expression its path starts from. */
  readonly base?: Node
  /** Throws Failure, and Return for a `return` statement. */
  readonly run: () => Value
}

/** E100 at a position, the cause of expressions that fail by themselves. */
export function unhandled(span: Span): CompileError {
  return new CompileError(100, 'unhandled error', span, 'expression can result in runtime error', [
    'handle the error case to ensure runtime success'
  ])
}

/** `fallible` and `cause` of a node made of others. */
export function inherit(...parts: readonly Node[]): { readonly fallible: boolean; readonly cause?: CompileError } {
  const part = parts.find(({ fallible }) => fallible)
  return part === undefined ? { fallible: false } : { fallible: true, cause: part.cause ?? unhandled(part.span) }
}

/** The member `constant` of a node, if the value is known and small enough; to be spread into the node. */
export function constantly(value: Value | undefined): { readonly constant?: Value } {
  return value === undefined || !hasAtMost(value, maxConstant) ? {} : { constant: value }
}

// The state of the compiler.

import type { Segment } from './ast.ts'
import type { Context } from './context.ts'
import { CompileError, type Diagnostic, type Span } from './diagnostic.ts'
import type { FunctionSpec } from './function.ts'
import { type Kind, kinds } from './kind.ts'
import type { Node } from './node.ts'
import type { State } from './state.ts'

export interface ReadOnlyPath {
  readonly root: 'event' | 'metadata'
  readonly path: readonly Segment[]
  /** Also everything below it. */
  readonly recursive: boolean
}

export interface Scope {
  readonly source: string
  readonly context: Context
  readonly functions: ReadonlyMap<string, FunctionSpec>
  readonly readOnly: readonly ReadOnlyPath[]
  readonly diagnostics: Diagnostic[]
  readonly state: State
  /** Slots given to variables so far. */
  slots: number
  /** Kinds of all `return` statements. */
  returns: Kind
  /** Variables that were read; the others get a warning. */
  readonly used: Set<string>
  /** Where each variable was assigned first. */
  readonly assigned: Map<string, Span>
}

export function report(scope: Scope, error: CompileError): void {
  scope.diagnostics.push(error.diagnostic)
}

/** Runs `compile`. An error is reported and the expression gets an empty kind, so that it causes no further errors. */
export function recover(scope: Scope, span: Span, compile: () => Node): Node {
  try {
    return compile()
  } catch (error) {
    if (!(error instanceof CompileError)) throw error
    report(scope, error)
    return { span, kind: kinds.never, fallible: false, run: () => null }
  }
}

/** Offset in the source's UTF-8 bytes, as messages count. */
export function byteOffset(scope: Scope, offset: number): number {
  return Buffer.byteLength(scope.source.slice(0, offset))
}

// The entry point: compiles a source text to a program that can run.
import { compileExpr, sequence } from './compile.ts'
import { type Context, type ContextOptions, createContext } from './context.ts'
import { CompileError, type Diagnostic } from './diagnostic.ts'
import { Failure, Return } from './failure.ts'
import type { FunctionSpec } from './function.ts'
import { standardLibrary } from './functions/index.ts'
import { type Kind, kinds, stored, union } from './kind.ts'
import { inherit, type Node } from './node.ts'
import { parse } from './parser.ts'
import { type ReadOnlyPath, recover, report, type Scope } from './scope.ts'
import { createState } from './state.ts'
import { warnUnusedValues, warnUnusedVariables } from './unused.ts'
import type { ObjectValue, Value } from './value.ts'

export interface CompileOptions extends ContextOptions {
  /** Paths the program must not write. */
  readonly readOnly?: readonly ReadOnlyPath[]
  /** Functions to use instead of the standard library. */
  readonly functions?: ReadonlyMap<string, FunctionSpec>
  /** The static kind of the event; default: any object. */
  readonly event?: Kind
}

export type Compiled =
  | { readonly program: Program; readonly diagnostics: readonly Diagnostic[] }
  | { readonly program: undefined; readonly diagnostics: readonly Diagnostic[] }

export type Outcome =
  | { readonly ok: true; readonly value: Value }
  /** `limited`: it exceeded a limit. */
  | { readonly ok: false; readonly message: string; readonly aborted: boolean; readonly limited: boolean }

export interface Program {
  /** The static kind of the result. */
  readonly kind: Kind
  /** The event as the last run left it. */
  readonly event: Value
  readonly metadata: Value
  /** Watched fields that the last run wrote: targets of assignments and keys of objects as the program's text names them. */
  readonly written: ReadonlySet<string>
  /** Runs the program on an event, which it may change. Runs must not overlap. Never throws because of an event's content. */
  run(event: Value, metadata?: ObjectValue): Outcome
}

/** Compiles a text. Reports all problems; the program is there unless one of them is an error (warnings are none). */
export function compile(source: string, options: CompileOptions = {}): Compiled {
  const context = createContext(options)
  const diagnostics: Diagnostic[] = []
  if (source.length > context.limits.program)
    return { program: undefined, diagnostics: [tooLong(context.limits.program)] }
  try {
    const { body, errors } = parse(source)
    if (errors.length > 0) return { program: undefined, diagnostics: errors }
    const scope = createScope(source, context, options, diagnostics)
    const nodes = body.map(expr => compileRoot(scope, () => compileExpr(scope, expr), expr.span))
    if (diagnostics.some(({ severity }) => severity === 'error')) return { program: undefined, diagnostics }
    warnUnusedValues(scope, body)
    warnUnusedVariables(scope)
    return { program: makeProgram(scope, nodes), diagnostics }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return { program: undefined, diagnostics: [tooDeep(source)] }
  }
}

function createScope(source: string, context: Context, options: CompileOptions, diagnostics: Diagnostic[]): Scope {
  return {
    source,
    context,
    functions: options.functions ?? standardLibrary,
    readOnly: options.readOnly ?? [],
    diagnostics,
    state: createState(options.event),
    slots: 0,
    returns: kinds.never,
    used: new Set(),
    assigned: new Map()
  }
}

function tooLong(limit: number): Diagnostic {
  return new CompileError(203, 'syntax error', { start: 0, end: 1 }, `the program is longer than ${limit} characters`)
    .diagnostic
}

function tooDeep(source: string): Diagnostic {
  return new CompileError(203, 'syntax error', { start: 0, end: source.length }, 'expressions are nested too deep')
    .diagnostic
}

/** A top-level statement: an expression that may fail must be handled here. */
function compileRoot(scope: Scope, compileNode: () => Node, span: Node['span']): Node {
  return recover(scope, span, () => {
    const node = compileNode()
    if (node.fallible) report(scope, inherit(node).cause!)
    return node
  })
}

function makeProgram(scope: Scope, nodes: readonly Node[]): Program {
  const { context, returns } = scope
  const run = nodes.length === 0 ? () => null : sequence(scope, nodes)
  // All slots exist from the start: V8 then keeps one hidden class, whatever the order of writes.
  for (let i = 0; i < scope.slots; i++) context.variables.push(null)
  const kind = union(stored(nodes.at(-1)?.kind ?? kinds.null), returns)
  return {
    kind,
    get event() {
      return context.event
    },
    get metadata() {
      return context.metadata
    },
    written: context.written,
    run(event, metadata = new Map()) {
      begin(context, event, metadata)
      try {
        return { ok: true, value: run() }
      } catch (error) {
        return outcomeOf(error)
      }
    }
  }
}

function begin(context: Context, event: Value, metadata: ObjectValue): void {
  context.event = event
  context.metadata = metadata
  context.variables.fill(null)
  context.written.clear()
  context.owned.clear()
  context.owned.add(event).add(metadata)
  context.steps = 0
  context.deadline = performance.now() + context.limits.time
}

function outcomeOf(error: unknown): Outcome {
  if (error instanceof Return) return { ok: true, value: error.value as Value }
  if (error instanceof Failure)
    return { ok: false, message: error.message, aborted: error.final === 'abort', limited: error.final === 'limit' }
  if (error instanceof RangeError)
    return { ok: false, message: 'a value is nested too deep or too large', aborted: false, limited: true }
  throw error
}

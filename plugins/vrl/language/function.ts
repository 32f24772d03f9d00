// The interface of functions: their declaration, and the call as they see it at compile time.
import type { Segment } from './ast.ts'
import type { Context } from './context.ts'
import type { CompileError } from './diagnostic.ts'
import { Failure } from './failure.ts'
import type { Kind } from './kind.ts'
import type { State } from './state.ts'
import type { Value } from './value.ts'

export interface Param {
  readonly name: string
  /** The accepted kind. Checked at compile time if possible, otherwise before each call. */
  readonly kind: Kind
  readonly optional?: boolean
  /** The value if the argument is absent; makes it optional. */
  readonly default?: Value
  /** Must be known at compile time: a literal, or a variable that holds one. */
  readonly constant?: boolean
  /** The allowed texts. Checked at compile time if the argument is constant, otherwise by the function. */
  readonly oneOf?: readonly string[]
  /** Must be a path. Not evaluated, `run` receives undefined: use `call.path`. */
  readonly path?: boolean
  /** Only its kind counts: not evaluated, `run` receives undefined. */
  readonly unevaluated?: boolean
}

/** A path as an argument. */
export interface PathArgument {
  readonly root: 'event' | 'metadata' | 'variable' | 'expression'
  readonly path: readonly Segment[]
  /** Static kind of the value at the path. */
  readonly kind: Kind
  /** Static kind of the whole event, metadata or variable. */
  readonly rootKind: Kind
  /** The value at the path; undefined if there is none. */
  get(): Value | undefined
  getRoot(): Value
  /** Removes and returns the value at the path; undefined when there was none. */
  remove(compact: boolean): Value | undefined
  /** Updates the type state after a removal. */
  forget(compact: boolean): void
}

/** The closure of a call. */
export interface Closure {
  /** Static kind of its result. */
  readonly kind: Kind
  /** One iteration; takes as many values as there are variables. Fails when the closure uses `return`. */
  run(first?: Value, second?: Value): Value
  /** One iteration over an object's entry, where `return` ends the iteration. */
  runEntry(first?: Value, second?: Value): Value
}

/** A call of the function while it is compiled. Asking for a parameter that is not declared is a defect. */
export interface Call {
  readonly context: Context
  readonly state: State
  /** True when the argument is there. */
  given(name: string): boolean
  /** Static kind of the argument, or of its default; `undefined` if both are absent. */
  kind(name: string): Kind
  /** The argument's value if it is constant, or its default; else undefined. */
  constant(name: string): Value | undefined
  /** The program text of an argument. */
  text(name: string): string
  path(name: string): PathArgument
  /** Only in functions that declare one. */
  readonly closure: Closure
  /** E403 for an argument; the caller must throw it. */
  invalid(name: string, message: string): CompileError
}

/** Takes the arguments in the order of the parameters; absent ones without default are undefined. Throws `fail(…)`. */
export type Run = (...args: never[]) => Value

export interface ClosureSpec {
  /** Static kinds of its variables; their number is the number of variables. */
  readonly variables: (call: Omit<Call, 'closure'>) => readonly Kind[]
  /** The kind it must return. */
  readonly returns: Kind
}

export interface Example {
  readonly title: string
  readonly source: string
  /** JSON of the event; `{}` without it. */
  readonly event?: string
  /** JSON of the program's result, times and regexes as text. */
  readonly result?: string
  /** The message it fails with, or the first line of what the compiler says. */
  readonly raises?: string
}

export interface FunctionSpec {
  readonly name: string
  /** One sentence. */
  readonly summary: string
  readonly params: readonly Param[]
  /** Static kind of the result. */
  readonly returns: Kind | ((call: Call) => Kind)
  /** Whether it may fail even with arguments of the right kinds; default: never. */
  readonly fallible?: boolean | ((call: Call) => boolean)
  readonly closure?: ClosureSpec
  /** Exactly one of `run` and `prepare`. */
  readonly run?: Run
  /** Called once for each call in a program, at compile time: precomputes constants, refuses invalid arguments, and returns the function to run. */
  readonly prepare?: (call: Call) => Run
  /** Why the function is not supported; calls are refused with this note. */
  readonly refused?: string
  readonly examples: readonly Example[]
}

/** How a function fails at run time: `throw fail('unable to …')`. The call's name and position are put before the message. */
export function fail(message: string): Failure {
  return new Failure(message)
}

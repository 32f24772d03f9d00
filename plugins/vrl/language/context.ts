// The state of a running program: event, metadata, variables, and the limits of one run.
import { utc, type Zone } from '../../../core/compute.ts'
import { Failure } from './failure.ts'
import type { Value } from './value.ts'

export interface Limits {
  /** UTF-16 units of a program. */
  readonly program: number
  /** Maximum bytes of text one expression may produce. */
  readonly output: number
  /** Maximum milliseconds of one run. */
  readonly time: number
}

export const defaultLimits: Limits = { program: 65_536, output: 16_777_216, time: 1000 }

/** Receives the messages of the `log` function. */
export type LogSink = (level: 'trace' | 'debug' | 'info' | 'warn' | 'error', message: string) => void

/** One program has one context and runs one event at a time. */
export interface Context {
  event: Value
  metadata: Value
  readonly variables: Value[]
  readonly zone: Zone
  readonly limits: Limits
  readonly log: LogSink
  /** Containers below the event, the metadata or a variable that nothing else refers to, so that writes may change them in place. */
  readonly owned: Set<Value>
  /** Fields whose writes the caller wants to know about. */
  readonly watched: ReadonlySet<string>
  /** The watched fields that this run has written by name. */
  readonly written: Set<string>
  /** When the run must have ended, by `performance.now()`. */
  deadline: number
  /** Iterations since the clock was last read. */
  steps: number
}

export interface ContextOptions {
  readonly zone?: Zone
  readonly limits?: Partial<Limits>
  readonly log?: LogSink
  readonly watched?: ReadonlySet<string>
}

export function createContext(options: ContextOptions): Context {
  const { zone = utc, limits, log = () => undefined, watched = new Set() } = options
  return {
    event: null,
    metadata: null,
    variables: [],
    zone,
    limits: { ...defaultLimits, ...limits },
    log,
    owned: new Set(),
    watched,
    written: new Set(),
    deadline: 0,
    steps: 0
  }
}

/** Called once per iteration of every loop that may run long; fails when the time limit of the run is reached. */
export function step(context: Context): void {
  if ((++context.steps & 63) !== 0) return
  if (performance.now() > context.deadline)
    throw new Failure(`the program ran longer than ${context.limits.time} ms`, 'limit')
}

/** Fails when an array or object grows beyond the limit: an item counts as 8 bytes. Call it before making one from others. */
export function checkItems(context: Context, length: number): void {
  checkOutput(context, length * 8)
}

/** Fails when a text grows beyond the limit; call it before making a text longer than its parts. */
export function checkOutput(context: Context, length: number): void {
  if (length > context.limits.output)
    throw new Failure(`the result is longer than ${context.limits.output} bytes`, 'limit')
}

/** Forgets all owned containers: after a read they may be referenced elsewhere. */
export function share(context: Context, value: Value): Value {
  if (typeof value === 'object' && value !== null && context.owned.size > 0) context.owned.clear()
  return value
}

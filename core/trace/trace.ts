// The one way to trace: spans that know what they are part of, and cost next to nothing while nobody wants them.
import { AsyncLocalStorage } from 'node:async_hooks'
import { serialQueue } from '../serial.ts'
import { after, type Timer } from '../timer.ts'

export type SpanFacts = Readonly<Record<string, string | number | boolean>>

/** A piece of work that takes time. */
export interface Span {
  set(facts: SpanFacts): void
  /** The work failed; the text of the error goes along. */
  fail(error: unknown): void
  /** Once. */
  end(): void
}

interface SpanOptions {
  /** True: part of nothing, whatever asked for it. */
  readonly root?: boolean
  /** Work for a client that may be part of its trace: the `traceparent` of the request. */
  readonly request?: { readonly traceparent: string | undefined }
}

export interface Tracing {
  isOn(): boolean
  /** Runs work as a span, part of the one it is called in; what it returns, or resolves to, is the result. */
  span<T>(name: string, facts: SpanFacts, work: (span: Span) => Promise<T>, options?: SpanOptions): Promise<T>
  /** A span that somebody else ends; undefined while tracing is off. */
  begin(name: string, facts: SpanFacts, options?: SpanOptions): Span | undefined
  /** Runs work as part of a span. */
  within<T>(span: Span, work: () => T): T
}

/** Where spans go. */
export interface TraceBackend {
  start(name: string, facts: SpanFacts, parent: Span | undefined, request: SpanOptions['request']): Span
  /** Sends what is pending, as far as that goes. */
  close(): Promise<void>
}

export interface TraceSwitch extends Tracing {
  /** Resolves when spans are made. */
  enable(): Promise<void>
  /** At once; what is pending is still sent. */
  disable(): void
  /** What is not sent within two seconds is not sent. */
  close(): Promise<void>
}

const maxCloseTime = 2_000

const nothing: Span = { set() {}, fail() {}, end() {} }

/** Never traces. */
export const noTracing: Tracing = {
  isOn: () => false,
  span: (_name, _facts, work) => work(nothing),
  begin: () => undefined,
  within: (_span, work) => work()
}

/** Tracing that is off until it is enabled; `open` is called each time, and may fail. */
export function createTracing(open: () => Promise<TraceBackend>): TraceSwitch {
  const current = new AsyncLocalStorage<Span>()
  let backend: TraceBackend | undefined
  const serially = serialQueue()
  const closing = new Set<Promise<void>>()
  const begin: Tracing['begin'] = (name, facts, { root, request } = {}) =>
    backend?.start(name, facts, root || request ? undefined : current.getStore(), request)
  const disable = () => {
    const closed = backend?.close()
    backend = undefined
    if (closed === undefined) return
    closing.add(closed)
    void closed.finally(() => closing.delete(closed))
  }
  return {
    isOn: () => backend !== undefined,
    begin,
    within: (span, work) => current.run(span, work),
    async span(name, facts, work, options) {
      const span = begin(name, facts, options)
      if (span === undefined) return work(nothing)
      try {
        return await current.run(span, () => work(span))
      } catch (error) {
        span.fail(error)
        throw error
      } finally {
        span.end()
      }
    },
    enable: () =>
      serially(async () => {
        const opened = await open()
        disable()
        backend = opened
      }),
    disable,
    async close() {
      await serially(async () => {})
      disable()
      let timer: Timer | undefined
      const late = new Promise<void>(resolve => {
        timer = after(maxCloseTime, resolve)
      })
      await Promise.race([Promise.all(closing), late])
      timer?.stop()
    }
  }
}

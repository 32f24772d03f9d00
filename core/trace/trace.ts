// Tracing: spans that know their parent; nearly free while tracing is off.
import { AsyncLocalStorage } from 'node:async_hooks'
import { serialQueue } from '../serial.ts'
import { after, type Timer } from '../timer.ts'

export type SpanFacts = Readonly<Record<string, string | number | boolean>>

/** A span: a piece of work with a duration. */
export interface Span {
  set(facts: SpanFacts): void
  /** Marks the span as failed, with the text of the error. */
  fail(error: unknown): void
  /** Must be called exactly once. */
  end(): void
}

interface SpanOptions {
  /** True: the span has no parent. */
  readonly root?: boolean
  /** Work for a client: `traceparent` of its request makes the span part of the client's trace. */
  readonly request?: { readonly traceparent: string | undefined }
}

/** Makes spans. */
export interface Tracing {
  isOn(): boolean
  /** Runs work within a new span, a child of the current one; returns the result of the work. */
  span<T>(name: string, facts: SpanFacts, work: (span: Span) => Promise<T>, options?: SpanOptions): Promise<T>
  /** Begins a span that the caller must end; undefined while tracing is off. */
  begin(name: string, facts: SpanFacts, options?: SpanOptions): Span | undefined
  /** Runs work with the span as current span. */
  within<T>(span: Span, work: () => T): T
}

/** The exporter of spans. */
export interface TraceBackend {
  start(name: string, facts: SpanFacts, parent: Span | undefined, request: SpanOptions['request']): Span
  /** Sends pending spans, if possible. */
  close(): Promise<void>
}

export interface TraceSwitch extends Tracing {
  /** Resolves once spans are made. */
  enable(): Promise<void>
  /** Takes effect at once; pending spans are still sent. */
  disable(): void
  /** Gives up spans that are not sent within two seconds. */
  close(): Promise<void>
}

const maxCloseTime = 2_000

const nothing: Span = { set() {}, fail() {}, end() {} }

/** Tracing that is always off. */
export const noTracing: Tracing = {
  isOn: () => false,
  span: (_name, _facts, work) => work(nothing),
  begin: () => undefined,
  within: (_span, work) => work()
}

/** Tracing that is off until enabled. `open` is called at each enabling, and may fail. */
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

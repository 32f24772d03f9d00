// Runs one flow: fills its table once, then follows writes to the source table and recomputes the windows they touch.
import {
  DbError,
  type Dialect,
  isDbError,
  type PluginCore,
  parseDuration,
  pause,
  type QueryResult,
  type RequestContext
} from '../../core/index.ts'
import type { FlowDefinition, SqlQueryService } from '../services.ts'
import { joined, type Span, spanText, type Window, windowsText, within } from './window.ts'

export interface FlowOptions {
  readonly interval: number
  readonly queue: number
}

interface FlowEvents {
  /** Throws where the flow must not run: asked before it computes anything. */
  check(): void
  /** `all`: every window was recomputed. */
  refreshed(windows: number | 'all', rows: number): void
  failed(error: unknown): void
}

/** Largest number of result rows per statement when all windows are recomputed. */
const rowsPerWrite = 65_536n

/** Milliseconds before a flow that failed tries again. */
const retryAfter = 5_000

export class Flow {
  readonly definition: FlowDefinition
  readonly #core: PluginCore
  readonly #sql: SqlQueryService
  readonly #options: FlowOptions
  readonly #events: FlowEvents
  readonly #stop = new AbortController()
  /** Callers of `caughtUp`: resolved by the second read of the source from now, because only that one certainly begins after the call. */
  #waiting: { readonly reads: number; readonly resolve: () => void; readonly reject: (error: unknown) => void }[] = []
  #reads = 0
  #ended: Promise<void> = Promise.resolve()

  constructor(
    core: PluginCore,
    sql: SqlQueryService,
    definition: FlowDefinition,
    options: FlowOptions,
    events: FlowEvents
  ) {
    this.#core = core
    this.#sql = sql
    this.definition = definition
    this.#options = options
    this.#events = events
  }

  /** Resolves when its table is filled for the first time; rejects with DbError `Cancelled` where it is stopped before that. */
  start(): Promise<void> {
    const filled = Promise.withResolvers<void>()
    this.#ended = this.#run(filled)
    return filled.promise
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#ended
  }

  /** Resolves when everything written before the call is in its table. */
  caughtUp(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ reads: this.#reads + 2, resolve, reject })
    })
  }

  async #run(filled: PromiseWithResolvers<void>): Promise<void> {
    const { signal } = this.#stop
    while (!signal.aborted) {
      try {
        await this.#follow(filled)
      } catch (error) {
        if (signal.aborted) break
        filled.reject(error)
        this.#events.failed(error)
        this.#answerWaiting(error)
        await pause(retryAfter, { signal }).catch(() => {})
      }
    }
    const stopped = new DbError('Cancelled', `flow ${this.definition.name} was dropped, replaced or stopped`)
    filled.reject(stopped)
    this.#answerWaiting(stopped)
  }

  /** Follows the source table until it is dropped or changed. Rows written during the initial computation are processed after it. */
  async #follow(filled: PromiseWithResolvers<void>): Promise<void> {
    this.#events.check()
    const { query } = this.definition
    const { interval, queue } = this.#options
    const ctx = this.#context()
    const windows = await this.#sql.plan(ctx, windowsText(this.#core.store.dialect, query))
    const follow = { interval, limit: queue, deletes: true }
    const followed = await this.#core.store.query(ctx, { ...windows, follow })
    try {
      await this.#fill()
      filled.resolve()
      await this.#readSource(followed)
    } finally {
      followed.close()
    }
  }

  async #readSource(followed: QueryResult): Promise<void> {
    let lost = followed.lost?.() ?? 0
    for await (const { rows, columns } of followed.batches()) {
      const [from, to] = columns.map(({ values }) => values)
      const windows: Window[] = []
      for (let row = 0; row < rows; row++)
        windows.push({ from: BigInt(from![row] as bigint), to: BigInt(to![row] as bigint) })
      this.#events.check()
      const missed = followed.lost?.() ?? 0
      if (missed > lost) await this.#fill()
      else for (const span of joined(windows)) await this.#refresh(span, windows.length)
      lost = missed
      // The end of one read of the source.
      if (rows > 0) continue
      this.#reads++
      this.#answerWaiting()
    }
  }

  /** Recomputes all windows, in several statements where there are many rows. */
  async #fill(): Promise<void> {
    const { sink, columns, query } = this.definition
    const { dialect } = this.#core.store
    const window = dialect.nanoseconds(dialect.quoteName(columns[query.windowColumn]!))
    const text = `SELECT ${window}, count(*) FROM ${nameOf(dialect, sink)} GROUP BY ALL ORDER BY 1`
    let from: bigint | undefined
    let rows = 0n
    for await (const { rows: count, columns: found } of (await this.#sql.query(this.#context(), text)).batches()) {
      for (let row = 0; row < count; row++) {
        const [start, length] = found.map(({ values }) => BigInt(values[row] as bigint))
        if (rows > 0n && rows + length! > rowsPerWrite) {
          await this.#replace({ ...(from !== undefined && { from }), to: start! })
          from = start
          rows = 0n
        }
        rows += length!
      }
    }
    this.#events.refreshed('all', await this.#replace(from === undefined ? {} : { from }))
  }

  async #refresh(span: Window, windows: number): Promise<void> {
    const oldest = this.#oldest()
    if (oldest === undefined || span.to > oldest) this.#events.refreshed(windows, await this.#replace(span))
  }

  /** Writes the rows of a time span and deletes rows that no longer exist. */
  async #replace(span: Span): Promise<number> {
    const { sink, columns, query } = this.definition
    const oldest = this.#oldest()
    const { dialect } = this.#core.store
    const window = dialect.quoteName(columns[query.windowColumn]!)
    const expired = oldest === undefined ? [] : within(dialect, window, { from: oldest })
    const bounds = [...within(dialect, window, span), ...expired]
    return this.#sql.replace(this.#context(), {
      ...sink,
      columns,
      query: spanText(dialect, this.definition, span, oldest),
      where: bounds.join(' AND ')
    })
  }

  /** The first window that is kept up to date: older ones are beyond `EXPIRE AFTER`, or rows of the source may have expired. */
  #oldest(): bigint | undefined {
    const { source } = this.definition.query
    const ttls = [
      this.#core.store.table(source.database, source.table)?.options.ttl,
      this.#core.store.database(source.database)?.options.ttl
    ].map(ttl => (ttl === undefined ? undefined : parseDuration(ttl)))
    const kept = [ttls[0] ?? ttls[1], this.definition.expireAfter].filter(each => each !== undefined)
    return kept.length === 0 ? undefined : BigInt(Math.floor(Date.now() - Math.min(...kept))) * 1_000_000n
  }

  #context(): RequestContext {
    const { database, timezone } = this.definition
    return { ...this.#core.context(database), timezone, signal: this.#stop.signal }
  }

  #answerWaiting(error?: unknown): void {
    const done = error === undefined ? this.#waiting.filter(({ reads }) => reads <= this.#reads) : this.#waiting
    this.#waiting = this.#waiting.filter(each => !done.includes(each))
    for (const { resolve, reject } of done) error === undefined ? resolve() : reject(error)
  }
}

/** The message for a failure of a flow. */
export function reasonOfFailure(error: unknown): string {
  return isDbError(error) ? error.code : 'Internal'
}

function nameOf({ quoteName }: Dialect, { database, table }: FlowDefinition['sink']): string {
  return `${quoteName(database)}.${quoteName(table)}`
}

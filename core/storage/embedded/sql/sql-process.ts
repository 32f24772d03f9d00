// Runs SQL statements in a process of their own, so that none of them can stop, starve or end the server: DuckDB knows statements that
// cannot be interrupted, values it does not count as memory, and texts it crashes on.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { DbError } from '../../../errors.ts'
import type { Logger } from '../../../log/log.ts'
import { after, pause } from '../../../timer.ts'
import type { FileTarget, SqlValue } from '../../engine.ts'
import { cancelled } from '../duckdb/errors.ts'
import { FairQueue } from './fair-queue.ts'
import type { StatementFrame } from './frames.ts'
import { type EndReason, jsonParameter, QueryChild } from './query-child.ts'
import type { SqlAnswer } from './statement.ts'

export interface SqlProcessOptions {
  /** In messages and in the title of the process. */
  readonly name: string
  /** What statements may read, absolute. */
  readonly folders: readonly string[]
  /** For rows that do not fit into memory: the process makes a folder of its name there. */
  readonly temporary: string
  /** A folder that goes when the server is gone, however that ends. */
  readonly leftovers?: string
  readonly threads: number
  /** DuckDB's own limit, bytes. */
  readonly memoryLimit: number
  /** Resident bytes at which the process is ended. */
  readonly hardLimit: number
  readonly log: Pick<Logger, 'info' | 'warn'>
  /** Statements that run at a time; those whose reader is slow do not count. Asked each time. Default: two for each thread. */
  readonly slots?: () => number
  /** Results that are open at a time, each with up to `window` bytes that were not read. Default: sixteen for each slot. */
  readonly results?: number
  /** Statements that may wait for a slot, and how many milliseconds each may. Asked each time. Default: 256, and half a minute. */
  readonly queue?: () => { readonly most: number; readonly time: number }
  /** Bytes of one row of a result. Default 64 MiB. */
  readonly maxRow?: number
  /** Told when the process is ended, and when a statement is refused. */
  readonly restarted?: (reason: EndReason) => void
  readonly refused?: (reason: 'full' | 'late') => void
}

export interface SqlRequest {
  /** One statement that reads. */
  readonly text: string
  /** Statements that run before on the same connection, for their effect. They are trusted. */
  readonly before?: readonly string[]
  readonly parameters?: readonly SqlValue[]
  /** IANA name, or as DuckDB takes it. */
  readonly timezone: string
  /** Where its rows go; the answer is one row then, how many there were. */
  readonly target?: FileTarget
  /** Statements that wait get their turn by user. */
  readonly user?: string
}

export interface SqlProcessStatistics {
  /** Whether the process is there and ready. */
  readonly alive: boolean
  readonly pid?: number
  readonly residentBytes: number
  /** Statements that work. */
  readonly running: number
  /** Statements that wait for their reader. */
  readonly stalled: number
  /** Statements that wait for a slot. */
  readonly waiting: number
  readonly restarts: Readonly<Record<EndReason, number>>
  /** Milliseconds the last start took. */
  readonly startTime: number
}

/** Bytes of a result that may have been sent and not been read. */
const window = 4 << 20
/** Statements named in the log, and characters of each. */
const maxNamed = 16
const maxNamedLength = 500

interface Waiting {
  readonly start: () => void
  readonly fail: (error: DbError) => void
}

export class SqlProcess {
  readonly #options: Required<Omit<SqlProcessOptions, 'leftovers'>> & Pick<SqlProcessOptions, 'leftovers'>
  readonly #waiting = new FairQueue<Waiting>()
  readonly #restarts: Record<EndReason, number> = { memory: 0, stuck: 0, died: 0 }
  #child: QueryChild | undefined
  #starts = 0
  #startTime = 0
  #isOpen = true

  constructor(options: SqlProcessOptions) {
    const usual = 2 * options.threads
    this.#options = {
      slots: () => usual,
      results: 16 * usual,
      queue: () => ({ most: 256, time: 30_000 }),
      maxRow: 64 << 20,
      restarted: () => {},
      refused: () => {},
      ...options
    }
  }

  /** Rejects with a DbError; `RateLimited` where too many statements wait already. */
  run(request: SqlRequest, signal: AbortSignal): Promise<SqlAnswer> {
    if (!this.#isOpen) return Promise.reject(closed())
    if (signal.aborted) return Promise.reject(cancelled(signal))
    if (this.#waiting.size === 0 && this.#hasPlace()) return this.#start(request, signal)
    const { most, time } = this.#options.queue()
    if (this.#waiting.size >= most) {
      this.#options.refused('full')
      const message = `${this.#waiting.size} statements wait to be run, no more than ${most} may (max_waiting_queries)`
      return Promise.reject(new DbError('RateLimited', message, { retryAfter: 1 }))
    }
    const { user = '' } = request
    return new Promise((resolve, reject) => {
      const leave = () => {
        late?.stop()
        signal.removeEventListener('abort', abort)
      }
      const waiting: Waiting = {
        start: () => {
          leave()
          resolve(this.#start(request, signal))
        },
        fail: error => {
          leave()
          reject(error)
        }
      }
      const abort = () => {
        this.#waiting.remove(user, waiting)
        waiting.fail(cancelled(signal))
      }
      const late = time > 0 ? after(time, () => this.#late(user, waiting, time)) : undefined
      signal.addEventListener('abort', abort, { once: true })
      this.#waiting.add(user, waiting)
    })
  }

  /** Starts the process, so that the first statement need not wait for it; a failure is that of the next statement. */
  start(): void {
    if (this.#isOpen) this.#startAgain()
  }

  statistics(): SqlProcessStatistics {
    const child = this.#child
    const running = child?.working ?? 0
    return {
      alive: child?.isReady ?? false,
      ...(child?.pid !== undefined && { pid: child.pid }),
      residentBytes: child?.residentBytes ?? 0,
      running,
      stalled: (child?.statements.size ?? 0) - running,
      waiting: this.#waiting.size,
      restarts: { ...this.#restarts },
      startTime: this.#startTime
    }
  }

  /** Statements that run or wait are answered with an error; with `finish` those that run are read to their end. */
  async close(finish = false): Promise<void> {
    this.#isOpen = false
    while (finish && (this.#child?.statements.size ?? 0) > 0) await pause(5)
    for (let waiting = this.#waiting.next(); waiting !== undefined; waiting = this.#waiting.next()) {
      waiting.fail(closed())
    }
    const child = this.#child
    this.#child = undefined
    await child?.close(closed())
  }

  #late(user: string, waiting: Waiting, time: number): void {
    this.#waiting.remove(user, waiting)
    this.#options.refused('late')
    const message = `other statements ran for the ${time / 1000} s that one may wait for its turn (query_wait_timeout)`
    waiting.fail(new DbError('RateLimited', message, { retryAfter: 1 }))
  }

  #hasPlace(): boolean {
    const { slots, results } = this.#options
    const child = this.#child
    return child === undefined || (child.working < slots() && child.statements.size < results)
  }

  #start(request: SqlRequest, signal: AbortSignal): Promise<SqlAnswer> {
    const { text, before = [], parameters = [], timezone, target } = request
    const { maxRow } = this.#options
    const common = { text, before, parameters: parameters.map(jsonParameter), timezone, window, maxRow }
    const frame: StatementFrame = { ...common, ...(target && { target }) }
    try {
      this.#child ??= this.#spawn()
      return this.#child.run(frame, signal)
    } catch (error) {
      return Promise.reject(cannotStart(error instanceof Error ? error.message : String(error), error))
    }
  }

  #spawn(): QueryChild {
    const { name, folders, threads, memoryLimit, hardLimit, results } = this.#options
    const slots = 2 * threads
    const home = join(this.#options.temporary, name)
    // What one left that was ended with the server.
    if (this.#starts === 0) rmSync(home, { recursive: true, force: true })
    const temporary = join(home, String(++this.#starts))
    const { leftovers } = this.#options
    const common = { name, folders, temporary, threads, memoryLimit, connections: slots }
    const settings = { ...common, ...(leftovers !== undefined && { leftovers }) }
    const child: QueryChild = new QueryChild(
      { ...settings, hardLimit, waitingThreads: Math.min(results, 4 * slots) + 4 },
      {
        ready: () => {
          this.#startTime = performance.now() - child.startedAt
        },
        moved: () => this.#startWaiting(),
        ended: (reason, detail) => this.#ended(child, reason, detail)
      }
    )
    return child
  }

  #startWaiting(): void {
    while (this.#isOpen && this.#waiting.size > 0 && this.#hasPlace()) this.#waiting.next()!.start()
  }

  #ended(child: QueryChild, reason: EndReason, detail: string): void {
    if (this.#child === child) this.#child = undefined
    const { name, log } = this.#options
    this.#restarts[reason]++
    this.#options.restarted(reason)
    const statements = [...child.statements.values()]
      .slice(0, maxNamed)
      .map(({ text }) => text.slice(0, maxNamedLength))
    const { pid, lastWords } = child
    log.warn(
      {
        process: name,
        pid,
        reason,
        running: child.statements.size,
        statements,
        ...(lastWords && { stderr: lastWords })
      },
      `the query process was ended because ${detail}`
    )
    if (!child.isReady && reason === 'died') {
      // The next one would fare no better: the next request tries again.
      const error = cannotStart(/\bError: (.+)/.exec(lastWords)?.[1] ?? detail)
      child.lose(() => error)
      for (let waiting = this.#waiting.next(); waiting !== undefined; waiting = this.#waiting.next())
        waiting.fail(error)
      return
    }
    child.lose(only => this.#lost(reason, detail, only))
    this.#startAgain()
    this.#startWaiting()
  }

  /** At once, so that the next statement need not wait as long. */
  #startAgain(): void {
    if (!this.#isOpen) return
    try {
      this.#child ??= this.#spawn()
    } catch (error) {
      this.#options.log.warn({ err: error, process: this.#options.name }, 'the query process cannot be started')
    }
  }

  /** What a statement is answered whose process is gone: one that ran alone is the cause itself and would be it again. */
  #lost(reason: EndReason, detail: string, only: boolean): DbError {
    if (!only || reason === 'stuck') {
      return new DbError('StorageUnavailable', `the query process was ended because ${detail}; try again`, {
        retryAfter: 1
      })
    }
    const message = `the query process was ended because ${detail}; this was the only statement in it`
    return new DbError(reason === 'memory' ? 'RuntimeResourcesExhausted' : 'EngineExecuteQuery', message)
  }
}

function closed(): DbError {
  return new DbError('Cancelled', 'the storage engine stops')
}

function cannotStart(detail: string, cause?: unknown): DbError {
  return new DbError('StorageUnavailable', `the query process cannot be started: ${detail}`, { cause, retryAfter: 5 })
}

export type { SqlAnswer } from './statement.ts'

// Runs SQL statements in a separate process, so that none can block, starve or crash the server. DuckDB has statements that cannot be
// interrupted, values that its memory limit does not count, and texts that crash it.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { DbError } from '../../../errors.ts'
import type { Logger } from '../../../log/log.ts'
import type { Limit } from '../../../model/limit.ts'
import { after, pause } from '../../../timer.ts'
import { AdmissionQueue } from '../../admission-queue.ts'
import type { FileTarget, SqlValue } from '../../engine.ts'
import { cancelled } from '../duckdb/errors.ts'
import type { Placeholder, StatementFrame } from './frames.ts'
import { type EndReason, jsonParameter, QueryChild, type StartedStatement } from './query-child.ts'
import type { SqlAnswer } from './statement.ts'

export interface SqlProcessOptions {
  /** For messages and the title of the process. */
  readonly name: string
  /** Absolute folders that statements may read. */
  readonly folders: readonly string[]
  /** Folder for rows that do not fit in memory; the process creates a subfolder. */
  readonly temporary: string
  /** A folder to delete when the server is gone, however it ends. */
  readonly leftovers?: string
  readonly threads: number
  /** DuckDB's own memory limit in bytes. */
  readonly memoryLimit: number
  /** Resident bytes at which the process is killed. */
  readonly hardLimit: number
  readonly log: Pick<Logger, 'info' | 'warn'>
  /** Concurrent statements, without those whose reader is slow. Asked each time. Default: two per thread. */
  readonly slots?: () => number
  /** Open results, each with up to `window` unread bytes. Default: sixteen per slot. */
  readonly results?: number
  /** Statements that may wait for a slot, and for how many milliseconds. Asked each time. Default: 256, and half a minute. */
  readonly queue?: () => { readonly max: number; readonly time: number }
  /** Maximum bytes of a result row. Default: 64 MiB. */
  readonly maxRow?: number
  /** Called when the process was ended, and when a statement is refused. */
  readonly restarted?: (reason: EndReason) => void
  readonly refused?: (reason: 'full' | 'late') => void
}

export interface SqlRequest {
  /** The text of a reading statement, which is checked before it runs. */
  readonly text: string
  readonly tables?: readonly Placeholder[]
  readonly explain?: string
  readonly parameters?: readonly SqlValue[]
  /** IANA name, or another form DuckDB accepts. */
  readonly timezone: string
  readonly valueLimit?: Limit
  /** Writes the rows to a file; the answer is then one row with their number. */
  readonly target?: FileTarget
  /** Users take turns in the queue. */
  readonly user?: string
}

export interface SqlProcessStatistics {
  /** Whether the process runs and is ready. */
  readonly alive: boolean
  readonly pid?: number
  readonly residentBytes: number
  /** Statements that run. */
  readonly running: number
  /** Statements that wait for their reader. */
  readonly stalled: number
  /** Statements that wait for a slot. */
  readonly waiting: number
  readonly restarts: Readonly<Record<EndReason, number>>
  /** Duration of the last start in milliseconds. */
  readonly startTime: number
}

/** Bytes of a result that may be sent without being read. */
const window = 4 << 20
/** Statements named in a log line, and characters of each. */
const maxNamed = 16
const maxNamedLength = 500

/** Milliseconds a statement may wait for its reader while other statements need that reader. */
const maxStall = 5_000
/**
 * Milliseconds a retried statement runs until it is no longer suspected of having crashed the process: twice as long as before the crash, within
 * these bounds.
 */
const [minProbation, maxProbation] = [2_000, 10_000]

export class SqlProcess {
  readonly #options: Required<Omit<SqlProcessOptions, 'leftovers'>> & Pick<SqlProcessOptions, 'leftovers'>
  readonly #queue: AdmissionQueue
  /** Statements lost with the process that are started again. */
  readonly #retries: AdmissionQueue
  /** The retried statement that may have crashed the process. */
  #suspect: number | undefined
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
      queue: () => ({ max: 256, time: 30_000 }),
      maxRow: 64 << 20,
      restarted: () => {},
      refused: () => {},
      ...options
    }
    const { queue, refused } = this.#options
    const common = { what: 'statements', queue, refused }
    this.#queue = new AdmissionQueue({ ...common, hasSlot: () => this.#hasSlot() })
    this.#retries = new AdmissionQueue({ ...common, hasSlot: () => this.#suspect === undefined && this.#hasSlot() })
  }

  /**
   * Rejects with a DbError; `RateLimited` if too many statements wait. If the process ends, possibly because of another statement, the
   * statement is started again as long as none of its rows was read.
   */
  async run(request: SqlRequest, signal: AbortSignal): Promise<SqlAnswer> {
    if (!this.#isOpen) throw closed()
    const { user = '', target } = request
    let startedAt = 0
    const start = (isFirst: boolean) => {
      const ran = performance.now() - startedAt
      return (isFirst ? this.#queue : this.#retries).run(user, signal, () => {
        startedAt = performance.now()
        return isFirst ? this.#start(request, signal).answer : this.#startAgain(request, signal, ran)
      })
    }
    try {
      // A partial file must not be overwritten, so statements that write files are not retried.
      return target === undefined ? await withAnother(start) : await start(true)
    } catch (error) {
      throw signal.aborted ? cancelled(signal) : error
    }
  }

  /** Starts the process ahead of the first statement; an error is reported by the next statement. */
  start(): void {
    if (this.#isOpen) this.#respawn()
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
      waiting: this.#retries.waiting + this.#queue.waiting,
      restarts: { ...this.#restarts },
      startTime: this.#startTime
    }
  }

  /** Fails running and waiting statements with an error; with `finish`, running ones are read to their end. */
  async close(finish = false): Promise<void> {
    this.#isOpen = false
    while (finish && (this.#child?.statements.size ?? 0) > 0) await pause(5)
    for (const queue of [this.#retries, this.#queue]) queue.fail(closed())
    const child = this.#child
    this.#child = undefined
    await child?.close(closed())
  }

  #hasSlot(): boolean {
    const { slots, results } = this.#options
    const child = this.#child
    return child === undefined || (child.working < slots() && child.statements.size < results)
  }

  /** Retried statements run one at a time, until each is unlikely to have crashed the process, in which it ran for `ran` milliseconds. */
  #startAgain(request: SqlRequest, signal: AbortSignal, ran: number): Promise<SqlAnswer> {
    const { id, answer, ended } = this.#start(request, signal)
    this.#suspect = id
    const clear = () => {
      if (this.#suspect !== id) return
      probing.stop()
      this.#suspect = undefined
      this.#startWaiting()
    }
    const probing = after(Math.min(Math.max(minProbation, 2 * ran), maxProbation), clear).unref()
    void ended.then(clear)
    return answer
  }

  #start(request: SqlRequest, signal: AbortSignal): StartedStatement {
    const { text, tables = [], explain, parameters = [], timezone, valueLimit, target } = request
    const { maxRow } = this.#options
    const common = { text, tables, parameters: parameters.map(jsonParameter), timezone, window, maxRow }
    const more = { ...(valueLimit && { valueLimit }), ...(target && { target }) }
    const frame: StatementFrame = { ...common, ...more, ...(explain !== undefined && { explain }) }
    try {
      this.#child ??= this.#spawn()
      return this.#child.run(frame, signal)
    } catch (error) {
      throw cannotStart(error instanceof Error ? error.message : String(error), error)
    }
  }

  #spawn(): QueryChild {
    const { name, folders, threads, memoryLimit, hardLimit, results } = this.#options
    const slots = 2 * threads
    const home = join(this.#options.temporary, name)
    // Removes the files of a process that ended with the server.
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
        looked: () => this.#makeRoom(child),
        ended: (reason, detail) => this.#ended(child, reason, detail)
      }
    )
    return child
  }

  /** Ends answers that nobody reads, if no other statement can start. */
  #makeRoom(child: QueryChild): void {
    if (this.#queue.waiting > 0 && child.statements.size >= this.#options.results) child.endStalled(maxStall)
  }

  #startWaiting(): void {
    if (!this.#isOpen) return
    this.#retries.letIn()
    this.#queue.letIn()
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
      // Waiting statements would fail likewise, so they get the error; the next request tries again.
      const error = cannotStart(/\bError: (.+)/.exec(lastWords)?.[1] ?? detail)
      child.lose(() => error)
      for (const queue of [this.#retries, this.#queue]) queue.fail(error)
      return
    }
    child.lose((only, id) => this.#lost(reason, detail, only, id === this.#suspect))
    this.#respawn()
    this.#startWaiting()
  }

  /** Restarts at once, so that the next statement waits less. */
  #respawn(): void {
    if (!this.#isOpen) return
    try {
      this.#child ??= this.#spawn()
    } catch (error) {
      this.#options.log.warn({ err: error, process: this.#options.name }, 'the query process cannot be started')
    }
  }

  /** The error for a statement whose process is gone. A statement that ran alone is the cause and is not retried. */
  #lost(reason: EndReason, detail: string, only: boolean, isSuspect: boolean): DbError {
    if (!only || reason === 'stuck') {
      return new LostBeside(`the query process was ended because ${detail}; try again`, !only && !isSuspect)
    }
    const message = `the query process was ended because ${detail}; this was the only statement in it`
    return new DbError(reason === 'memory' ? 'RuntimeResourcesExhausted' : 'EngineExecuteQuery', message)
  }
}

/** The statement was lost, possibly because of another one; it can be retried. */
class LostBeside extends DbError {
  readonly mayRunAgain: boolean

  constructor(message: string, mayRunAgain: boolean) {
    super('StorageUnavailable', message, { retryAfter: 1 })
    this.mayRunAgain = mayRunAgain
  }
}

/** How often a statement is started, because the cause may run beside it again. */
const maxStarts = 3

/** Starts again if the process was lost before any row was read. */
async function withAnother(start: (isFirst: boolean) => Promise<SqlAnswer>): Promise<SqlAnswer> {
  let starts = 0
  const next = async (lost?: unknown): Promise<SqlAnswer> => {
    if (starts === maxStarts) throw lost
    try {
      return await start(starts++ === 0)
    } catch (error) {
      if (!mayRunAgain(error)) throw error
      return next(error)
    }
  }
  let answer = await next()
  const { columns, isCounted } = answer
  let isClosed = false
  const close = () => {
    isClosed = true
    answer.close()
  }
  return {
    columns,
    isCounted,
    close,
    async *batches() {
      for (;;) {
        let isRead = false
        try {
          for await (const batch of answer.batches()) {
            isRead = true
            yield batch
          }
          return
        } catch (error) {
          if (isRead || isClosed || !mayRunAgain(error)) throw error
          answer = await next(error)
          if (isClosed) answer.close()
          // Types of some columns are known from the first rows only, so they may differ.
          if (isDeepStrictEqual(answer.columns, columns)) continue
          answer.close()
          throw error
        }
      }
    }
  }
}

function mayRunAgain(error: unknown): boolean {
  return error instanceof LostBeside && error.mayRunAgain
}

function closed(): DbError {
  return new DbError('Cancelled', 'the storage engine stops')
}

function cannotStart(detail: string, cause?: unknown): DbError {
  return new DbError('StorageUnavailable', `the query process cannot be started: ${detail}`, { cause, retryAfter: 5 })
}

export type { SqlAnswer } from './statement.ts'

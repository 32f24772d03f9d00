// Runs SQL statements in a process of their own, so that none of them can stop, starve or end the server: DuckDB knows statements that
// cannot be interrupted, values it does not count as memory, and texts it crashes on.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { DbError } from '../../../errors.ts'
import type { Logger } from '../../../log/log.ts'
import { after, pause } from '../../../timer.ts'
import { AdmissionQueue } from '../../admission-queue.ts'
import type { FileTarget, SqlValue } from '../../engine.ts'
import { cancelled } from '../duckdb/errors.ts'
import type { Placeholder, StatementFrame } from './frames.ts'
import { type EndReason, jsonParameter, QueryChild, type StartedStatement } from './query-child.ts'
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
  readonly queue?: () => { readonly max: number; readonly time: number }
  /** Bytes of one row of a result. Default 64 MiB. */
  readonly maxRow?: number
  /** Told when the process is ended, and when a statement is refused. */
  readonly restarted?: (reason: EndReason) => void
  readonly refused?: (reason: 'full' | 'late') => void
}

export interface SqlRequest {
  /** One statement that reads, checked before it runs. */
  readonly text: string
  readonly tables?: readonly Placeholder[]
  readonly explain?: string
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

/** Milliseconds a statement may wait for its reader while others wait for it. */
const maxStall = 5_000
/** Milliseconds after which a statement that runs again is not what ended the process. */
const probation = 2_000

export class SqlProcess {
  readonly #options: Required<Omit<SqlProcessOptions, 'leftovers'>> & Pick<SqlProcessOptions, 'leftovers'>
  readonly #queue: AdmissionQueue
  /** Statements that were lost with the process and are started again. */
  readonly #retries: AdmissionQueue
  /** The one of them that may be what ended the process. */
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
   * Rejects with a DbError; `RateLimited` where too many statements wait already. A statement whose process another one may have ended is
   * started again, as long as none of its rows was read.
   */
  async run(request: SqlRequest, signal: AbortSignal): Promise<SqlAnswer> {
    if (!this.#isOpen) throw closed()
    const { user = '', target } = request
    const start = (isFirst: boolean) =>
      isFirst
        ? this.#queue.run(user, signal, () => this.#start(request, signal).answer)
        : this.#retries.run(user, signal, () => this.#startAgain(request, signal))
    try {
      // What is left of a file is nobody's to write over.
      return target === undefined ? await withAnother(start) : await start(true)
    } catch (error) {
      throw signal.aborted ? cancelled(signal) : error
    }
  }

  /** Starts the process, so that the first statement need not wait for it; a failure is that of the next statement. */
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

  /** Statements that run or wait are answered with an error; with `finish` those that run are read to their end. */
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

  /** One that runs again may be what ended the process: until that is unlikely, no other one of those runs beside it. */
  #startAgain(request: SqlRequest, signal: AbortSignal): Promise<SqlAnswer> {
    const { id, answer, ended } = this.#start(request, signal)
    this.#suspect = id
    const clear = () => {
      if (this.#suspect !== id) return
      probing.stop()
      this.#suspect = undefined
      this.#startWaiting()
    }
    const probing = after(probation, clear).unref()
    void ended.then(clear)
    return answer
  }

  #start(request: SqlRequest, signal: AbortSignal): StartedStatement {
    const { text, tables = [], explain, parameters = [], timezone, target } = request
    const { maxRow } = this.#options
    const common = { text, tables, parameters: parameters.map(jsonParameter), timezone, window, maxRow }
    const frame: StatementFrame = { ...common, ...(target && { target }), ...(explain !== undefined && { explain }) }
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
        looked: () => this.#makeRoom(child),
        ended: (reason, detail) => this.#ended(child, reason, detail)
      }
    )
    return child
  }

  /** Answers that nobody reads give way where no other can begin. */
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
      // The next one would fare no better: the next request tries again.
      const error = cannotStart(/\bError: (.+)/.exec(lastWords)?.[1] ?? detail)
      child.lose(() => error)
      for (const queue of [this.#retries, this.#queue]) queue.fail(error)
      return
    }
    child.lose((only, id) => this.#lost(reason, detail, only, id === this.#suspect))
    this.#respawn()
    this.#startWaiting()
  }

  /** At once, so that the next statement need not wait as long. */
  #respawn(): void {
    if (!this.#isOpen) return
    try {
      this.#child ??= this.#spawn()
    } catch (error) {
      this.#options.log.warn({ err: error, process: this.#options.name }, 'the query process cannot be started')
    }
  }

  /** What a statement is answered whose process is gone: one that ran alone is the cause itself and would be it again. */
  #lost(reason: EndReason, detail: string, only: boolean, isSuspect: boolean): DbError {
    if (!only || reason === 'stuck') {
      return new LostBeside(`the query process was ended because ${detail}; try again`, !only && !isSuspect)
    }
    const message = `the query process was ended because ${detail}; this was the only statement in it`
    return new DbError(reason === 'memory' ? 'RuntimeResourcesExhausted' : 'EngineExecuteQuery', message)
  }
}

/** Of a statement that another one may have taken down. */
class LostBeside extends DbError {
  readonly mayRunAgain: boolean

  constructor(message: string, mayRunAgain: boolean) {
    super('StorageUnavailable', message, { retryAfter: 1 })
    this.mayRunAgain = mayRunAgain
  }
}

/** Times a statement is started: what ended its process may run again beside it. */
const maxStarts = 3

/** The answer of the first start, or of a later one where those before were lost without any of their rows. */
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
          // The types of some columns come of the first rows.
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

// One query process: starts it, sends statements, watches its memory, and ends it.
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import { DbError } from '../../../errors.ts'
import { every, type Timer } from '../../../timer.ts'
import { giveWay } from '../../../workers/give-way.ts'
import type { SqlValue } from '../../engine.ts'
import {
  encodeFrame,
  FrameKind,
  FrameReader,
  type JsonParameter,
  type ProcessSettings,
  type StatementFrame
} from './frames.ts'
import { type SqlAnswer, Statement } from './statement.ts'

export type EndReason = 'memory' | 'stuck' | 'died'

interface ChildEvents {
  ready(): void
  /** A statement ended, or began or stopped waiting for its reader. */
  moved(): void
  /** The process was checked. */
  looked(): void
  /** Called once, unless `close` was called: the process is gone or useless. `detail` completes "it was ended because". */
  ended(reason: EndReason, detail: string): void
}

export interface StartedStatement {
  readonly id: number
  readonly answer: Promise<SqlAnswer>
  /** Resolves when the process has no resources left. */
  readonly ended: Promise<void>
}

interface ChildOptions extends ProcessSettings {
  /** Resident bytes at which it is killed. */
  readonly hardLimit: number
  /** Threads in which statements may block. */
  readonly waitingThreads: number
}

/** Milliseconds between two checks of its memory. */
const watchInterval = 100
/** Milliseconds between two pings, and the longest time without a reply; time in which it waits for a processor does not count. */
const pingInterval = 1_000
const silence = 10_000
/** Milliseconds in which the system counts processor time. */
const processorTick = 10
/** Characters kept of its standard error. */
const maxLastWords = 2_000

/** Makes the allocator return large blocks to the system, as in the server. */
const allocator = { MALLOC_ARENA_MAX: '4', MALLOC_MMAP_THRESHOLD_: '1048576', MALLOC_TRIM_THRESHOLD_: '8388608' }
const flags = ['--disable-sigusr1', '--max-semi-space-size=16']

export class QueryChild {
  readonly startedAt = performance.now()
  readonly statements = new Map<number, Statement>()
  readonly #options: ChildOptions
  readonly #events: ChildEvents
  readonly #process: ChildProcess
  readonly #socket: Socket
  readonly #stderr: Socket
  /** Resolves when it has ended and its files are removed. */
  readonly #gone: Promise<void>
  #isReady = false
  #isOver = false
  #lastStatement = 0
  #lastWords = ''
  #watch: Timer | undefined
  #status: number | undefined
  #sincePing = pingInterval
  #answered = true
  /** Milliseconds for which a reply is missing. */
  #silent = 0
  /** Milliseconds of processor time its main thread had at the last check. */
  #processorTime = 0
  /** Of all its threads, while a cancelled statement goes on. */
  #timeOfAll: number | undefined

  /** Throws the system's error if no process can be started. */
  constructor(options: ChildOptions, events: ChildEvents) {
    this.#options = options
    this.#events = events
    this.#process = spawn(process.execPath, [...flags, programPath()], {
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
      // Passes nothing else of the server's environment, because statements must not see it.
      env: {
        ...allocator,
        UV_THREADPOOL_SIZE: String(options.waitingThreads),
        ...(process.env['NODE_COMPILE_CACHE'] && { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] })
      }
    })
    // The event comes later; whether the process exists is checked now.
    this.#process.on('error', () => {})
    const { pid } = this.#process
    if (pid === undefined) {
      throw new Error(`${process.execPath} cannot be run, or there are too many processes or open files`)
    }
    // Lowered from the beginning, because it starts while requests run.
    giveWay('programs', pid)
    this.#socket = this.#process.stdio[3] as Socket
    this.#socket.on('error', () => {})
    const reader = new FrameReader((kind, statement, argument, payload) => {
      this.#receive(kind, statement, argument, payload)
    })
    this.#socket.on('data', (piece: Buffer) => reader.push(piece))
    this.#stderr = this.#process.stderr as Socket
    this.#stderr.on('data', (piece: Buffer) => {
      this.#lastWords = (this.#lastWords + piece.toString()).slice(-maxLastWords)
    })
    this.#hold(false)
    const { promise: exited, resolve } = Promise.withResolvers<void>()
    this.#process.once('close', (code, signal) => {
      this.#over('died', signal === null ? `it ended with code ${code}` : `it crashed (${signal})`)
      resolve()
    })
    this.#gone = exited.then(() => this.#cleanUp())
    const { hardLimit: _, waitingThreads: __, ...settings } = options
    this.#write(FrameKind.settings, 0, 0, JSON.stringify(settings))
  }

  get pid(): number | undefined {
    return this.#process.pid
  }

  get isReady(): boolean {
    return this.#isReady
  }

  get residentBytes(): number {
    return this.#isOver ? 0 : this.#readResident()
  }

  /** The end of its standard error. */
  get lastWords(): string {
    return this.#lastWords.trim()
  }

  /** Number of statements that do not wait for their reader. */
  get working(): number {
    let working = 0
    for (const statement of this.statements.values()) if (statement.isWorking) working++
    return working
  }

  run(frame: StatementFrame, signal: AbortSignal): StartedStatement {
    this.#lastStatement = (this.#lastStatement + 1) >>> 0
    const id = this.#lastStatement
    const statement = new Statement(frame.text, signal, {
      credit: bytes => this.#write(FrameKind.credit, id, bytes),
      cancel: () => this.#write(FrameKind.cancel, id),
      stuck: () => this.kill('stuck', 'a statement in it went on for 5 s after its cancellation'),
      moved: () => this.#events.moved(),
      ended: () => this.#ended(id)
    })
    this.statements.set(id, statement)
    if (this.statements.size === 1) this.#hold(true)
    this.#watch ??= every(watchInterval, () => this.#look()).unref()
    // A long text takes its time to be escaped.
    const { text, ...others } = frame
    const json = Buffer.from(JSON.stringify(others))
    this.#write(FrameKind.run, id, json.length, Buffer.concat([json, Buffer.from(text)]))
    const { ended } = statement
    return { id, answer: frame.target === undefined ? statement.answer : whenEnded(statement), ended }
  }

  /** Ends the statement that waited longest for its reader, if that is more than `limit` milliseconds. */
  endStalled(limit: number): void {
    const stalled = [...this.statements.values()].reduce((a, b) => (b.stalled > a.stalled ? b : a))
    if (stalled.stalled < limit) return
    const message = `its rows were not read for ${limit / 1000} s, while other statements waited for room`
    stalled.stop(new DbError('RateLimited', message, { retryAfter: 1 }))
  }

  /** Kills it, whatever it does. */
  kill(reason: EndReason, detail: string): void {
    this.#process.kill('SIGKILL')
    this.#over(reason, detail)
  }

  /** Ends it without an event to its owner; its statements fail with the error. */
  async close(error: DbError): Promise<void> {
    this.#isOver = true
    this.lose(() => error)
    this.#hold(true)
    this.#process.kill('SIGKILL')
    await this.#gone
  }

  /** Fails all statements with an error. */
  lose(error: (only: boolean, id: number) => DbError): void {
    const statements = [...this.statements]
    for (const [id, statement] of statements) statement.lose(error(statements.length === 1, id))
  }

  /** Whether the process keeps the server's process alive. */
  #hold(hold: boolean): void {
    for (const handle of [this.#process, this.#socket, this.#stderr]) hold ? handle.ref() : handle.unref()
  }

  #over(reason: EndReason, detail: string): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#events.ended(reason, detail)
  }

  async #cleanUp(): Promise<void> {
    this.#watch?.stop()
    if (this.#status !== undefined) closeSync(this.#status)
    this.#status = undefined
    this.#socket.destroy()
    // The next start removes what is left.
    await rm(this.#options.temporary, { recursive: true, force: true }).catch(() => {})
  }

  #write(kind: number, statement: number, argument = 0, payload: string | Uint8Array = ''): void {
    if (!this.#isOver && this.#socket.writable) this.#socket.write(encodeFrame(kind, statement, argument, payload))
  }

  #receive(kind: number, statement: number, argument: number, payload: Buffer): void {
    if (this.#isOver) return
    if (kind === FrameKind.ready) {
      this.#isReady = true
      this.#events.ready()
    } else if (kind === FrameKind.ping) this.#answered = true
    else this.statements.get(statement)?.receive(kind, argument, payload)
  }

  #ended(id: number): void {
    this.statements.delete(id)
    if (this.statements.size === 0) this.#hold(false)
    if (!this.#isOver) this.#events.moved()
  }

  #look(): void {
    if (this.#isOver) return
    const resident = this.#readResident()
    const { hardLimit } = this.#options
    if (resident > hardLimit) {
      this.kill(
        'memory',
        `it held ${resident} bytes of memory, more than storage.query_memory_hard_limit (${hardLimit})`
      )
      return
    }
    if (this.statements.size === 0) {
      this.#watch?.stop()
      this.#watch = undefined
      this.#sincePing = pingInterval
      this.#answered = true
      return
    }
    this.#events.looked()
    this.#lookAtCancelled()
    if (this.#isOver) return
    // Counts checks instead of reading the clock: while this process is blocked, it cannot receive replies.
    this.#sincePing += watchInterval
    if (!this.#answered) {
      this.#silent += this.#usedInterval()
      if (this.#silent > silence) this.kill('stuck', `it did not answer for ${silence / 1000} s`)
    } else if (this.#sincePing >= pingInterval) {
      this.#answered = false
      this.#sincePing = this.#silent = 0
      this.#usedInterval()
      this.#write(FrameKind.ping, 0)
    }
  }

  /**
   * Milliseconds since the last check in which its main thread ran or rested. One that could run waits for a processor the rest of the time: on a
   * busy machine it may be seconds until it begins.
   */
  #usedInterval(): number {
    try {
      const { waits, time } = readThread(`/proc/${this.pid}/task/${this.pid}/stat`)
      const used = time - this.#processorTime
      this.#processorTime = time
      return waits ? Math.min(watchInterval, used) : watchInterval
    } catch {
      return watchInterval
    }
  }

  /** Like `#usedInterval`, of all its threads: a statement runs in several of them. */
  #usedByAll(): number {
    try {
      const { time } = readThread(`/proc/${this.pid}/stat`)
      const used = time - (this.#timeOfAll ?? time - watchInterval)
      this.#timeOfAll = time
      const waits = readdirSync(`/proc/${this.pid}/task`).some(
        thread => readThread(`/proc/${this.pid}/task/${thread}/stat`).waits
      )
      return waits ? Math.min(watchInterval, used) : watchInterval
    } catch {
      // A thread has just ended, or this is not Linux.
      return watchInterval
    }
  }

  #lookAtCancelled(): void {
    const cancelled = [...this.statements.values()].filter(({ isCancelled }) => isCancelled)
    if (cancelled.length === 0) {
      this.#timeOfAll = undefined
      return
    }
    const used = this.#usedByAll()
    for (const statement of cancelled) statement.goOn(used)
  }

  /** The open descriptor stays that of this process, even if its number is reused. */
  #readResident(): number {
    try {
      this.#status ??= openSync(`/proc/${this.pid}/status`, 'r')
      const buffer = Buffer.allocUnsafe(4096)
      const text = buffer.toString('latin1', 0, readSync(this.#status, buffer, 0, buffer.length, 0))
      return Number(/^VmRSS:\s+(\d+) kB$/m.exec(text)?.[1] ?? 0) * 1024
    } catch {
      // The process has just ended, or this is not Linux.
      return 0
    }
  }
}

/** Whether a thread runs or waits for a processor, and milliseconds of processor time. A path without `task` gives the time of all threads. */
function readThread(path: string): { readonly waits: boolean; readonly time: number } {
  // The name in parentheses may hold anything.
  const fields = readFileSync(path, 'latin1').split(') ').at(-1)!.split(' ')
  return { waits: fields[0] === 'R', time: (Number(fields[11]) + Number(fields[12])) * processorTick }
}

/** Waits for the end of a failed statement before reporting it, because until then it may still write its file. */
async function whenEnded(statement: Statement): Promise<SqlAnswer> {
  try {
    return await statement.answer
  } catch (error) {
    await statement.ended
    throw error
  }
}

/** The program file beside this one, TypeScript or built. */
function programPath(): string {
  const ending = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  return fileURLToPath(new URL(`../duckdb/process.${ending}`, import.meta.url))
}

export function jsonParameter(value: SqlValue): JsonParameter {
  if (typeof value === 'bigint') return { integer: String(value) }
  if (typeof value === 'number') return { float: Object.is(value, -0) ? '-0' : String(value) }
  return value
}

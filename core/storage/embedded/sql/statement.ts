// A statement in a query process, as the server sees it: its answer, the received rows, and its cancellation.
import { type DbError, fromPlainError, type PlainError } from '../../../errors.ts'
import type { ResultBatch, ResultColumn } from '../../../model/batch.ts'
import { cancelled } from '../duckdb/errors.ts'
import { decodeBatch } from './batch-frame.ts'
import { type ColumnsFrame, FrameKind, maxBatchBytes } from './frames.ts'

export interface SqlAnswer {
  readonly columns: readonly ResultColumn[]
  /** Whether it reads stored counts instead of rows. */
  readonly isCounted: boolean
  /** Can be iterated once; leaving the loop early or calling `close` ends the statement. */
  batches(): AsyncIterable<ResultBatch>
  close(): void
}

/** The operations a statement needs of its process. */
interface StatementProcess {
  credit(bytes: number): void
  cancel(): void
  /** A cancelled statement continues to run. */
  stuck(): void
  /** It began or stopped waiting for its reader. */
  moved(): void
  /** The process holds no resources for it any more. */
  ended(): void
}

/** Milliseconds a cancelled statement may continue to run; those in which its process waits for a processor do not count. */
const patience = 5_000

export class Statement {
  /** For the log. */
  readonly text: string
  readonly answer: Promise<SqlAnswer>
  /** Resolves when the process holds no resources for it. */
  readonly ended: Promise<void>
  #state: 'working' | 'stalled' | 'ended' = 'working'
  readonly #process: StatementProcess
  readonly #signal: AbortSignal
  readonly #answer = Promise.withResolvers<SqlAnswer>()
  readonly #ended = Promise.withResolvers<void>()
  /** Unread batches. */
  readonly #frames: Buffer[] = []
  #complete = false
  #failure: DbError | undefined
  #closed = false
  #wake: (() => void) | undefined
  /** Bytes read that are not credited yet. */
  #read = 0
  #credits = 0
  #stalledAt = 0
  #isCancelled = false
  /** Milliseconds of its process since it was cancelled. */
  #goesOn = 0
  readonly #abort = () => {
    this.#fail(cancelled(this.#signal))
    this.#cancel()
  }

  constructor(text: string, signal: AbortSignal, process: StatementProcess) {
    this.text = text
    this.answer = this.#answer.promise
    this.ended = this.#ended.promise
    this.#signal = signal
    this.#process = process
    signal.addEventListener('abort', this.#abort, { once: true })
  }

  /** Milliseconds it has waited for its reader. */
  get stalled(): number {
    return this.#state === 'stalled' ? performance.now() - this.#stalledAt : 0
  }

  /** False while it waits for its reader, and after its end. */
  get isWorking(): boolean {
    return this.#state === 'working'
  }

  /** Whether it was cancelled and goes on. */
  get isCancelled(): boolean {
    return this.#isCancelled && this.#state !== 'ended'
  }

  /** The process had so many more milliseconds to end the cancelled statement. */
  goOn(milliseconds: number): void {
    this.#goesOn += milliseconds
    if (this.#goesOn > patience) this.#process.stuck()
  }

  receive(kind: number, argument: number, payload: Buffer): void {
    if (kind === FrameKind.end) this.#end(payload)
    else if (this.#closed) return
    else if (kind === FrameKind.columns) this.#answer.resolve(this.#open(payload))
    else if (kind === FrameKind.batch) {
      this.#frames.push(payload)
      this.#wake?.()
    } else if (kind === FrameKind.stalled && argument === this.#credits) {
      this.#state = 'stalled'
      this.#stalledAt = performance.now()
      this.#process.moved()
    }
  }

  /** The process is gone. */
  lose(error: DbError): void {
    this.#leave()
    this.#fail(error)
  }

  /** The server ends it, whatever its signal says. */
  stop(error: DbError): void {
    this.#fail(error)
    this.#cancel()
  }

  #open(payload: Buffer): SqlAnswer {
    const { columns, isCounted } = JSON.parse(payload.toString()) as ColumnsFrame
    return { columns, isCounted, batches: () => this.#batches(), close: () => this.#close() }
  }

  async *#batches(): AsyncGenerator<ResultBatch, void> {
    try {
      for (;;) {
        if (this.#failure !== undefined) throw this.#failure
        if (this.#closed) return
        const frame = this.#frames.shift()
        if (frame !== undefined) {
          yield decodeBatch(frame)
          this.#credit(frame.length)
        } else if (this.#complete) return
        else {
          await new Promise<void>(resolve => {
            this.#wake = resolve
          })
          this.#wake = undefined
        }
      }
    } finally {
      this.#close()
    }
  }

  /** Gives credit: at once if nothing is left to read, otherwise for many batches together. */
  #credit(bytes: number): void {
    if (this.#complete || this.#closed) return
    this.#read += bytes
    if (this.#frames.length > 0 && this.#read < maxBatchBytes) return
    this.#process.credit(this.#read)
    this.#read = 0
    this.#credits++
    if (this.#state !== 'stalled') return
    this.#state = 'working'
    this.#process.moved()
  }

  #end(payload: Buffer): void {
    this.#complete = true
    this.#leave()
    if (payload.length > 0) this.#fail(fromPlainError(JSON.parse(payload.toString()) as PlainError))
    this.#wake?.()
  }

  #close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#frames.length = 0
    if (this.#state !== 'ended') this.#cancel()
    this.#wake?.()
  }

  /** Fails the current reader at once. */
  #fail(error: DbError): void {
    if (this.#failure !== undefined || this.#closed) return
    this.#failure = error
    this.#frames.length = 0
    this.#answer.reject(error)
    this.#wake?.()
  }

  #cancel(): void {
    if (this.#state === 'ended' || this.#isCancelled) return
    this.#isCancelled = true
    this.#process.cancel()
    if (this.#state !== 'stalled') return
    this.#state = 'working'
    this.#process.moved()
  }

  #leave(): void {
    if (this.#state === 'ended') return
    this.#state = 'ended'
    this.#signal.removeEventListener('abort', this.#abort)
    this.#process.ended()
    this.#ended.resolve()
  }
}

// One statement that a query process runs, as the server sees it: its answer, the rows that have arrived, and what ends it.
import { DbError, type ErrorCode } from '../../../errors.ts'
import type { ResultBatch, ResultColumn } from '../../../model/batch.ts'
import { after, type Timer } from '../../../timer.ts'
import { cancelled } from '../duckdb/errors.ts'
import { decodeBatch } from './batch-frame.ts'
import { type ColumnsFrame, type ErrorFrame, FrameKind, maxBatchBytes } from './frames.ts'

export interface SqlAnswer {
  readonly columns: readonly ResultColumn[]
  /** Whether it reads counts instead of rows. */
  readonly isCounted: boolean
  /** Reads on as it is iterated, once; leaving the loop early or calling `close` ends the statement. */
  batches(): AsyncIterable<ResultBatch>
  close(): void
}

/** What a statement needs of its process. */
export interface StatementProcess {
  credit(bytes: number): void
  cancel(): void
  /** A statement that was cancelled runs on. */
  stuck(): void
  /** Whether it works or waits for its reader has changed. */
  moved(): void
  /** Nothing of it is left in the process. */
  ended(): void
}

/** Milliseconds a statement may run on after it was cancelled. */
const patience = 5_000

export class Statement {
  /** For logs. */
  readonly text: string
  readonly answer: Promise<SqlAnswer>
  /** Resolves when nothing of it is left in the process. */
  readonly ended: Promise<void>
  #state: 'working' | 'stalled' | 'ended' = 'working'
  readonly #process: StatementProcess
  readonly #signal: AbortSignal
  readonly #answer = Promise.withResolvers<SqlAnswer>()
  readonly #ended = Promise.withResolvers<void>()
  /** Batches that were not read yet. */
  readonly #frames: Buffer[] = []
  #complete = false
  #failure: DbError | undefined
  #closed = false
  #wake: (() => void) | undefined
  /** Bytes that were read and not credited yet. */
  #read = 0
  #credits = 0
  #stalledAt = 0
  #stuck: Timer | undefined
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

  /** Its process is gone. */
  lose(error: DbError): void {
    this.#leave()
    this.#fail(error)
  }

  /** The server takes it back, whatever its signal says. */
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

  /** The process may send more: said at once where nothing is left to read, otherwise for many batches together. */
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
    if (payload.length > 0) {
      const { code, message, offset } = JSON.parse(payload.toString()) as ErrorFrame
      this.#fail(new DbError(code as ErrorCode, message, offset === undefined ? {} : { offset }))
    }
    this.#wake?.()
  }

  #close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#frames.length = 0
    if (this.#state !== 'ended') this.#cancel()
    this.#wake?.()
  }

  /** Whoever waits learns of it at once. */
  #fail(error: DbError): void {
    if (this.#failure !== undefined || this.#closed) return
    this.#failure = error
    this.#frames.length = 0
    this.#answer.reject(error)
    this.#wake?.()
  }

  #cancel(): void {
    if (this.#state === 'ended' || this.#stuck !== undefined) return
    // Where this process stood still itself, the end has arrived and is read before the immediate.
    this.#stuck = after(patience, () => setImmediate(() => this.#isStuck()))
    this.#process.cancel()
    if (this.#state !== 'stalled') return
    this.#state = 'working'
    this.#process.moved()
  }

  #isStuck(): void {
    if (this.#state !== 'ended') this.#process.stuck()
  }

  #leave(): void {
    if (this.#state === 'ended') return
    this.#state = 'ended'
    this.#stuck?.stop()
    this.#signal.removeEventListener('abort', this.#abort)
    this.#process.ended()
    this.#ended.resolve()
  }
}

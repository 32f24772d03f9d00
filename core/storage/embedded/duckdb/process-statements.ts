// The statements of a query process: each has a connection while it runs, and sends its rows as far as they are credited.
import type {
  DuckDBConnection,
  DuckDBDataChunk,
  DuckDBInstance,
  DuckDBPreparedStatement,
  DuckDBResult
} from '@duckdb/node-api'
import bindings from '@duckdb/node-bindings'
import { DbError, isDbError } from '../../../errors.ts'
import { every, type Timer } from '../../../timer.ts'
import { encodeBatches } from '../sql/batch-frame.ts'
import {
  type ErrorFrame,
  encodeFrame,
  FrameKind,
  headerBytes,
  type JsonParameter,
  maxBatchBytes,
  type StatementFrame,
  writeHeader
} from '../sql/frames.ts'
import { translateError } from './errors.ts'
import { explained, startsReading } from './reading.ts'
import { checkEnd, describeResult } from './result.ts'
import { sentColumns } from './sent-columns.ts'
import { quoteText } from './words.ts'

/** Milliseconds between two interruptions of a statement: between two of its steps there is nothing to interrupt. */
const interruptInterval = 50

interface Running {
  readonly statement: number
  connection: DuckDBConnection | undefined
  /** Bytes that may be sent. */
  credit: number
  /** Bytes that were sent and are not credited yet. */
  sent: number
  credits: number
  /** Goes on after a credit or a cancellation. */
  wake: (() => void) | undefined
  cancelled: Timer | undefined
}

export class ProcessStatements {
  readonly #instance: DuckDBInstance
  readonly #keep: number
  readonly #send: (frame: Buffer) => void
  readonly #idle: DuckDBConnection[] = []
  readonly #running = new Map<number, Running>()

  /** `keep`: how many connections wait for later statements. */
  constructor(instance: DuckDBInstance, keep: number, send: (frame: Buffer) => void) {
    this.#instance = instance
    this.#keep = keep
    this.#send = send
  }

  async run(statement: number, frame: StatementFrame): Promise<void> {
    const running: Running = {
      statement,
      connection: undefined,
      credit: frame.window,
      sent: 0,
      credits: 0,
      wake: undefined,
      cancelled: undefined
    }
    this.#running.set(statement, running)
    let failure: DbError | undefined
    try {
      await this.#execute(running, frame)
    } catch (error) {
      failure = isDbError(error) ? error : translateError(error)
    }
    running.cancelled?.stop()
    this.#running.delete(statement)
    const { connection } = running
    // One that was interrupted, failed, or has got settings and views serves no other statement.
    const reusable = failure === undefined && frame.timezone === 'UTC' && frame.before.length === 0
    if (reusable && this.#idle.length < this.#keep) this.#idle.push(connection!)
    else connection?.closeSync()
    const told: ErrorFrame | undefined = failure && { code: failure.code, message: failure.message }
    this.#send(encodeFrame(FrameKind.end, statement, 0, told === undefined ? '' : JSON.stringify(told)))
  }

  credit(statement: number, bytes: number): void {
    const running = this.#running.get(statement)
    if (running === undefined) return
    running.credit += bytes
    running.sent -= bytes
    running.credits++
    running.wake?.()
  }

  cancel(statement: number): void {
    const running = this.#running.get(statement)
    if (running === undefined || running.cancelled !== undefined) return
    const interrupt = () => running.connection?.interrupt()
    running.cancelled = every(interruptInterval, interrupt)
    interrupt()
    running.wake?.()
  }

  async #execute(running: Running, frame: StatementFrame): Promise<void> {
    const connection = this.#idle.pop() ?? (await this.#instance.connect())
    running.connection = connection
    const { timezone, before, text, parameters, target } = frame
    const settings = timezone === 'UTC' ? before : [`SET TimeZone=${quoteText(timezone)}`, ...before]
    for (const sql of settings) {
      checkCancelled(running)
      await connection.run(sql)
    }
    checkCancelled(running)
    if (!startsReading(text)) {
      // Rather what is wrong with its syntax, if something is.
      await connection.extractStatements(text)
      throw onlyReading()
    }
    let prepared = await connection.prepare(text)
    let result: DuckDBResult
    try {
      await checkReads(connection, text, prepared)
      if (target !== undefined) {
        prepared.destroySync()
        // Its end stands on a line of its own: the text may end in a comment.
        prepared = await connection.prepare(`COPY (${text}\n) TO ${quoteText(target.path)} (${target.options})`)
      }
      for (const [i, value] of parameters.entries()) bind(prepared, i + 1, value)
      checkCancelled(running)
      result = await (target === undefined ? prepared.stream() : prepared.run())
    } finally {
      prepared.destroySync()
    }
    await this.#sendResult(running, result, frame.maxRow)
  }

  async #sendResult(running: Running, result: DuckDBResult, maxRow: number): Promise<void> {
    const { statement } = running
    const { types, columns, ahead } = await describeResult(result)
    this.#send(encodeFrame(FrameKind.columns, statement, 0, JSON.stringify(columns)))
    const fetch = () => {
      const chunk = result.fetchChunk()
      chunk.catch(() => {})
      return chunk
    }
    const limits = { maxFrame: maxBatchBytes, maxRow }
    const refuse = (bytes: number) => new DbError('PlanQuery', tooLong(bytes, maxRow))
    const sendChunk = async (chunk: DuckDBDataChunk) => {
      for (const frame of encodeBatches(chunk.rowCount, sentColumns(chunk, types, columns), limits, refuse)) {
        await this.#credited(running, frame.length - headerBytes)
        writeHeader(frame, FrameKind.batch, statement)
        this.#send(frame)
      }
    }
    let next: ReturnType<typeof fetch> | undefined
    try {
      for (const chunk of ahead.chunks.splice(0)) await sendChunk(chunk)
      if (ahead.ended) return
      // The next chunk is made while the one before is sent.
      next = fetch()
      for (;;) {
        checkCancelled(running)
        const chunk = await next
        if (chunk === null || chunk.rowCount === 0) {
          checkCancelled(running)
          checkEnd(result)
          return
        }
        next = fetch()
        await sendChunk(chunk)
      }
    } catch (error) {
      // Closing the connection waits for what still runs, on the thread that all statements share: let it end before.
      if (running.cancelled === undefined) this.cancel(statement)
      await next?.catch(() => {})
      await fetch().catch(() => {})
      throw error
    }
  }

  /** Resolves when so many bytes may be sent, or nothing else waits to be read. */
  async #credited(running: Running, bytes: number): Promise<void> {
    while (running.credit < bytes && running.sent > 0) {
      checkCancelled(running)
      this.#send(encodeFrame(FrameKind.stalled, running.statement, running.credits))
      await new Promise<void>(resolve => {
        running.wake = resolve
      })
      running.wake = undefined
    }
    checkCancelled(running)
    running.credit -= bytes
    running.sent += bytes
  }
}

function checkCancelled({ cancelled }: Running): void {
  if (cancelled !== undefined) throw new DbError('Cancelled', 'the query was cancelled')
}

/** Refuses what has effects, and what explains it. */
async function checkReads(
  connection: DuckDBConnection,
  text: string,
  prepared: DuckDBPreparedStatement
): Promise<void> {
  const { SELECT, EXPLAIN } = bindings.StatementType
  if (prepared.statementType === SELECT) return
  if (prepared.statementType !== EXPLAIN) throw onlyReading()
  for (const candidate of explained(text).filter(startsReading)) {
    try {
      const inner = await connection.prepare(candidate)
      const type = inner.statementType
      inner.destroySync()
      if (type === SELECT) return
    } catch {
      // No statement: it starts with options of EXPLAIN.
    }
  }
  throw onlyReading()
}

function onlyReading(): DbError {
  return new DbError('PermissionDenied', 'only statements that read can be run here: SELECT, EXPLAIN and the like')
}

function tooLong(bytes: number, limit: number): string {
  return `a row of ${bytes} bytes is too long for a result, at most ${limit} are possible`
}

function bind(prepared: DuckDBPreparedStatement, index: number, value: JsonParameter): void {
  if (typeof value === 'string') prepared.bindVarchar(index, value)
  else if (typeof value === 'boolean') prepared.bindBoolean(index, value)
  else if ('integer' in value) prepared.bindBigInt(index, BigInt(value.integer))
  else prepared.bindDouble(index, Number(value.float))
}

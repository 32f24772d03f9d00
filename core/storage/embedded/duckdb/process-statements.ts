// Runs the statements of a query process: each has a connection, and sends rows as far as it has credit (flow control).
import type {
  DuckDBConnection,
  DuckDBDataChunk,
  DuckDBInstance,
  DuckDBPreparedStatement,
  DuckDBResult
} from '@duckdb/node-api'
import { DbError, isDbError, toPlainError } from '../../../errors.ts'
import { every, type Timer } from '../../../timer.ts'
import { encodeBatches } from '../sql/batch-frame.ts'
import {
  type ColumnsFrame,
  encodeFrame,
  FrameKind,
  headerBytes,
  type JsonParameter,
  maxBatchBytes,
  type StatementFrame,
  writeHeader
} from '../sql/frames.ts'
import { countStatement, type ReadStatement } from './counted.ts'
import { translateError } from './errors.ts'
import { fill, offsetIn } from './fill.ts'
import { closeGuarded, functionNames, guard, onlyCall } from './guard.ts'
import { macroAt, macroNames, macroStatements } from './macros/index.ts'
import { deferredValue } from './parquet-rows.ts'
import { checkEnd, describeResult } from './result.ts'
import { sentColumns } from './sent-columns.ts'
import { letGo } from './unseen-memory.ts'
import { quoteText } from './words.ts'

/** Milliseconds between two interruptions of a statement, because an interruption between two of its steps has no effect. */
const interruptInterval = 50

/**
 * Buffer of DuckDB ahead of the reader. DuckDB does not count texts in it: with the default of 976 KiB, an unread result of long texts takes
 * 50 MB, with this 12.
 */
const aheadOfReader = '128KiB'

/** Approximate bytes freed by a statement that is left early: two chunks, their frames, and what DuckDB buffered. */
const heldBytes = 8 << 20

interface Running {
  readonly statement: number
  connection: DuckDBConnection | undefined
  /** Bytes that may still be sent. */
  credit: number
  /** Bytes sent that are not credited yet. */
  sent: number
  credits: number
  /** Resumes after a credit or a cancellation. */
  wake: (() => void) | undefined
  cancelled: Timer | undefined
  /** The statement as DuckDB parsed it. */
  read?: ReadStatement
}

export class ProcessStatements {
  readonly #instance: DuckDBInstance
  readonly #keep: number
  readonly #send: (frame: Buffer) => void
  readonly #idle: { readonly connection: DuckDBConnection; readonly timezone: string }[] = []
  readonly #running = new Map<number, Running>()
  readonly #rowFunctions = this.#once(readRowFunctions)
  readonly #functionNames = this.#once(functionNames)
  /** Made for the first statement that calls one: that takes a quarter of the processor time of a start, and few servers need it. */
  readonly #makeMacros = this.#once(createMacros)

  /** `keep`: number of idle connections to keep. */
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
      failure = isDbError(error) ? error : translateError(error, bytes => offsetOf(frame, bytes, running.read))
    }
    running.cancelled?.stop()
    this.#running.delete(statement)
    if (failure !== undefined) letGo(heldBytes, 'major')
    const { connection } = running
    // A connection that was interrupted or failed is not reused.
    const reusable = failure === undefined && this.#idle.length < this.#keep
    if (reusable) this.#idle.push({ connection: connection!, timezone: frame.timezone })
    else if (connection !== undefined) closeGuarded(connection)
    const payload = failure === undefined ? '' : JSON.stringify(toPlainError(failure))
    this.#send(encodeFrame(FrameKind.end, statement, 0, payload))
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

  /** An idle or new connection in a time zone, for a statement that runs; an idle one of that zone if there is one. */
  async #connectionIn(timezone: string, running: Running): Promise<DuckDBConnection> {
    // Without one of that zone, −1, the last one is taken.
    const same = this.#idle.findLastIndex(idle => idle.timezone === timezone)
    const [idle] = this.#idle.splice(same, 1)
    const connection = idle?.connection ?? (await this.#instance.connect())
    running.connection = connection
    if (idle === undefined) await connection.run(`SET streaming_buffer_size='${aheadOfReader}'`)
    if (timezone !== (idle?.timezone ?? 'UTC')) await connection.run(`SET TimeZone=${quoteText(timezone)}`)
    return connection
  }

  async #execute(running: Running, frame: StatementFrame): Promise<void> {
    const { timezone, text, tables, target, valueLimit } = frame
    const connection = await this.#connectionIn(timezone, running)
    checkCancelled(running)
    const read = await guard(connection, text, tables, this.#functionNames, frame.parameters.length, valueLimit)
    running.read = read
    if (read.callsMacro) await this.#makeMacros()
    checkCancelled(running)
    const mayCount = target === undefined && tables.some(({ counts }) => counts !== undefined)
    const counted = mayCount && countStatement(read, text, tables, await this.#isRowFunction(), frame.parameters)
    if (counted && (await this.#executeCounted(running, connection, { ...frame, ...counted }))) return
    const result = await start(running, connection, frame)
    await this.#sendResult(running, await describeResult(result), result, frame.maxRow, false)
  }

  /** False if it fails before any row is sent; then the original statement runs and reports the error, if any. */
  async #executeCounted(running: Running, connection: DuckDBConnection, frame: StatementFrame): Promise<boolean> {
    let result: DuckDBResult
    let described: Described
    try {
      result = await start(running, connection, frame)
      described = await describeResult(result)
      const { ahead } = described
      const first = ahead.chunks.length > 0 || ahead.ended ? undefined : await result.fetchChunk()
      if (first !== undefined) {
        ahead.ended = first === null || first.rowCount === 0
        if (!ahead.ended) ahead.chunks.push(first!)
      }
      if (ahead.ended) checkEnd(result)
    } catch {
      checkCancelled(running)
      return false
    }
    checkCancelled(running)
    await this.#sendResult(running, described, result, frame.maxRow, true)
    return true
  }

  /** A function that tells whether all functions of a name are deterministic scalar functions. */
  async #isRowFunction(): Promise<(name: string) => boolean> {
    const names = await this.#rowFunctions()
    return name => names.has(name)
  }

  /**
   * What the first statement that needs it does for all of them, and another one after a failure: on a connection of its own, so that the
   * cancellation of one statement does not interrupt it for the others.
   */
  #once<T>(work: (connection: DuckDBConnection) => Promise<T>): () => Promise<T> {
    let done: Promise<T> | undefined
    const run = async () => {
      const connection = await this.#instance.connect()
      try {
        return await work(connection)
      } catch (error) {
        done = undefined
        throw error
      } finally {
        connection.closeSync()
      }
    }
    return () => {
      done ??= run()
      return done
    }
  }

  async #sendResult(
    running: Running,
    { types, columns, ahead }: Described,
    result: DuckDBResult,
    maxRow: number,
    isCounted: boolean
  ): Promise<void> {
    const { statement } = running
    const told: ColumnsFrame = { columns, isCounted }
    this.#send(encodeFrame(FrameKind.columns, statement, 0, JSON.stringify(told)))
    const fetch = () => {
      const chunk = result.fetchChunk()
      chunk.catch(() => {})
      return chunk
    }
    const limits = { maxFrame: maxBatchBytes, maxRow }
    const refuse = (bytes: number) => new DbError('InvalidArguments', tooLong(bytes, maxRow))
    const sendChunk = async (chunk: DuckDBDataChunk) => {
      let bytes = 0
      for (const frame of encodeBatches(chunk.rowCount, sentColumns(chunk, types, columns), limits, refuse)) {
        await this.#credited(running, frame.length - headerBytes)
        writeHeader(frame, FrameKind.batch, statement)
        bytes += frame.length
        this.#send(frame)
      }
      // The chunk, and its frames.
      letGo(2 * bytes, 'minor')
    }
    let next: ReturnType<typeof fetch> | undefined
    try {
      for (const chunk of ahead.chunks.splice(0)) await sendChunk(chunk)
      if (ahead.ended) return
      // The next chunk is computed while the current one is sent.
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
      // Closing the connection would block the shared thread until the statement ends, so the statement is cancelled first.
      if (running.cancelled === undefined) this.cancel(statement)
      await next?.catch(() => {})
      await fetch().catch(() => {})
      throw error
    }
  }

  /** Resolves when so many bytes may be sent, or nothing else is waiting to be read. */
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

type Described = Awaited<ReturnType<typeof describeResult>>

async function start(running: Running, connection: DuckDBConnection, frame: StatementFrame): Promise<DuckDBResult> {
  const { text, tables, parameters, target } = frame
  const [head, tail] = around(frame)
  const prepared = await connection.prepare(`${head}${fill(text, tables)}${tail}`)
  try {
    for (const [i, value] of parameters.entries()) bind(prepared, i + 1, value)
    if (prepared.parameterCount > parameters.length) prepared.bindBoolean(parameters.length + 1, deferredValue)
    checkCancelled(running)
    return await (target === undefined ? prepared.stream() : prepared.run())
  } finally {
    prepared.destroySync()
  }
}

/** All or none. */
async function createMacros(connection: DuckDBConnection): Promise<void> {
  // Apart from the macros, because positions of errors are counted from the beginning of their text.
  await connection.run('BEGIN')
  await connection.run(macroStatements())
  await connection.run('COMMIT')
}

/** Names whose functions are all deterministic scalars: no aggregates, no windows, no macros. */
async function readRowFunctions(connection: DuckDBConnection): Promise<ReadonlySet<string>> {
  const read = await connection.runAndReadAll(
    `SELECT lower(function_name) FROM duckdb_functions() GROUP BY 1
     HAVING bool_and(function_type = 'scalar' AND coalesce(stability, '') = 'CONSISTENT')`
  )
  return new Set(read.getRows().flatMap(([name]) => (macroNames.has(String(name)) ? [] : [String(name)])))
}

function checkCancelled({ cancelled }: Running): void {
  if (cancelled !== undefined) throw new DbError('Cancelled', 'the query was cancelled')
}

/** The text before and after the statement. */
function around({ explain = '', target }: StatementFrame): readonly [string, string] {
  if (target === undefined) return [explain, '']
  // On a line of its own, because the text may end in a comment.
  return ['COPY (', `\n) TO ${quoteText(target.path)} (${target.options})`]
}

/** Maps a byte position in the executed text to the original text; a position in a macro to its only call. */
function offsetOf(frame: StatementFrame, bytes: number, read: ReadStatement | undefined): number | undefined {
  const [head] = around(frame)
  const filled = fill(frame.text, frame.tables)
  const ran = Buffer.from(head + filled)
  const macro = macroAt(bytes, ran.length)
  if (macro !== undefined) return read && onlyCall(read, macro)
  const characters = ran.toString('utf8', 0, bytes).length
  return offsetIn(frame.tables, Math.max(0, characters - head.length))
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

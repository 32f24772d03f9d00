// A pool of connections for results: each serves one result at a time.
import type { DuckDBConnection, DuckDBInstance, DuckDBPreparedStatement, DuckDBResult } from '@duckdb/node-api'
import { pause } from '../../../timer.ts'
import type { QueryResult, SqlValue } from '../../engine.ts'
import { cancelled, translate } from './errors.ts'
import { deferredValue } from './parquet-rows.ts'
import { streamResult, wholeResult } from './result.ts'
import { quoteText } from './words.ts'

export interface Statement {
  readonly sql: string
  /** Default UTC. */
  readonly timezone?: string
  readonly parameters?: readonly SqlValue[]
}

export interface Connections {
  /** A streaming result; `release` is called once when it has ended in any way. */
  stream(statement: Statement, signal: AbortSignal, release: () => void): Promise<QueryResult>
  /** A materialised result: no thread switches while it is read. `release` is called once it is made. */
  whole(statement: Statement, signal: AbortSignal, release: () => void): Promise<QueryResult>
  /** Closes when no statement runs any more: running ones are interrupted, or read to their end with `finish`. */
  close(finish: boolean): Promise<void>
}

/** Idle connections that are kept. */
const maxIdle = 8

export function createConnections(instance: DuckDBInstance): Connections {
  const idle: DuckDBConnection[] = []
  /** Functions that end the running results. */
  const running = new Set<() => void>()
  let open = true
  const giveBack = (connection: DuckDBConnection) => {
    if (open && idle.length < maxIdle) idle.push(connection)
    else connection.closeSync()
  }

  /** A connection for one result, and the functions that end both. */
  const lend = async ({ timezone = 'UTC' }: Statement, signal: AbortSignal, release: () => void): Promise<Lent> => {
    let connection: DuckDBConnection | undefined
    let result: QueryResult | undefined
    const interrupt = () => connection?.interrupt()
    const stop = () => (result === undefined ? interrupt() : result.close())
    const end = (complete: boolean) => {
      signal.removeEventListener('abort', interrupt)
      running.delete(stop)
      // A connection that was interrupted, or has another time zone, is not reused.
      if (connection !== undefined && complete && timezone === 'UTC') giveBack(connection)
      else connection?.closeSync()
      connection = undefined
      release()
    }
    try {
      connection = idle.pop() ?? (await instance.connect())
      running.add(stop)
      if (signal.aborted) throw cancelled(signal)
      signal.addEventListener('abort', interrupt, { once: true })
      if (timezone !== 'UTC') await connection.run(`SET TimeZone=${quoteText(timezone)}`)
      return {
        connection,
        interrupt,
        end,
        isRead: read => {
          result = read
        }
      }
    } catch (error) {
      end(false)
      throw error
    }
  }

  return {
    async stream(statement, signal, release) {
      const { connection, interrupt, end, isRead } = await lend(statement, signal, release)
      try {
        const started = await translate(start(connection, statement), signal)
        const result = await streamResult(started, signal, interrupt, end)
        isRead(result)
        return result
      } catch (error) {
        end(false)
        throw error
      }
    },
    async whole(statement, signal, release) {
      const { connection, end } = await lend(statement, signal, release)
      let complete = false
      try {
        const result = wholeResult(await translate(finish(connection, statement), signal))
        complete = true
        return result
      } finally {
        end(complete)
      }
    },
    async close(finish) {
      open = false
      if (!finish) for (const stop of [...running]) stop()
      // Closing a connection under a running statement crashes DuckDB, so this waits for the interruption.
      while (running.size > 0) await pause(5)
      for (const connection of idle.splice(0)) connection.closeSync()
    }
  }
}

interface Lent {
  readonly connection: DuckDBConnection
  readonly interrupt: () => void
  /** Returns the connection to the pool, or closes it if the result is incomplete. */
  readonly end: (complete: boolean) => void
  /** From now on the end of the result ends the loan. */
  readonly isRead: (result: QueryResult) => void
}

/** Without parameters this takes one thread switch instead of two. */
function finish(connection: DuckDBConnection, statement: Statement): Promise<DuckDBResult> {
  const { sql, parameters = [] } = statement
  return parameters.length === 0 ? connection.run(sql) : prepared(connection, statement, made => made.run())
}

function start(connection: DuckDBConnection, statement: Statement): Promise<DuckDBResult> {
  return prepared(connection, statement, made => made.stream())
}

async function prepared(
  connection: DuckDBConnection,
  { sql, parameters = [] }: Statement,
  run: (statement: DuckDBPreparedStatement) => Promise<DuckDBResult>
): Promise<DuckDBResult> {
  const statement = await connection.prepare(sql)
  try {
    for (const [i, value] of parameters.entries()) bind(statement, i + 1, value)
    if (statement.parameterCount > parameters.length) statement.bindBoolean(parameters.length + 1, deferredValue)
    return await run(statement)
  } finally {
    statement.destroySync()
  }
}

function bind(prepared: DuckDBPreparedStatement, index: number, value: SqlValue): void {
  if (typeof value === 'string') prepared.bindVarchar(index, value)
  else if (typeof value === 'bigint') prepared.bindBigInt(index, value)
  else if (typeof value === 'number') prepared.bindDouble(index, value)
  else prepared.bindBoolean(index, value)
}

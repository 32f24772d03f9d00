// A tail as a stream of events: new rows, heartbeats, and the reason for its end.
import { DbError, errorCodes, isDbError, type QueryResult, type ResultColumn } from '../../../core/index.ts'
import type { Counters } from '../counters.ts'
import { endEvent, failureEvent, heartbeat, lostEvent, rowEvents, schemaEvent } from './event.ts'

interface TailDependencies {
  readonly result: QueryResult
  readonly columns: readonly ResultColumn[]
  /** Rows after which it ends; absent: no end. */
  readonly fetch?: number
  /** Milliseconds without an event before a heartbeat is sent. */
  readonly heartbeat: number
  readonly counters: Counters
}

/** A slow reader slows down the engine (back-pressure). */
export async function* tailEvents(parts: TailDependencies): AsyncGenerator<string> {
  const { result, columns, counters } = parts
  let left = parts.fetch ?? Infinity
  let lost = 0
  let sentAt = performance.now()
  yield schemaEvent(columns)
  try {
    if (left === 0) return yield endEvent('limit.fetch rows were sent')
    for await (const batch of result.batches()) {
      for (const event of rowEvents(columns, batch, left)) yield event
      const rows = Math.min(batch.rows, left)
      left -= rows
      counters.tailRows(rows)
      if (left === 0) return yield endEvent('limit.fetch rows were sent')
      const lostByNow = result.lost?.() ?? 0
      if (lostByNow > lost) {
        counters.tailLost(lostByNow - lost)
        yield lostEvent(lostByNow - lost)
        lost = lostByNow
      } else if (rows === 0) {
        if (performance.now() - sentAt < parts.heartbeat) continue
        yield heartbeat
      }
      sentAt = performance.now()
    }
    yield endEvent('no more rows of this table will come')
  } catch (error) {
    yield lastEvent(error)
  } finally {
    result.close()
  }
}

function lastEvent(error: unknown): string {
  const known = isDbError(error) ? error : new DbError('Internal', '', { cause: error })
  if (known.code === 'Suspended') return endEvent(known.message)
  const { code } = errorCodes[known.code]
  return failureEvent(code, known.code === 'Internal' ? `Internal error: ${code}` : known.message)
}

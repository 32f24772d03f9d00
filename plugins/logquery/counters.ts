// What is counted of log queries and of the tails that follow them.
import { type Core, isDbError } from '../../core/index.ts'

export interface Counters {
  /** Of a query that ended, well or not. */
  query(error?: unknown): void
}

export function createCounters({ metrics }: Pick<Core, 'metrics'>): Counters {
  const queries = metrics.counter('svc_logquery_queries_total', 'Log queries by what came of them.', ['result'])
  return {
    query: error => queries.add(1, { result: resultOf(error) })
  }
}

function resultOf(error: unknown): string {
  if (error === undefined) return 'success'
  if (!isDbError(error)) return 'failed'
  if (error.code === 'Cancelled') return 'cancelled'
  if (error.code === 'DeadlineExceeded') return 'timeout'
  return error.status < 500 ? 'refused' : 'failed'
}

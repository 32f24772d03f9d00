// Metrics of log queries and live tails.
import { type Core, isDbError } from '../../core/index.ts'

export interface Counters {
  /** A query ended, with or without error. */
  query(error?: unknown): void
  /** A tail started or failed to start. */
  tail(error?: unknown): void
  tailRows(rows: number): void
  tailLost(rows: number): void
}

export function createCounters({ metrics }: Pick<Core, 'metrics'>, tails: () => number): Counters {
  const queries = metrics.counter('svc_logquery_queries_total', 'Log queries by what came of them.', ['result'])
  const started = metrics.counter('svc_logquery_tails_total', 'Tails by what came of the request.', ['result'])
  const rows = metrics.counter('svc_logquery_tail_rows_total', 'Rows that tails sent.')
  const lost = metrics.counter(
    'svc_logquery_tail_lost_total',
    'Rows written that tails did not look at because their clients read too slowly.'
  )
  metrics.gauge('svc_logquery_tails_running', 'Tails that run.', [], gauge => gauge.set(tails()))
  return {
    query: error => queries.add(1, { result: resultOf(error) }),
    tail: error => started.add(1, { result: resultOf(error) }),
    tailRows: count => rows.add(count),
    tailLost: count => lost.add(count)
  }
}

function resultOf(error: unknown): string {
  if (error === undefined) return 'success'
  if (!isDbError(error)) return 'failed'
  if (error.code === 'Cancelled') return 'cancelled'
  if (error.code === 'DeadlineExceeded') return 'timeout'
  return error.status < 500 ? 'refused' : 'failed'
}

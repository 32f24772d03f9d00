// What queries take of the engine, by kind, for /metrics: not what a client takes to read their rows.
import type { Histogram, Metrics } from '../metrics/metrics.ts'
import type { Query, QueryResult } from './engine.ts'
import type { Gate } from './gate.ts'

/** Waits for a place, runs a query and counts it; the place is free when the result was read to its end, left or closed. */
export type RunQuery = (
  kind: Query['kind'],
  signal: AbortSignal,
  run: () => Promise<QueryResult>
) => Promise<QueryResult>

const buckets = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60, 300]

export function createRunQuery(gate: Gate, metrics: Metrics): RunQuery {
  const elapsed = metrics.histogram(
    'svc_query_elapsed',
    'Seconds the engine took for a query: `sql`, `scan` of a table, or `series` of samples; waiting for its turn left out.',
    ['kind'],
    buckets
  )
  const waited = metrics.histogram('svc_query_wait_elapsed', 'Seconds a query waited for its turn.', [], buckets)
  const failures = metrics.counter('svc_query_failures_total', 'Queries the engine refused or that ended early.', [
    'kind'
  ])
  metrics.gauge('svc_query_running', 'Queries that run, those whose rows are still being read included.', [], gauge =>
    gauge.set(gate.running())
  )
  metrics.gauge('svc_query_waiting', 'Queries that wait for their turn (max_concurrent_queries).', [], gauge =>
    gauge.set(gate.waiting())
  )
  return async (kind, signal, run) => {
    const asked = performance.now()
    const leave = await gate.enter(signal)
    const began = performance.now()
    waited.observe((began - asked) / 1000)
    try {
      return measured(await run(), began, { kind, elapsed, leave, failed: () => failures.add(1, { kind }) })
    } catch (error) {
      leave()
      failures.add(1, { kind })
      elapsed.observe((performance.now() - began) / 1000, { kind })
      throw error
    }
  }
}

interface Ends {
  readonly kind: Query['kind']
  readonly elapsed: Histogram
  leave(): void
  failed(): void
}

/** The result, timed as it is read. */
function measured(result: QueryResult, began: number, { kind, elapsed, leave, failed }: Ends): QueryResult {
  let cost = performance.now() - began
  let open = true
  const finish = () => {
    if (open) elapsed.observe(cost / 1000, { kind })
    open = false
    leave()
  }
  return {
    ...result,
    close() {
      result.close()
      finish()
    },
    async *batches() {
      const batches = result.batches()[Symbol.asyncIterator]()
      try {
        for (;;) {
          const asked = performance.now()
          const next = await batches.next().finally(() => {
            cost += performance.now() - asked
          })
          if (next.done) return
          yield next.value
        }
      } catch (error) {
        failed()
        throw error
      } finally {
        await batches.return?.()
        finish()
      }
    }
  }
}

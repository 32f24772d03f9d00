// Metrics of queries by kind: the engine's time, without the time clients take to read rows.
import type { RequestContext } from '../http/context.ts'
import type { Histogram, Metrics } from '../metrics/metrics.ts'
import type { Span, Tracing } from '../trace/trace.ts'
import type { Query, QueryResult } from './engine.ts'
import type { Semaphore } from './semaphore.ts'
import { timed } from './timed.ts'

/** Waits for admission, then runs and measures a query. It counts as running until its result is read to the end or closed. */
type RunQuery = (kind: Query['kind'], asking: Asking, run: () => Promise<QueryResult>) => Promise<QueryResult>

type Asking = Pick<RequestContext, 'signal' | 'user'>

const buckets = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60, 300]

export function createRunQuery(
  semaphores: Readonly<Record<Query['kind'], Semaphore>>,
  metrics: Metrics,
  tracing: Tracing
): RunQuery {
  const sum = (count: (semaphore: Semaphore) => number) =>
    [...new Set(Object.values(semaphores))].reduce((all, semaphore) => all + count(semaphore), 0)
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
    gauge.set(sum(semaphore => semaphore.running()))
  )
  metrics.gauge(
    'svc_query_waiting',
    'Queries that wait for their turn (max_concurrent_queries); SQL statements are in `svc_query_process_statements`.',
    [],
    gauge => gauge.set(sum(semaphore => semaphore.waiting()))
  )
  return async (kind, { signal, user }, run) => {
    const asked = performance.now()
    const span = tracing.begin('query', { 'weir.query.kind': kind })
    const leave = await semaphores[kind].enter(signal, user.name).catch((error: unknown) => {
      end(span, error)
      throw error
    })
    const began = performance.now()
    waited.observe((began - asked) / 1000)
    try {
      const result = await (span === undefined ? run() : tracing.within(span, run))
      const failed = (error: unknown) => {
        failures.add(1, { kind })
        span?.fail(error)
      }
      return measured(result, began, { kind, elapsed, leave, failed, span })
    } catch (error) {
      leave()
      end(span, error)
      failures.add(1, { kind })
      elapsed.observe((performance.now() - began) / 1000, { kind })
      throw error
    }
  }
}

interface Ends {
  readonly kind: Query['kind']
  readonly elapsed: Histogram
  readonly span: Span | undefined
  leave(): void
  failed(error: unknown): void
}

function end(span: Span | undefined, error: unknown): void {
  span?.fail(error)
  span?.end()
}

/** Measures the result while it is read. */
function measured(result: QueryResult, began: number, { kind, elapsed, leave, failed, span }: Ends): QueryResult {
  let cost = performance.now() - began
  let open = true
  const finish = () => {
    if (open) {
      elapsed.observe(cost / 1000, { kind })
      span?.end()
    }
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
      try {
        yield* timed(result.batches(), ms => {
          cost += ms
        })
      } catch (error) {
        failed(error)
        throw error
      } finally {
        finish()
      }
    }
  }
}

// Measures queries, for /metrics and the slow-query log.
import { isDbError, type Metrics, type RequestContext } from '../../core/index.ts'
import type { PromqlRequest, PromqlResult, SlowQueryService } from '../services.ts'

/** Runs a query and measures it, also if it fails. */
type Measure = (ctx: RequestContext, request: PromqlRequest, run: () => Promise<PromqlResult>) => Promise<PromqlResult>

export function createMeasure(metrics: Metrics, slowQueries: SlowQueryService | undefined): Measure {
  const queries = metrics.counter('svc_promql_queries_total', 'PromQL queries by kind and what came of them.', [
    'kind',
    'result'
  ])
  const elapsed = metrics.histogram('svc_promql_query_elapsed', 'Seconds of PromQL queries, waiting included.', [
    'kind'
  ])
  const samples = metrics.counter('svc_promql_samples_total', 'Samples that PromQL queries held.')
  let current = 0
  metrics.gauge('svc_promql_queries_running', 'PromQL queries that run or wait.', [], gauge => gauge.set(current))
  return async (ctx, request, run) => {
    // The server's own queries are not measured.
    if (ctx.channel === 'internal') return run()
    const { text, start, end, step } = request
    const kind = step === undefined ? 'instant' : 'range'
    const began = performance.now()
    let result = 'success'
    current++
    try {
      const answer = await run()
      samples.add(answer.stats.peak)
      return answer
    } catch (error) {
      result = outcomeOf(error)
      throw error
    } finally {
      current--
      const cost = performance.now() - began
      queries.add(1, { kind, result })
      elapsed.observe(cost / 1_000, { kind })
      // TQL is recorded as part of its SQL statement.
      const promql = { start, end, ...(step !== undefined && { step }) }
      if (ctx.plugin !== 'sql') slowQueries?.observe(ctx, { query: text, cost, promql })
    }
  }
}

function outcomeOf(error: unknown): string {
  if (!isDbError(error)) return 'failed'
  if (error.code === 'InvalidSyntax') return 'syntax'
  if (error.code === 'Cancelled') return 'cancelled'
  if (error.code === 'DeadlineExceeded') return 'timeout'
  if (error.code === 'InvalidArguments') return 'limit'
  if (error.status === 422) return 'execution'
  return error.status < 500 ? 'refused' : 'failed'
}

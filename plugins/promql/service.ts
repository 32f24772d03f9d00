// The service for other plugins: parse and evaluate PromQL.
import { authorise, type Core, createSemaphore, DbError, maxDate, type RequestContext } from '../../core/index.ts'
import type { PromqlRequest, PromqlResult, PromqlService, SlowQueryService } from '../services.ts'
import { recordsOf } from './api/records.ts'
import { resultPieces, seriesCount } from './api/result.ts'
import { answerSamples } from './api/rows.ts'
import { treeOf } from './api/tree.ts'
import { createDeadline } from './deadline.ts'
import { TotalSamples } from './engine/limits.ts'
import { type QueryAnswer, type QueryRequest, readQuery, runQuery } from './engine/query.ts'
import { createLabelReads } from './labels.ts'
import { parseDuration } from './language/literal.ts'
import { parse } from './language/parse.ts'
import { printExpr } from './language/print.ts'
import { createMeasure } from './measure.ts'
import { type StoreSource, storeSource } from './source/store-source.ts'

interface PromqlOptions {
  readonly experimental: boolean
  /** Milliseconds. */
  readonly lookback: number
  readonly timeout: number
  readonly max_concurrent_queries: number
  readonly max_samples: number
  readonly max_total_samples: number
  readonly max_points: number
  readonly max_metrics: number
  readonly max_selectors: number
  readonly max_query_length: number
  readonly max_query_depth: number
  readonly max_query_operators: number
  readonly max_pattern_length: number
}

export function createService(
  core: Core,
  options: PromqlOptions,
  slowQueries: SlowQueryService | undefined
): PromqlService {
  const total = new TotalSamples(() => options.max_total_samples)
  // Read at each use: options are live.
  const limits = {
    total,
    get maxSamples() {
      return options.max_samples
    },
    get maxPoints() {
      return options.max_points
    },
    get length() {
      return options.max_query_length
    },
    get depth() {
      return options.max_query_depth
    },
    get patterns() {
      return options.max_pattern_length
    },
    get operators() {
      return options.max_query_operators
    }
  }
  const measure = createMeasure(core.metrics, slowQueries)
  core.metrics.gauge('svc_promql_samples', 'Samples that running PromQL queries hold.', [], gauge =>
    gauge.set(total.held)
  )
  const refusedHelp = 'PromQL queries refused: `full`, too many waited; `late`, their turn did not come in time.'
  const refused = core.metrics.counter('svc_promql_refused_total', refusedHelp, ['reason'])
  const semaphore = createSemaphore(() => options.max_concurrent_queries, {
    queue: () => ({ max: core.config.max_waiting_queries, time: core.config.query_wait_timeout }),
    refused: reason => refused.add(1, { reason })
  })

  /** Runs one query, counted among the running queries. */
  const runOne = async (ctx: RequestContext, request: PromqlRequest): Promise<PromqlResult> => {
    const { text, start, end, step, counted = false } = request
    const asked = request.timeout !== undefined && request.timeout < options.timeout
    const [limit, key] = asked ? [request.timeout, 'parameter timeout'] : [options.timeout, 'plugins.promql.timeout']
    const deadline = createDeadline(ctx.signal, limit, key)
    const { signal } = deadline
    const began = performance.now()
    try {
      const leave = await semaphore.enter(signal, ctx.user.name)
      const waiting = performance.now() - began
      try {
        const source = storeSource(core.store, { ...ctx, signal }, { metrics: options.max_metrics })
        const query: QueryRequest = {
          text,
          times: { start, end, step: step ?? 0 },
          instant: step === undefined,
          lookback: request.lookback ?? options.lookback,
          experimental: options.experimental,
          counted,
          limits
        }
        return toResult(await runQuery(source, query, signal), query, waiting, source)
      } finally {
        leave()
      }
    } catch (error) {
      throw signal.aborted ? signal.reason : error
    } finally {
      deadline.clear()
    }
  }

  return {
    async query(ctx, request) {
      authorise(ctx.user, 'read')
      checkTimes(request)
      return measure(ctx, request, () => runOne(ctx, request))
    },
    ...createLabelReads(core.store, limits, () => ({ tables: options.max_metrics, selectors: options.max_selectors })),
    duration(text) {
      const seconds = parseDuration(text)
      return seconds === undefined ? undefined : Math.round(seconds * 1_000)
    },
    format: text => printExpr(parse(text, limits)),
    parse: text => treeOf(readQuery({ text, experimental: options.experimental, limits }).expr)
  }
}

/** Checks the times of a request, whoever sends it. Throws DbError `InvalidArguments`. */
function checkTimes({ start, end, step, lookback }: PromqlRequest): void {
  for (const [name, value] of Object.entries({ start, end, step, lookback })) {
    if (value === undefined || Math.abs(value) <= maxDate) continue
    throw new DbError(
      'InvalidArguments',
      `${name} is out of range: ${value} milliseconds, at most ${maxDate} are known`
    )
  }
}

function toResult(
  answer: QueryAnswer,
  { instant }: QueryRequest,
  waiting: number,
  { reading }: StoreSource
): PromqlResult {
  const { type, warnings, infos, samples, seen, took } = answer
  return {
    type,
    warnings,
    infos,
    series: seriesCount(answer),
    stats: {
      took: { waiting, ...took },
      peak: samples.peak,
      reading,
      ...(seen && { seen: { total: seen.total, perStep: seen.perStep } })
    },
    json: limit => resultPieces(answer, instant, limit),
    records: name => recordsOf(answer, name),
    samples: () => answerSamples(answer)
  }
}

// What other plugins may ask of PromQL.
import { type Core, parseDuration, type RequestContext } from '../../core/index.ts'
import type { PromqlRequest, PromqlResult, PromqlService } from '../services.ts'
import { resultPieces, seriesCount } from './api/result.ts'
import { answerRows } from './api/rows.ts'
import { treeOf } from './api/tree.ts'
import { readQuery, runQuery } from './engine/query.ts'
import { createLabelReads } from './labels.ts'
import { parse } from './language/parse.ts'
import { printExpr } from './language/print.ts'
import { storeSource } from './source/store-source.ts'

export interface PromqlOptions {
  readonly experimental: boolean
  readonly lookback: string
  readonly max_samples: number
  readonly max_points: number
  readonly max_metrics: number
  readonly max_query_length: number
  readonly max_query_depth: number
}

export function createService(core: Core, options: PromqlOptions): PromqlService {
  const lookback = parseDuration(options.lookback)!
  const { experimental } = options
  const limits = {
    maxSamples: options.max_samples,
    maxPoints: options.max_points,
    length: options.max_query_length,
    depth: options.max_query_depth
  }
  return {
    async query(ctx: RequestContext, request: PromqlRequest): Promise<PromqlResult> {
      const { text, start, end, step } = request
      const source = storeSource(core.store, ctx, { metrics: options.max_metrics })
      const instant = step === undefined
      const times = { start, end, step: step ?? 0 }
      const own = request.lookback ?? lookback
      const answer = await runQuery(source, { text, times, instant, lookback: own, experimental, limits }, ctx.signal)
      const { type, warnings, infos, samples } = answer
      return {
        type,
        warnings,
        infos,
        samples,
        series: seriesCount(answer),
        json: limit => resultPieces(answer, instant, limit),
        rows: () => answerRows(answer)
      }
    },
    ...createLabelReads(core.store, limits, options.max_metrics),
    format: text => printExpr(parse(text, limits)),
    parse: text => treeOf(readQuery({ text, experimental, limits }).expr)
  }
}

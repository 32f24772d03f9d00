// `query` and `query_range`.
import type { RequestContext } from '../../../core/index.ts'
import type { PromqlRequest, PromqlResult, PromqlService } from '../../services.ts'
import { type ApiParameters, durationOf, invalid, limitOf, requiredTime, timeOf } from './parameters.ts'

/** Most steps of a range query, as its clients expect it. */
const mostPoints = 11_000

export interface ApiAnswer {
  readonly result: PromqlResult
  readonly limit: number
}

export async function instantQuery(
  promql: PromqlService,
  ctx: RequestContext,
  parameters: ApiParameters
): Promise<ApiAnswer> {
  const time = timeOf(parameters, 'time') ?? Date.now()
  return answer(promql, ctx, parameters, { start: time, end: time })
}

export async function rangeQuery(
  promql: PromqlService,
  ctx: RequestContext,
  parameters: ApiParameters
): Promise<ApiAnswer> {
  const [start, end] = [requiredTime(parameters, 'start'), requiredTime(parameters, 'end')]
  if (end < start) throw invalid('end', 'end timestamp must not be before start time')
  const step = durationOf(parameters, 'step')
  if (step === undefined) throw invalid('step', 'cannot parse "" to a valid duration')
  if (step <= 0) {
    throw invalid('step', 'zero or negative query resolution step widths are not accepted. Try a positive integer')
  }
  if ((end - start) / step > mostPoints) {
    throw invalid(
      'step',
      'exceeded maximum resolution of 11,000 points per timeseries. Try decreasing the query resolution (?step=XX)'
    )
  }
  return answer(promql, ctx, parameters, { start, end, step })
}

async function answer(
  promql: PromqlService,
  ctx: RequestContext,
  parameters: ApiParameters,
  times: Pick<PromqlRequest, 'start' | 'end' | 'step'>
): Promise<ApiAnswer> {
  const limit = limitOf(parameters)
  const lookback = durationOf(parameters, 'lookback_delta') ?? durationOf(parameters, 'lookback')
  const text = requireQuery(parameters)
  const result = await promql.query(ctx, { text, ...times, ...(lookback !== undefined && { lookback }) })
  return { result, limit }
}

export function requireQuery(parameters: ApiParameters): string {
  const text = parameters.one('query')
  if (text === undefined) throw invalid('query', 'unknown position: parse error: no expression found in input')
  return text
}

// `query` and `query_range`.
import type { RequestContext } from '../../../core/index.ts'
import type { PromqlRequest, PromqlResult, PromqlService } from '../../services.ts'
import { type ApiParameters, durationOf, invalidParameter, limitOf, requiredTime, timeOf } from './parameters.ts'

export interface ApiAnswer {
  readonly result: PromqlResult
  /** Largest number of series in the answer; 0 means no limit. */
  readonly limit: number
  /** The parameter `stats`; absent: no statistics. */
  readonly stats?: string
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
  if (end < start) throw invalidParameter('end', 'end timestamp must not be before start time')
  const step = durationOf(promql, parameters, 'step')
  if (step === undefined) throw invalidParameter('step', 'cannot parse "" to a valid duration')
  if (step <= 0) {
    throw invalidParameter(
      'step',
      'zero or negative query resolution step widths are not accepted. Try a positive integer'
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
  const lookback = positiveOf(promql, parameters, 'lookback_delta') ?? positiveOf(promql, parameters, 'lookback')
  const timeout = positiveOf(promql, parameters, 'timeout')
  const stats = parameters.one('stats')
  const result = await promql.query(ctx, {
    text: requireQuery(parameters),
    ...times,
    ...(lookback !== undefined && { lookback }),
    ...(timeout !== undefined && { timeout }),
    counted: stats !== undefined
  })
  return { result, limit, ...(stats !== undefined && { stats }) }
}

/** Milliseconds; undefined when absent. Throws DbError `InvalidArguments`. */
function positiveOf(promql: PromqlService, parameters: ApiParameters, name: string): number | undefined {
  const milliseconds = durationOf(promql, parameters, name)
  if (milliseconds === undefined || milliseconds > 0) return milliseconds
  throw invalidParameter(name, 'expected a duration above 0')
}

export function requireQuery(parameters: ApiParameters): string {
  const text = parameters.one('query')
  if (text === undefined) throw invalidParameter('query', 'unknown position: parse error: no expression found in input')
  return text
}

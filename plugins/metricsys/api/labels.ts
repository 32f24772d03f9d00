// `series`, `labels` and `label/{name}/values`.
import type { RequestContext } from '../../../core/index.ts'
import type { PromqlRange, PromqlService } from '../../services.ts'
import { type ApiParameters, invalidParameter, limitOf, timeOf } from './parameters.ts'

export interface ListAnswer {
  readonly data: readonly unknown[]
  readonly truncated: boolean
}

export async function listSeries(promql: PromqlService, ctx: RequestContext, parameters: ApiParameters) {
  const selectors = parameters.all('match[]')
  if (selectors.length === 0) throw invalidParameter('match[]', 'no match[] parameter provided')
  return limited(await promql.series(ctx, selectors, rangeOf(parameters)), parameters)
}

export async function listLabels(promql: PromqlService, ctx: RequestContext, parameters: ApiParameters) {
  return limited(await promql.labelNames(ctx, parameters.all('match[]'), rangeOf(parameters)), parameters)
}

export async function listValues(
  promql: PromqlService,
  ctx: RequestContext,
  name: string,
  parameters: ApiParameters
): Promise<ListAnswer> {
  const label = unescapeName(name)
  if (label === '' || !label.isWellFormed())
    throw invalidParameter('name', `invalid label name: ${JSON.stringify(name)}`)
  return limited(await promql.labelValues(ctx, label, parameters.all('match[]'), rangeOf(parameters)), parameters)
}

/** `U__a_2e_b` stands for `a.b`: the form clients use that cannot send every character. */
function unescapeName(name: string): string {
  if (!name.startsWith('U__')) return name
  return name
    .slice(3)
    .replace(/__|_([0-9a-fA-F]{1,6})_/g, (_, code) =>
      code === undefined ? '_' : String.fromCodePoint(Math.min(Number.parseInt(code, 16), 0x10ffff))
    )
}

function rangeOf(parameters: ApiParameters): PromqlRange {
  const [from, to] = [timeOf(parameters, 'start'), timeOf(parameters, 'end')]
  return { ...(from !== undefined && { from }), ...(to !== undefined && { to }) }
}

function limited(data: readonly unknown[], parameters: ApiParameters): ListAnswer {
  const limit = limitOf(parameters)
  const truncated = limit > 0 && data.length > limit
  return { data: truncated ? data.slice(0, limit) : data, truncated }
}

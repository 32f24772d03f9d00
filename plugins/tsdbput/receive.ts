// One put request: all points or none, or, where the answer tells which, all that can be stored.
import { type Core, DbError, isDbError, type Limit, type RequestContext, type TableLimits } from '../../core/index.ts'
import type { Points } from './decode.ts'
import { pointError } from './errors.ts'
import { checkValue, createReadTags, type PutRequest, pointWrites, valueColumnOf } from './writes.ts'

export interface PutLimits extends TableLimits {
  /** Metrics of one request. */
  readonly requestTables: Limit
}

/** Stores points; partial: returns those that could not be stored, by place, and why. Otherwise throws DbError for the first of them. */
export type Receive = (ctx: RequestContext, points: Points, isPartial: boolean) => Promise<ReadonlyMap<number, string>>

export function createReceive(core: Core, limits: PutLimits): Receive {
  const help = 'Points of put requests that were refused.'
  const refused = core.metrics.counter('svc_tsdbput_points_refused_total', help)
  return async (ctx, points, isPartial) => {
    const request = { core, ctx, limits, points }
    const failures = new Map(points.failures)
    const places = Array.from({ length: points.count }, (_, i) => i).filter(i => !failures.has(i))
    try {
      checkMetrics(points, limits)
      if (isPartial) await storeWhatFits(request, places, failures)
      else await storeAll(request, places, failures)
    } catch (error) {
      refused.add(points.count)
      throw error
    }
    if (failures.size > 0) refused.add(failures.size)
    return new Map([...failures].sort(([a], [b]) => a - b))
  }
}

async function storeAll(
  request: PutRequest,
  places: readonly number[],
  failures: ReadonlyMap<number, string>
): Promise<void> {
  for (const [place, reason] of failures) {
    throw pointError(new DbError('InvalidArguments', `data point ${place}: ${reason}`))
  }
  try {
    await store(request, places)
  } catch (error) {
    throw isDbError(error) && error.status === 400 ? pointError(error) : error
  }
}

async function store(request: PutRequest, places: readonly number[]): Promise<void> {
  if (places.length > 0) await request.core.store.write(request.ctx, pointWrites(request, places))
}

function checkMetrics({ metrics }: Points, { requestTables: { most, key } }: PutLimits): void {
  if (metrics.length <= most) return
  throw new DbError('InvalidArguments', `the points are of ${metrics.length} metrics, at most are ${most} (${key})`)
}

/**
 * Stores all points at once if they fit. Otherwise points whose tags do not fit are left out, and what is refused then is halved until the
 * metrics that are to blame stand alone.
 */
async function storeWhatFits(
  request: PutRequest,
  places: readonly number[],
  failures: Map<number, string>
): Promise<void> {
  try {
    return await store(request, places)
  } catch (error) {
    reasonOf(error)
  }
  const { metricOf } = request.points
  const groups = Map.groupBy(places, i => metricOf[i]!)
  const open = [Array.from(groups, ([metric, group]) => withoutUnfit(request, metric, group, failures))]
  for (let some = open.pop(); some !== undefined; some = open.pop()) {
    try {
      await store(request, some.flat())
    } catch (error) {
      const reason = reasonOf(error)
      if (some.length === 1) for (const place of some[0]!) failures.set(place, reason)
      else {
        const middle = some.length >> 1
        open.push(some.slice(middle), some.slice(0, middle))
      }
    }
  }
}

/** Of points of one metric those whose value and tags its table takes; the others become failures. */
function withoutUnfit(
  request: PutRequest,
  metric: number,
  group: readonly number[],
  failures: Map<number, string>
): readonly number[] {
  const { core, ctx, points } = request
  const column = valueColumnOf(core.store.table(ctx.db, points.metrics[metric]!))
  const readTags = createReadTags(request, metric)
  return group.filter(place => {
    try {
      checkValue(column, points.values[place]!)
      readTags(place)
      return true
    } catch (error) {
      failures.set(place, reasonOf(error))
      return false
    }
  })
}

/** What a point is refused with; throws errors that are not about points. */
function reasonOf(error: unknown): string {
  if (isDbError(error) && error.status === 400) return error.message
  throw error
}

// One put request: all points or none, or, where the answer tells which, all that can be stored.
import { type Core, DbError, isDbError, type RequestContext } from '../../core/index.ts'
import type { Points } from './decode.ts'
import { pointError } from './errors.ts'
import { type PutLimits, type PutRequest, pointWrites } from './writes.ts'

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

/** Halves what is refused until the points that are to blame stand alone; those of one metric are tried together. */
async function storeWhatFits(
  request: PutRequest,
  places: readonly number[],
  failures: Map<number, string>
): Promise<void> {
  const { metricOf } = request.points
  const open = [places.toSorted((a, b) => metricOf[a]! - metricOf[b]! || a - b)]
  for (let some = open.pop(); some !== undefined; some = open.pop()) {
    try {
      await store(request, some)
    } catch (error) {
      if (!isDbError(error) || error.status !== 400) throw error
      if (some.length === 1) failures.set(some[0]!, error.message)
      else {
        const middle = some.length >> 1
        open.push(some.slice(middle), some.slice(0, middle))
      }
    }
  }
}

// Handles a put request: stores all points or none, or, if the answer reports failures, all valid ones.
import {
  type Core,
  DbError,
  endsStep,
  isDbError,
  Pace,
  type RequestContext,
  runPaced,
  type Steps,
  type WriteQuota
} from '../../core/index.ts'
import {
  checkValue,
  createReadTags,
  groupByMetric,
  ownColumns,
  type PutRequest,
  pointWrites,
  valueColumnOf
} from './columns.ts'
import type { Points } from './decode.ts'
import { pointError } from './errors.ts'

/** Points that are looked at in one step, and those whose tags are read. */
const stepIndices = 16_384
const stepTags = 256

/** Stores points; partial: returns those that could not be stored, by index in any order, and why; they are among the points' failures then, too. Otherwise throws DbError for the first of them. */
export type Receive = (ctx: RequestContext, points: Points, isPartial: boolean) => Promise<ReadonlyMap<number, string>>

interface PutOptions {
  /** Metrics that one request may have points of. */
  readonly max_request_tables: number
}

export function createReceive(core: Core, { max_request_tables }: PutOptions): Receive {
  const help = 'Points of put requests that were refused.'
  const refused = core.metrics.counter('svc_tsdbput_points_refused_total', help)
  return async (ctx, points, isPartial) => {
    const request = { core, ctx, points }
    const failures = points.failures
    const pace = new Pace(ctx)
    try {
      checkMetrics(points, max_request_tables)
      const indices = await runPaced(pace, liveIndices(points))
      if (isPartial) await storeWhatFits(request, indices, failures)
      else await storeAll(request, indices, failures)
    } catch (error) {
      refused.add(points.count)
      throw error
    }
    if (failures.size > 0) refused.add(failures.size)
    return failures
  }
}

async function storeAll(
  request: PutRequest,
  indices: Uint32Array,
  failures: ReadonlyMap<number, string>
): Promise<void> {
  for (const [index, reason] of failures) {
    throw pointError(new DbError('InvalidArguments', `data point ${index}: ${reason}`))
  }
  try {
    await store(request, indices)
  } catch (error) {
    throw isDbError(error) && error.status === 400 ? pointError(error) : error
  }
}

async function store(request: PutRequest, indices: Uint32Array): Promise<void> {
  if (indices.length === 0) return
  const { core, ctx } = request
  await core.store.write(ctx, await runPaced(new Pace(ctx), pointWrites(request, indices)))
}

/** Points that can be stored as far as they are read. */
function* liveIndices({ count, failures }: Points): Steps<Uint32Array> {
  const indices = new Uint32Array(count)
  let live = 0
  for (let i = 0; i < count; i++) {
    if (endsStep(i, stepIndices)) yield
    if (!failures.has(i)) indices[live++] = i
  }
  return indices.subarray(0, live)
}

function checkMetrics({ metrics }: Points, max: number): void {
  if (metrics.length <= max) return
  const key = 'plugins.tsdbput.max_request_tables'
  throw new DbError('InvalidArguments', `the points are of ${metrics.length} metrics, at most are ${max} (${key})`)
}

/**
 * Stores all points in one write if the store accepts it. Otherwise it leaves out the points whose tags the table cannot have, and halves
 * a write that is still refused until each metric that causes a refusal is alone in its write.
 */
async function storeWhatFits(request: PutRequest, indices: Uint32Array, failures: Map<number, string>): Promise<void> {
  try {
    return await store(request, indices)
  } catch (error) {
    reasonOf(error)
  }
  const pace = new Pace(request.ctx)
  const groups = await runPaced(pace, groupByMetric(request.points, indices))
  const quota = request.core.store.writeQuota(indices.length)
  const fit: Uint32Array[] = []
  for (const [metric, group] of groups)
    fit.push(await runPaced(pace, withoutUnfit(request, metric, group, quota, failures)))
  const open = [fit]
  for (let some = open.pop(); some !== undefined; some = open.pop()) {
    try {
      await store(request, joined(some))
    } catch (error) {
      const reason = reasonOf(error)
      if (some.length === 1) for (const index of some[0]!) failures.set(index, reason)
      else {
        const middle = some.length >> 1
        open.push(some.slice(middle), some.slice(0, middle))
      }
    }
  }
}

/** Of points of one metric those whose value and tags its table takes; the others become failures. */
function* withoutUnfit(
  request: PutRequest,
  metric: number,
  group: Uint32Array,
  quota: WriteQuota,
  failures: Map<number, string>
): Steps<Uint32Array> {
  const { core, ctx, points } = request
  const name = points.metrics[metric]!
  const table = core.store.table(ctx.db, name)
  const column = valueColumnOf(table)
  const readTags = createReadTags(request, metric)
  const own = quota.table(ctx.db, name, { columns: ownColumns(table) })
  const fit = new Uint32Array(group.length)
  let count = 0
  for (const [i, index] of group.entries()) {
    if (endsStep(i, stepTags)) yield
    try {
      checkValue(column, points.values[index]!)
      own.acquire(readTags(points.keyOf[index]!))
      fit[count++] = index
    } catch (error) {
      failures.set(index, reasonOf(error))
    }
  }
  return fit.subarray(0, count)
}

/** The indices of all groups; their order within a metric stays. */
function joined(groups: readonly Uint32Array[]): Uint32Array {
  const indices = new Uint32Array(groups.reduce((sum, group) => sum + group.length, 0))
  let at = 0
  for (const group of groups) {
    indices.set(group, at)
    at += group.length
  }
  return indices
}

/** The error that refuses a point; throws errors that are not about points. */
function reasonOf(error: unknown): string {
  if (isDbError(error) && error.status === 400) return error.message
  throw error
}

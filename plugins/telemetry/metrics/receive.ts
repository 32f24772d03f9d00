// `POST /v1/telemetry/v1/metrics`: from the bytes of a request to what the store has taken.

import {
  type Core,
  DbError,
  enabledService,
  endsStep,
  isDbError,
  Pace,
  Pool,
  runPaced,
  type SeriesName,
  type SeriesWrite,
  type Steps,
  type TableWrite
} from '../../../core/index.ts'
import type { ExemplarRow, HistogramRow, MetricMetadata, MetricsysService } from '../../services.ts'
import type { CountRejected } from '../counters.ts'
import { nothingRejected, type Receive, type SignalRequest, type Taken } from '../signal.ts'
import { limitsOf } from '../wire/outline.ts'
import { type StartRow, startWrite } from './columns.ts'
import { decodeMetrics } from './decode.ts'
import { bucketOf, readExemplar } from './exemplar.ts'
import { KnownMetrics } from './known.ts'
import type { Metric } from './metric.ts'
import { PointNames } from './point-names.ts'
import { PointReader } from './point-reader.ts'
import { type Policy, type PolicyOptions, readPolicy } from './policy.ts'
import { Samples } from './samples.ts'
import { StartTimes } from './start-times.ts'

export interface MetricsOptions extends PolicyOptions {
  readonly start_times: boolean
  /** Resources, scopes and metrics of one request. */
  readonly max_items: number
  /** Bytes of one point. */
  readonly max_item_size: number
  /** Bytes of the labels of one series. */
  readonly max_series_size: number
}

/** Requests whose memory waits for others. */
const maxIdle = 8
/** Rows handled between two yields to other requests. */
const stepRows = 64

/** State that all requests use. */
interface Receiver {
  readonly core: Core
  readonly count: CountRejected
  readonly metricsys: MetricsysService
  readonly options: MetricsOptions
  readonly known: KnownMetrics
  readonly startTimes: StartTimes
}

/** One request on its way to the store. */
interface Reception extends Receiver {
  readonly request: SignalRequest
  readonly samples: Samples
  readonly points: PointReader
  readonly policy: Policy
  readonly physicalTable: string
  readonly names: PointNames
}

/** `service` stores metrics; without it they are refused. */
export function createReceiveMetrics(
  core: Core,
  options: MetricsOptions,
  service: MetricsysService | undefined,
  count: CountRejected
): Receive {
  const pool = new Pool(
    () => new Samples(),
    maxIdle,
    samples => !samples.isLarge
  )
  const shared = { core, options, count, known: new KnownMetrics(), startTimes: new StartTimes() }
  return async request => {
    const metricsys = enabledService(service, 'metricsys', 'a metric')
    const policy = readPolicy(request.headers, options)
    const physicalTable = request.ctx.hints.options.physical_table ?? metricsys.physicalTable
    return pool.use(async samples => {
      const points = new PointReader(request.body, samples, options.start_times ? shared.startTimes : undefined)
      const names = new PointNames(points, policy)
      const reception = { ...shared, metricsys, request, samples, points, names, policy, physicalTable }
      try {
        const pace = new Pace(request.ctx)
        await runPaced(pace, decode(reception))
        return await store(reception, pace)
      } catch (error) {
        for (const start of points.starts) shared.startTimes.drop(start, samples.metrics[start.point]!.id)
        throw error
      } finally {
        samples.clear()
      }
    })
  }
}

function decode({ request, metricsys, points, known, physicalTable, policy, options }: Reception): Steps<void> {
  const cacheScope = [request.ctx.db, physicalTable, policy.key].join('\0')
  const own = known.within(cacheScope, name => metricsys.checkMetric(name))
  return decodeMetrics(points, own, policy, limitsOf(options))
}

async function store(reception: Reception, pace: Pace): Promise<Taken> {
  const { core, request, samples, points, metricsys, physicalTable } = reception
  const told: readonly Metric[] = [...new Set(samples.metrics)].filter(metric => !metric.isTold)
  const metadata = await runPaced(pace, metricsys.metadataWrite(request.ctx.db, told.map(metadataOf)))
  const starts = await runPaced(pace, startRows(reception))
  const histograms = await runPaced(pace, histogramRows(reception))
  const exemplars = await runPaced(pace, exemplarRows(reception))
  const writes: (TableWrite | SeriesWrite)[] = [
    ...(samples.count > 0 ? [seriesWrite(reception)] : []),
    ...(await runPaced(pace, metricsys.histogramWrites(histograms, physicalTable))),
    ...(await runPaced(pace, metricsys.exemplarWrites(exemplars))),
    ...(starts.length > 0 ? [await runPaced(pace, startWrite(starts, metricsys.timeColumn))] : []),
    ...(metadata === undefined ? [] : [metadata.write])
  ]
  if (writes.length > 0) {
    const { refused } = await core.store.write(request.ctx, writes)
    if (refused !== undefined) points.reject(refused.error?.message ?? '', pointsOf(samples, refused.keys))
    metadata?.stored()
    for (const metric of told) metric.isTold = true
  }
  const { rejected, reason } = points
  return reason === '' ? nothingRejected : { rejected, message: reason }
}

/** The number of points that these keys belong to; a histogram has many keys. */
function pointsOf(samples: Samples, keys: readonly number[]): number {
  return new Set(keys.map(key => samples.points[key]!)).size
}

function seriesWrite(reception: Reception): SeriesWrite {
  const { metricsys, physicalTable, samples } = reception
  return {
    kind: 'series',
    keys: samples.keys,
    name: i => nameOf(reception, samples.points[i]!, samples.partOf(i)),
    samples: samples.count,
    series: samples.series,
    times: samples.times,
    values: samples.values,
    timeColumn: metricsys.timeColumn,
    valueColumn: metricsys.valueColumn,
    physicalTable,
    partial: true
  }
}

/** The series of a part of a point. Throws DbError `InvalidArguments` for invalid labels. */
function nameOf({ metricsys, names, options }: Reception, point: number, part: number): SeriesName {
  const name = names.name(point, part)
  checkSize(name, options.max_series_size)
  for (const label of name.labels) metricsys.checkLabel(label.name, name.table)
  metricsys.countLabels(name.labels)
  return name
}

/** Limits the labels of a series, because resource labels are stored with each of its series. */
function checkSize({ table, labels }: SeriesName, max: number): void {
  const bytes = labels.reduce((sum, { name, value }) => sum + name.length + value.length, 0)
  if (bytes <= max) return
  const reason = `the labels of a series take ${bytes} bytes, more than ${max} (plugins.telemetry.max_series_size)`
  throw new DbError('InvalidArguments', `metric ${table}: ${reason}`)
}

function* histogramRows(reception: Reception): Steps<HistogramRow[]> {
  const { metricsys, request, samples, physicalTable, points } = reception
  const { histograms } = points
  const quota = metricsys.quota(request.ctx.db, histograms.length)
  const rows = yield* readEach(reception, histograms, ({ point, histogram }) => {
    const name = nameOf(reception, point, 0)
    metricsys.checkHistogram(histogram)
    quota.check(name, physicalTable)
    return { name, time: BigInt(samples.pointTimes[point]!), histogram }
  })
  points.rejected += histograms.length - rows.length
  return rows
}

function* exemplarRows(reception: Reception): Steps<ExemplarRow[]> {
  const { points, samples, metricsys, request, count } = reception
  const { exemplars, reader, attributes } = points
  const quota = metricsys.quota(request.ctx.db, exemplars.length)
  const rows = yield* readEach(reception, exemplars, ({ point, part, bounds, start, end }) => {
    const { value, time, labels } = readExemplar(reader, attributes, start, end)
    const bucket = bounds === undefined ? 0 : bucketOf(bounds, value)
    const name = nameOf(reception, point, part + bucket)
    quota.checkExemplar(name)
    return { name, labels, value, time: time === 0n ? BigInt(samples.pointTimes[point]!) : time }
  })
  count('exemplars', exemplars.length - rows.length)
  return rows
}

function startRows(reception: Reception): Steps<StartRow[]> {
  const { starts } = reception.points
  return readEach(reception, starts, ({ point, start, time }) => ({ name: nameOf(reception, point, 0), start, time }))
}

/** The results of `read`, without the items for which it throws DbError: their errors are noted. */
function* readEach<T, R>({ points }: Reception, items: readonly T[], read: (item: T) => R): Steps<R[]> {
  const results: R[] = []
  for (const [i, item] of items.entries()) {
    try {
      results.push(read(item))
    } catch (error) {
      if (!isDbError(error)) throw error
      points.note(error.message)
    }
    if (endsStep(i, stepRows)) yield
  }
  return results
}

function metadataOf({ metadata }: Metric): MetricMetadata {
  return metadata
}

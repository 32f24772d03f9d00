// `POST /v1/telemetry/v1/metrics`: from the bytes of a request to what the store has taken.
import {
  type Core,
  DbError,
  isDbError,
  ProtoReader,
  type SeriesName,
  type SeriesWrite,
  type TableWrite
} from '../../../core/index.ts'
import type { ExemplarRow, HistogramRow, MetricMetadata, MetricsysService } from '../../services.ts'
import type { CountRejected } from '../counters.ts'
import { nothingRejected, type Receive, type SignalRequest, type Taken } from '../signal.ts'
import { decodeMetrics } from './decode.ts'
import { bucketOf, readExemplar } from './exemplar.ts'
import type { FoundHistogram } from './exponential-point.ts'
import { KnownMetrics } from './known.ts'
import { AttributeReader } from './labels.ts'
import type { Metric } from './metric.ts'
import { PointNames } from './point-names.ts'
import { type FoundStart, PointReader } from './point-reader.ts'
import { type Policy, type PolicyOptions, readPolicy } from './policy.ts'
import { type Samples, SamplesPool } from './samples.ts'
import { type StartRow, startWrite } from './start-rows.ts'
import { StartTimes } from './start-times.ts'

export interface MetricsOptions extends PolicyOptions {
  readonly start_times: boolean
  /** Resources, scopes and metrics of one request. */
  readonly max_items: number
  /** Bytes of the labels of one series. */
  readonly max_series_size: number
}

/** What all requests share. */
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
  readonly attributes: AttributeReader
  readonly policy: Policy
  readonly physicalTable: string
  readonly histograms: FoundHistogram[]
  readonly names: PointNames
}

/** `metricsys` keeps metrics; without it they are refused. */
export function createReceiveMetrics(
  core: Core,
  options: MetricsOptions,
  metricsys: MetricsysService | undefined,
  count: CountRejected
): Receive {
  const pool = new SamplesPool()
  const shared = { core, options, count, known: new KnownMetrics(), startTimes: new StartTimes() }
  return async request => {
    if (metricsys === undefined) {
      throw new DbError('Unsupported', 'metrics are kept by the plugin metricsys, which is switched off')
    }
    const policy = readPolicy(request.headers, options)
    const physicalTable = request.ctx.hints.options.physical_table ?? metricsys.physicalTable
    return pool.use(async samples => {
      const points = new PointReader(
        new ProtoReader(request.body),
        samples,
        options.start_times ? shared.startTimes : undefined
      )
      const attributes = new AttributeReader()
      const reception = {
        ...shared,
        ...{ metricsys, request, samples, points, attributes, policy, physicalTable },
        histograms: [],
        names: new PointNames(points.reader, samples, attributes, policy)
      }
      try {
        decode(reception)
        return await store(reception)
      } catch (error) {
        for (const start of points.starts) shared.startTimes.drop(start, samples.metrics[start.point]!.id)
        throw error
      }
    })
  }
}

function decode(reception: Reception): void {
  const { request, metricsys, physicalTable, policy, options } = reception
  const { body } = request
  decodeMetrics({
    ...reception,
    mostItems: options.max_items,
    body: Buffer.from(body.buffer, body.byteOffset, body.length),
    realm: [request.ctx.db, physicalTable, policy.key].join('\0'),
    checkMetric: name => metricsys.checkMetric(name)
  })
}

async function store(reception: Reception): Promise<Taken> {
  const { core, request, samples, points, metricsys, physicalTable } = reception
  const told: readonly Metric[] = [...new Set(samples.metrics)].filter(metric => !metric.isTold)
  const metadata = metricsys.metadataWrite(request.ctx.db, told.map(metadataOf))
  const starts = points.starts.flatMap(each => attempt(reception, () => startRow(reception, each)) ?? [])
  const writes: (TableWrite | SeriesWrite)[] = [
    ...(samples.count > 0 ? [seriesWrite(reception)] : []),
    ...metricsys.histogramWrites(histogramRows(reception), physicalTable),
    ...metricsys.exemplarWrites(exemplarRows(reception)),
    ...(starts.length > 0 ? [startWrite(starts, metricsys.timeColumn)] : []),
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

/** How many points these keys are of: a histogram has many. */
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
    limits: metricsys.limits,
    partial: true
  }
}

/** The series of a part of a point. Throws DbError `InvalidArguments` for labels that cannot be. */
function nameOf({ metricsys, names, options }: Reception, point: number, part: number): SeriesName {
  const name = names.name(point, part)
  checkSize(name, options.max_series_size)
  for (const label of name.labels) metricsys.checkLabel(label.name, name.table)
  metricsys.countLabels(name.labels)
  return name
}

/** Every series keeps what its resource says: a long text there would be kept as often. */
function checkSize({ table, labels }: SeriesName, most: number): void {
  const bytes = labels.reduce((sum, { name, value }) => sum + name.length + value.length, 0)
  if (bytes <= most) return
  const reason = `the labels of a series take ${bytes} bytes, more than ${most} (plugins.telemetry.max_series_size)`
  throw new DbError('InvalidArguments', `metric ${table}: ${reason}`)
}

function histogramRows(reception: Reception): HistogramRow[] {
  const { metricsys, request, samples, histograms, physicalTable } = reception
  if (histograms.length === 0) return []
  const room = metricsys.room(request.ctx.db)
  return histograms.flatMap(({ point, histogram }) => {
    const row = attempt(reception, () => {
      const name = nameOf(reception, point, 0)
      metricsys.checkHistogram(histogram)
      room.check(name, physicalTable)
      return { name, time: BigInt(samples.pointTimes[point]!), histogram }
    })
    if (row === undefined) reception.points.rejected++
    return row ?? []
  })
}

function exemplarRows(reception: Reception): ExemplarRow[] {
  const { points, attributes, samples, metricsys, request, count } = reception
  if (points.exemplars.length === 0) return []
  const room = metricsys.room(request.ctx.db)
  const rows = points.exemplars.flatMap(({ point, part, bounds, start, end }) => {
    const row = attempt(reception, () => {
      room.checkExemplars()
      const { value, time, labels } = readExemplar(points.reader, attributes, start, end)
      const bucket = bounds === undefined ? 0 : bucketOf(bounds, value)
      const name = nameOf(reception, point, part + bucket)
      return { name, labels, value, time: time === 0n ? BigInt(samples.pointTimes[point]!) : time }
    })
    return row ?? []
  })
  count('exemplars', points.exemplars.length - rows.length)
  return rows
}

function startRow(reception: Reception, { point, start, time }: FoundStart): StartRow {
  return { name: nameOf(reception, point, 0), start, time }
}

/** What is wrong in a part of a point is told; undefined then. */
function attempt<T>({ points }: Reception, read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (!isDbError(error)) throw error
    points.note(error.message)
    return undefined
  }
}

function metadataOf({ metadata }: Metric): MetricMetadata {
  return metadata
}

// One remote write request: from the bytes of the body to what the store has taken.
import {
  type Core,
  DbError,
  endsStep,
  isDbError,
  Pace,
  Pool,
  type RequestContext,
  runPaced,
  type SeriesName,
  type SeriesWrite,
  type Steps,
  type TableWrite,
  timeColumn,
  valueColumn
} from '../../../core/index.ts'
import type { ExemplarRow, HistogramRow, RequestedPipeline } from '../../services.ts'
import type { Cardinality } from './cardinality.ts'
import { exemplarWrites, histogramWrites, metadataWrite } from './columns.ts'
import { DecodeBuffer, isLarge, maxIdle } from './decode/decode-buffer.ts'
import type { Decoded, Range } from './decode/decoded.ts'
import { createDecoder } from './decode/decoder.ts'
import { statedLength } from './decode/request.ts'
import { checkTime } from './decode/sample.ts'
import { readHistogram } from './histogram.ts'
import type { KnownMetadata } from './known-metadata.ts'
import type { Codec, Version } from './negotiate.ts'
import { runPipeline } from './pipeline.ts'
import { createMetricsQuota } from './quota.ts'
import type { SeriesNames } from './series-name.ts'

/** Bytes of the labels of a series that is counted as one of its metric: longer ones, which are refused, take long to hash. */
const maxCounted = 1 << 20

/** Rows handled between two yields to other requests. */
const stepRows = 64

export interface WriteOptions {
  readonly native_histograms: boolean
}

interface WriteRequest {
  readonly version: Version
  readonly codec: Codec
  readonly physicalTable: string
  readonly body: Uint8Array
  /** Version 1.0 only: samples go through it instead of becoming series. */
  readonly pipeline?: RequestedPipeline
  /** Called once `body` is decoded and not read any more. */
  readonly bodyRead: () => void
}

export interface Written {
  readonly samples: number
  readonly histograms: number
  readonly exemplars: number
  /** Why something was left out; version 1.0 leaves nothing out. */
  readonly error: DbError | undefined
}

/** State of the plugin that all requests use. */
interface Receiver extends KnownMetrics {
  readonly core: Core
  readonly options: WriteOptions
}

/** One request on its way to the store. */
interface Reception extends Receiver {
  readonly ctx: RequestContext
  readonly request: WriteRequest
  readonly buffer: DecodeBuffer
  readonly failures: DbError[]
}

export interface Receive {
  (ctx: RequestContext, request: WriteRequest): Promise<Written>
  close(): Promise<void>
}

/** Known metadata of metrics, shared by all requests and protocols. */
interface KnownMetrics {
  readonly cardinality: Cardinality
  readonly metadata: KnownMetadata
  readonly names: SeriesNames
}

export function createReceive(core: Core, options: WriteOptions, known: KnownMetrics): Receive {
  const buffers = new Pool(
    () => new DecodeBuffer(),
    maxIdle,
    buffer => !isLarge(buffer)
  )
  const receiver = { core, options, ...known }
  const decoder = createDecoder()
  const receive = (ctx: RequestContext, request: WriteRequest) =>
    buffers.use(async buffer => {
      const { version, codec, body } = request
      const encoding = { version, codec, limit: core.config.http.body_limit }
      // Requests that come together must not all be inflated before the first of them is counted.
      await ctx.memory?.hold(statedLength(body, encoding))
      const decoded = await decoder.decode(buffer, body, encoding)
      request.bodyRead()
      await ctx.memory?.hold(buffer.length)
      return store({ ...receiver, ctx, request, buffer, failures: [...decoded.failures] }, decoded)
    })
  return Object.assign(receive, { close: decoder.close })
}

async function store(reception: Reception, decoded: Decoded): Promise<Written> {
  const { core, ctx, request, buffer, failures, metadata } = reception
  const pace = new Pace(ctx)
  const histograms = await runPaced(pace, readHistograms(reception, decoded))
  const exemplars = await runPaced(pace, readExemplars(reception, decoded))
  const news = await runPaced(pace, metadata.changed(ctx.db, decoded.metadata))
  const writes: (TableWrite | SeriesWrite)[] = [
    ...(await sampleWrites(reception, pace)),
    ...(await runPaced(pace, histogramWrites(histograms, request.physicalTable))),
    ...(await runPaced(pace, exemplarWrites(exemplars))),
    ...(news.length > 0 ? [await runPaced(pace, metadataWrite(news, Date.now()))] : [])
  ]
  if (writes.length === 0) return { samples: 0, histograms: 0, exemplars: 0, error: failures[0] }
  const { refused } = await core.store.write(ctx, writes)
  metadata.keep(ctx.db, news)
  return {
    samples: buffer.samples - (refused?.samples ?? 0),
    histograms: histograms.length,
    exemplars: exemplars.length,
    error: failures[0] ?? refused?.error
  }
}

async function sampleWrites(reception: Reception, pace: Pace): Promise<readonly (TableWrite | SeriesWrite)[]> {
  const { ctx, buffer, request } = reception
  if (buffer.samples === 0) return []
  if (request.pipeline === undefined) return [seriesWrite(reception)]
  return runPipeline(ctx, request.pipeline, buffer, await runPaced(pace, namesOf(reception)))
}

function* namesOf(reception: Reception): Steps<SeriesName[]> {
  const { starts, ends, keyCount } = reception.buffer
  const names: SeriesName[] = []
  for (let i = 0; i < keyCount; i++) {
    names.push(nameOf(reception, { start: starts[i]!, end: ends[i]! }))
    if (endsStep(i, stepRows)) yield
  }
  return names
}

function seriesWrite(reception: Reception): SeriesWrite {
  const { names, cardinality, request, buffer } = reception
  return {
    kind: 'series',
    keys: buffer.keys,
    name(i) {
      const [start, end] = [buffer.starts[i]!, buffer.ends[i]!]
      const name = names.read(buffer.body, start, end)
      if (end - start <= maxCounted) cardinality.add(name.labels)
      return name
    },
    samples: buffer.samples,
    series: buffer.series,
    times: buffer.times,
    values: buffer.values,
    timeColumn,
    valueColumn,
    physicalTable: request.physicalTable,
    partial: request.version === '2.0'
  }
}

function* readHistograms(reception: Reception, { histograms }: Decoded): Steps<HistogramRow[]> {
  const { core, ctx, options, buffer, request } = reception
  if (histograms.length > 0 && !options.native_histograms) {
    throw new DbError('Unsupported', 'native histograms are switched off (plugins.metricsys.native_histograms)')
  }
  const quota = createMetricsQuota(core.store, ctx.db, histograms.length)
  return yield* readEach(reception, histograms, ({ key, message }) => {
    const name = nameOf(reception, key)
    const histogram = readHistogram(buffer.body, message.start, message.end)
    checkTime(histogram.time)
    quota.check(name, request.physicalTable)
    return { name, time: histogram.time, histogram }
  })
}

function readExemplars(reception: Reception, { exemplars }: Decoded): Steps<ExemplarRow[]> {
  const { core, ctx, buffer, names } = reception
  const quota = createMetricsQuota(core.store, ctx.db, exemplars.length)
  return readEach(reception, exemplars, ({ key, labels, value, time }) => {
    checkTime(time)
    const name = nameOf(reception, key)
    quota.checkExemplar(name)
    return { name, labels: names.readLabels(buffer.body, labels.start, labels.end), value, time }
  })
}

/** The results of `read`. Version 1.0 stores all or nothing; version 2.0 leaves out the items for which `read` throws DbError. */
function* readEach<T, R>({ request, failures }: Reception, items: readonly T[], read: (item: T) => R): Steps<R[]> {
  const results: R[] = []
  for (const [i, item] of items.entries()) {
    try {
      results.push(read(item))
    } catch (error) {
      if (request.version === '1.0' || !isDbError(error)) throw error
      failures.push(error)
    }
    if (endsStep(i, stepRows)) yield
  }
  return results
}

function nameOf({ core, buffer, names }: Reception, key: Range): SeriesName {
  const name = names.read(buffer.body, key.start, key.end)
  if (name.database !== undefined) core.store.requireDatabase(name.database)
  return name
}

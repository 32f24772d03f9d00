// A point of an exponential histogram, as a native histogram: the same buckets with other indices, merged where they are too fine.
import type { ProtoReader } from '../../../core/wire/index.ts'
import type { HistogramBuckets, NativeHistogram } from '../../services.ts'
import { fixed } from './histogram-point.ts'
import { type Metric, temporality } from './metric.ts'
import { millisecondsOf } from './number.ts'
import type { PointReader } from './point-reader.ts'

const field = {
  attributes: 1,
  start: 2,
  time: 3,
  count: 4,
  sum: 5,
  scale: 6,
  zeroCount: 7,
  positive: 8,
  negative: 9,
  flags: 10,
  exemplar: 11,
  zeroThreshold: 14
} as const

/** The finest and the coarsest schema of native histograms. */
const finest = 8
const coarsest = -4
const staleSum = 0x7ff0000000000002n
const unknownSum = 0x7ff8000000000000n
/** Delta histograms are gauges. */
const resetHint = { unknown: 0, gauge: 3 } as const

interface Side {
  offset: number
  counts: bigint[]
}

/** Reads the point that the reader has entered. */
export function readExponentialPoint(points: PointReader, metric: Metric): void {
  const { reader } = points
  const positive: Side = { offset: 0, counts: [] }
  const negative: Side = { offset: 0, counts: [] }
  const found = { count: 0n, zeroCount: 0n, sumBits: unknownSum, scale: 0, zeroThreshold: 0 }
  points.begin()
  for (let start = reader.at; reader.next(); start = reader.at) {
    if (reader.field === field.attributes) points.takeAttribute(start)
    else if (reader.field === field.start) points.takeStart()
    else if (reader.field === field.time) points.takeTime()
    else if (reader.field === field.count) found.count = reader.view.getBigUint64(fixed(reader), true)
    else if (reader.field === field.sum) found.sumBits = reader.view.getBigUint64(fixed(reader), true)
    else if (reader.field === field.scale) found.scale = reader.sint32()
    else if (reader.field === field.zeroCount) found.zeroCount = reader.view.getBigUint64(fixed(reader), true)
    else if (reader.field === field.positive) readSide(reader, positive)
    else if (reader.field === field.negative) readSide(reader, negative)
    else if (reader.field === field.flags) points.flags = reader.uint()
    else if (reader.field === field.exemplar) points.takeExemplar()
    else if (reader.field === field.zeroThreshold) found.zeroThreshold = reader.view.getFloat64(fixed(reader), true)
    else reader.skip()
  }
  const { scale, count, zeroCount, sumBits, zeroThreshold } = found
  if (scale < coarsest) {
    points.reject(`metric ${metric.metadata.metric}: a point has the scale ${scale}, below ${coarsest}`)
    return
  }
  const point = points.add(metric)
  if (point === undefined) return
  if (points.exemplarOffsets.length > 0) points.addExemplars(point, 0)
  const merged = Math.max(0, scale - finest)
  const histogram: NativeHistogram = {
    float: false,
    schema: scale - merged,
    zeroThreshold,
    sumBits: points.isStale ? staleSum : sumBits,
    resetHint: metric.kind.temporality === temporality.delta ? resetHint.gauge : resetHint.unknown,
    startTime: BigInt(millisecondsOf(points.startLow, points.startHigh)),
    customValues: [],
    ...{ count, zeroCount },
    positive: bucketsOf(positive, merged),
    negative: bucketsOf(negative, merged)
  }
  points.histograms.push({ point, histogram })
}

function readSide(reader: ProtoReader, side: Side): void {
  const outer = reader.enter()
  while (reader.next()) {
    if (reader.field === 1) side.offset = reader.sint32()
    else if (reader.field === 2) reader.repeated(each => side.counts.push(each.uint64()))
    else reader.skip()
  }
  reader.leave(outer)
}

/** Each unit of `merged` halves the number of buckets. Native buckets are indexed by their upper bound, hence plus one. */
function bucketsOf({ offset, counts }: Side, merged: number): HistogramBuckets {
  const from = counts.findIndex(count => count > 0n)
  if (from < 0) return { spans: [], counts: [] }
  const end = counts.findLastIndex(count => count > 0n) + 1
  const shift = Math.min(merged, 31)
  const first = (offset + from) >> shift
  const kept: bigint[] = []
  for (let i = from; i < end; i++) {
    const at = ((offset + i) >> shift) - first
    while (kept.length <= at) kept.push(0n)
    kept[at]! += counts[i]!
  }
  return { spans: [{ offset: first + 1, length: kept.length }], counts: kept }
}
